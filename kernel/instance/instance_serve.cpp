#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <stele/sdk/log.hpp>

#include "kernel/http/limit/descriptors.hpp"
#include "kernel/instance/blob_owner.hpp"
#include "kernel/instance/instance_state.hpp"
#include "kernel/instance/server_settings.hpp"
#include "kernel/resource/consistency/data_store_count.hpp"
#include "kernel/resource/consistency/declarations.hpp"
#include "kernel/resource/consistency/standard_teams.hpp"
#include "kernel/resource/upkeep/binary_check.hpp"

namespace stele::kernel::instance {

namespace {

/// Tasks at the same time on a machine with one processor: one may read the disk.
constexpr unsigned kLeastWidth = 2;

sdk::Result<std::unique_ptr<http::AccessLog>> open_access_log(const config::Settings& settings) {
    auto options = read_access_log_options(settings);
    if (!options) return options.error();
    if (options->target.empty()) return std::unique_ptr<http::AccessLog>();
    return http::AccessLog::open(*options);
}

void add_access_log_metrics(http::RequestPipeline& pipeline, const http::AccessLog& log) {
    pipeline.add_metrics([&log] {
        return fmt::format(
            "# HELP stele_access_log_dropped_total Lines of the access log that were lost.\n"
            "# TYPE stele_access_log_dropped_total counter\n"
            "stele_access_log_dropped_total {}\n",
            log.dropped());
    });
}

/// For stores of earlier versions. A domain that is locked or full is no reason not to serve.
void give_teams(resource::Services& services) {
    auto given = resource::give_standard_teams(services);
    if (given) return;
    sdk::log(sdk::LogLevel::warning, "instance",
             "some data stores get their team of owners at the next start only: " +
                 given.error().message);
}

sdk::Result<void> set_times(http::RequestPipeline& pipeline, const config::Settings& settings) {
    auto request_time = settings.milliseconds("server.request_time");
    if (!request_time) return request_time.error();
    auto busy_wait = settings.milliseconds("server.busy_wait");
    if (!busy_wait) return busy_wait.error();
    auto query_time = settings.milliseconds("server.query_time");
    if (!query_time) return query_time.error();
    pipeline.set_query_time(std::chrono::milliseconds(*query_time));
    pipeline.set_busy_wait(std::chrono::milliseconds(*busy_wait));
    pipeline.set_request_time(std::chrono::milliseconds(*request_time));
    return {};
}

void leave_descriptors(http::ServerLimits& limits) {
    const std::size_t descriptors = http::descriptor_limit();
    const std::size_t wanted = limits.connections;
    if (!http::fit_connections(limits, descriptors)) return;
    sdk::log(sdk::LogLevel::warning, "instance",
             fmt::format("the process may open {} files and sockets only: {} connections at the "
                         "same time, not {} (server.connections); raise the limit (ulimit -n)",
                         descriptors, limits.connections, wanted));
}

void add_connection_metrics(http::RequestPipeline& pipeline, const http::Server& server) {
    pipeline.add_metrics([&server] {
        const http::Server::Counts counts = server.counts();
        return fmt::format(
            "# TYPE stele_connections_open gauge\nstele_connections_open {}\n"
            "# TYPE stele_connections_total counter\nstele_connections_total {}\n"
            "# TYPE stele_received_bytes_total counter\nstele_received_bytes_total {}\n"
            "# TYPE stele_sent_bytes_total counter\nstele_sent_bytes_total {}\n"
            "# TYPE stele_refused_connections_total counter\nstele_refused_connections_total {}\n"
            "# TYPE stele_body_memory_bytes gauge\nstele_body_memory_bytes {}\n"
            "# TYPE stele_bodies_waiting gauge\nstele_bodies_waiting {}\n",
            counts.connections_open, counts.connections_total, counts.bytes_received,
            counts.bytes_sent, counts.refused_total, counts.body_bytes, counts.bodies_waiting);
    });
}

}  // namespace

void Instance::make_watch(std::uint64_t reserve) {
    resource::Services& services = *state_->services;
    const auto root = services.platforms.root();
    const bool may_hurry =
        services.engine->is_local() && root && owns_binaries(state_->data, root->id);
    state_->disk_watch = std::make_unique<DiskWatch>(
        state_->data, state_->data / "uploads", reserve, services.engine->room_keeper(),
        may_hurry ? state_->blob_collector.get() : nullptr);
}

sdk::Result<void> Instance::start() {
    resource::Services& services = *state_->services;
    auto platforms = services.platforms.all();
    if (!platforms) return platforms.error();
    if (auto applied = resource::apply_declarations(services); !applied) return applied;
    for (const sdk::PlatformScope& platform : *platforms) {
        auto installed =
            resource::install_plugins(services, state_->installations, platform, {}, false);
        if (!installed) return installed;
    }
    give_teams(services);
    auto options = read_server_options(state_->settings);
    if (!options) return options.error();
    leave_descriptors(options->limits);
    options->upload_folder = state_->data / "uploads";
    options->upload_reserve = usable_reserve(options->upload_reserve, state_->data);
    auto pool = read_worker_options(state_->settings);
    if (!pool) return pool.error();
    // Work over the embedded store waits for little but processors.
    const std::size_t width = state_->services->engine->is_local()
                                  ? std::max(kLeastWidth, std::thread::hardware_concurrency())
                                  : 0;
    state_->workers = std::make_unique<job::WorkerPool>(job::WorkerPoolOptions{
        .threads = pool->threads, .queue_capacity = pool->queue, .width = width});
    auto patience = read_lock_patience(state_->settings);
    if (!patience) return patience.error();
    auto period = state_->settings.milliseconds("stores.statistics_period");
    if (!period) return period.error();
    state_->housekeeper =
        std::make_unique<resource::Housekeeper>(services, std::chrono::milliseconds(*period));
    auto collection = state_->settings.milliseconds("storage.collection_period");
    if (!collection) return collection.error();
    state_->blob_collector = std::make_unique<resource::BlobCollector>(
        *services.engine, services.binaries, services.keeping_blobs, services.blob_writers,
        std::chrono::milliseconds(*collection));
    make_watch(options->upload_reserve);
    state_->pipeline = std::make_unique<http::RequestPipeline>(
        services, *state_->workers, state_->service<sdk::Authenticator>(), *patience);
    state_->pipeline->add_readiness([watch = state_->disk_watch.get()] { return watch->status(); });
    state_->pipeline->add_metrics([watch = state_->disk_watch.get()] { return watch->metrics(); });
    state_->pipeline->add_metrics([&services] { return services.index_wishes.metrics(); });
    if (auto built = state_->pipeline->build_routes(); !built) return built;
    auto limits = read_rate_limits(state_->settings);
    if (!limits) return limits.error();
    state_->pipeline->set_origins(options->cors_origins);
    state_->pipeline->set_limits(std::move(*limits));
    if (auto set = set_times(*state_->pipeline, state_->settings); !set) return set;
    auto access_log = open_access_log(state_->settings);
    if (!access_log) return access_log.error();
    state_->access_log = std::move(*access_log);
    options->access_log = state_->access_log.get();
    if (options->access_log) add_access_log_metrics(*state_->pipeline, *options->access_log);
    auto intervals = read_usage_intervals(state_->settings);
    if (!intervals) return intervals.error();
    if (*intervals) options->usage = state_->usage.get();
    state_->server = std::make_unique<http::Server>(*options, *state_->pipeline, *state_->workers);
    add_connection_metrics(*state_->pipeline, *state_->server);
    if (auto started = start_plugins(); !started) return started;
    if (auto started = state_->server->start(); !started) return started;
    if (auto started = start_administration(); !started) return started;
    state_->audit_log->start([&services] { return services.platforms.all_open(); });
    state_->jobs->start_running();
    state_->housekeeper->start();
    state_->blob_collector->start();
    state_->disk_watch->start();
    if (*intervals) state_->usage->start(**intervals);
    return {};
}

std::string Instance::base_url() const {
    const bool is_tls = !state_->settings.text("server.tls_certificate_file").empty();
    return fmt::format("{}://{}:{}", is_tls ? "https" : "http",
                       state_->settings.text("server.host"), state_->server->port());
}

void Instance::renew() {
    if (state_->access_log) state_->access_log->reopen();
    if (auto renewed = state_->server->renew_certificate(); !renewed) {
        sdk::log(sdk::LogLevel::error, "instance",
                 "the certificate is the old one still: " + renewed.error().message);
        return;
    }
    sdk::log(sdk::LogLevel::info, "instance", "certificate and log files were opened anew");
}

void Instance::stop() {
    if (!state_->server) return;
    if (state_->administration) state_->administration->stop();
    state_->pipeline->set_draining();
    auto patience = state_->settings.milliseconds("server.drain_time");
    state_->server->drain(std::chrono::milliseconds(patience ? *patience : 0));
    state_->usage->stop();
    state_->housekeeper->stop();
    state_->disk_watch->stop();
    state_->blob_collector->stop();
    state_->jobs->stop();
    state_->workers->stop();
    state_->pipeline->wait_for_commits();
    // What was refused at last is written, too.
    state_->audit_log->stop();
    stop_plugins();
    state_->server.reset();
}

sdk::Result<void> Instance::start_plugins() {
    for (const resource::PluginStart& step : std::exchange(state_->services->starts, {})) {
        auto started = plugin::guarded<void>(step.plugin_id, "start", [&] {
            step.start();
            return sdk::Result<void>();
        });
        if (!started) return started;
    }
    return {};
}

void Instance::stop_plugins() {
    for (const resource::PluginStop& step : std::exchange(state_->services->stops, {})) {
        // The barrier logs what goes wrong; the others are stopped all the same.
        (void)plugin::guarded<void>(step.plugin_id, "stop", [&] {
            step.stop();
            return sdk::Result<void>();
        });
    }
}

std::vector<std::string> Instance::check() {
    std::vector<std::string> differences = resource::check_store(*state_->services);
    resource::check_binaries(state_->services->binaries, differences);
    for (const resource::PluginCheck& step : state_->services->checks) {
        auto checked = plugin::guarded<void>(step.plugin_id, "check", [&] {
            step.check(differences);
            return sdk::Result<void>();
        });
        if (!checked)
            differences.push_back(fmt::format("plugin {}: its check failed: {} [{}]",
                                              step.plugin_id, checked.error().message,
                                              checked.error().code));
    }
    return differences;
}

sdk::Result<std::uint64_t> Instance::count_removed() {
    return resource::count_removed(*state_->services->engine, state_->services->documents,
                                   state_->services->platforms);
}

sdk::Result<storage::UnusedBlobs> Instance::count_unused_blobs() {
    return resource::count_unused_blobs(*state_->services->engine, state_->services->binaries);
}

std::string Instance::describe_settings() const {
    std::string text;
    for (const auto& [key, info] : state_->settings.declared()) {
        text += fmt::format("# {}\n{} = {}\n\n", info.description, key, info.default_value);
    }
    return text;
}

}  // namespace stele::kernel::instance

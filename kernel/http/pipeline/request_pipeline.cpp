#include "kernel/http/pipeline/request_pipeline.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/message/upload_spool.hpp"
#include "kernel/job/worker_pool.hpp"

namespace stele::kernel::http {

namespace {

Method method_of(std::string_view name) {
    if (name == "GET") return Method::get;
    if (name == "POST") return Method::post;
    if (name == "PUT") return Method::put;
    if (name == "PATCH") return Method::patch;
    if (name == "DELETE") return Method::remove;
    return Method::other;
}

resource::Route kernel_route(const char* path, const char* operation, sdk::Shape answers) {
    resource::Route route;
    route.method = "GET";
    route.path = path;
    route.plugin_id = "kernel";
    route.operation = operation;
    route.is_open = true;
    route.answers = std::move(answers);
    return route;
}

sdk::Error duplicate_route(const resource::Route& route, const resource::Route& other) {
    return sdk::make_error(
        sdk::ErrorKind::conflict, "plugin.route_duplicate",
        fmt::format("plugin {}: the route {} {} belongs to plugin {} already ({})", route.plugin_id,
                    route.method, route.path, other.plugin_id, other.path));
}

void note_route(Exchange& exchange, const resource::Route& route) {
    static const std::string kRoot = "/";
    exchange.note_route(route.path.empty() ? kRoot : route.path);
}

}  // namespace

RequestPipeline::RequestPipeline(resource::Services& services, job::WorkerPool& workers,
                                 sdk::Authenticator* authenticator, LockPatience patience)
    : services_(services),
      workers_(workers),
      authenticator_(authenticator),
      lock_patience_(patience.time),
      lock_waits_(*services.engine, patience.waiters) {
    kernel_routes_ = {
        kernel_route("/healthz", "the process lives", sdk::shape::status()),
        kernel_route("/readyz", "the server takes requests", sdk::shape::status()),
        kernel_route("/metrics", "counters as Prometheus text", sdk::shape::bytes("text/plain")),
        kernel_route("/openapi.json", "every route of this server", sdk::shape::object())};
    metrics_.add_source([this] {
        return fmt::format(
            "# HELP stele_rate_limited_total Requests refused because their caller asks too "
            "often.\n"
            "# TYPE stele_rate_limited_total counter\nstele_rate_limited_total {}\n",
            refused_by_rate_.load(std::memory_order_relaxed));
    });
}

RequestPipeline::~RequestPipeline() = default;

sdk::Result<void> RequestPipeline::build_routes() {
    if (auto learned = learn_credential_parts(); !learned) return learned;
    for (const resource::Route& route : kernel_routes_)
        targets_.push_back(&route);
    for (const resource::Route& route : services_.registry.routes())
        targets_.push_back(&route);
    for (std::size_t i = 0; i < targets_.size(); ++i) {
        const resource::Route& route = *targets_[i];
        const Method method = method_of(route.method);
        const std::string path = route.path.empty() ? "/" : route.path;
        auto added = router_.add(method, path, static_cast<RouteTarget>(i));
        if (added) continue;
        if (added.error().kind != sdk::ErrorKind::conflict) return added;
        RouteMatch match;
        router_.find(method, path, match);
        const bool is_found = match.kind == RouteMatch::Kind::found;
        return duplicate_route(route, *targets_[is_found ? match.target : i]);
    }
    auto root = services_.platforms.root();
    if (!root) return root.error();
    sdk::Session session;
    session.platform = *root;
    session.principal.id = session.principal.name = "anonymous";
    anonymous_ = std::make_shared<const sdk::Session>(std::move(session));
    return {};
}

void RequestPipeline::handle(Exchange& exchange) {
    thread_local RouteMatch match;
    const resource::Route* route = find_route(exchange, match);
    if (!route) return;
    if (match.target < kernel_routes_.size()) {
        note_route(exchange, *route);
        return answer_kernel_route(exchange, *route);
    }
    const auto pending = take_up(exchange, *route, std::move(match.values));
    if (pending) begin(pending);
}

/// Null when the request was answered.
std::shared_ptr<PendingRequest> RequestPipeline::take_up(Exchange& exchange,
                                                         const resource::Route& route,
                                                         std::vector<std::string>&& values) {
    note_route(exchange, route);
    const Request& request = exchange.request();
    auto pending = std::make_shared<PendingRequest>();
    pending->started_ns = request.received_ns;
    pending->exchange = exchange.shared_from_this();
    // What is uploaded may be as large as a disk: its time is that of the disk.
    const auto end = route.has_streamed_body ? job::Budget::Clock::time_point::max()
                                             : job::Budget::Clock::now() + request_time_;
    pending->budget.emplace(end, exchange.is_abandoned(), query_time_);
    resource::RequestInput& input = pending->input;
    input.route = &route;
    input.values = std::move(values);
    input.raw_body = request.body;
    if (request.upload) {
        input.open_upload = [spool = request.upload] { return open_upload(spool); };
    }
    input.header = [&request](std::string_view name) { return request.header(name); };
    input.method = request.method_text;
    input.path = request.path;
    input.remote_address = request.remote_address;
    input.request_id = request.request_id;
    pending->enter(stages::kDecodeQuery);
    for (const std::string_view text : {request.path_parameters, request.query}) {
        if (text.empty()) continue;
        auto parameters = decode_query(text);
        if (!parameters) {
            fail(pending, parameters.error());
            return nullptr;
        }
        std::move(parameters->begin(), parameters->end(), std::back_inserter(input.parameters));
    }
    return pending;
}

}  // namespace stele::kernel::http

#include "kernel/instance/server_settings.hpp"

#include <algorithm>

#include "kernel/http/connection/client_address.hpp"
#include "kernel/http/message/message_rules.hpp"

namespace stele::kernel::instance {

namespace {

using Reading = sdk::Result<std::int64_t> (config::Settings::*)(std::string_view) const;

/// Reads numbers one after another and keeps the first failure.
class Numbers {
public:
    explicit Numbers(const config::Settings& settings) : settings_(settings) {}

    std::int64_t read(Reading reading, std::string_view key) {
        auto value = (settings_.*reading)(key);
        if (value) return *value;
        if (failure_) failure_ = value.error();
        return 0;
    }
    std::size_t size(Reading reading, std::string_view key) {
        return static_cast<std::size_t>(read(reading, key));
    }
    std::chrono::milliseconds time(std::string_view key) {
        return std::chrono::milliseconds(read(&config::Settings::milliseconds, key));
    }
    const sdk::Result<void>& failure() const { return failure_; }

private:
    const config::Settings& settings_;
    sdk::Result<void> failure_;
};

}  // namespace

namespace {

/// Checked at start: an origin that no browser would ever send looks like a broken server later.
sdk::Result<std::vector<std::string>> read_origins(const config::Settings& settings) {
    std::vector<std::string> origins;
    for (const std::string& text : settings.list("server.cors_origins")) {
        const auto origin = text == "*" ? std::optional(text) : http::normalized_origin(text);
        if (!origin) {
            return sdk::make_error(sdk::ErrorKind::invalid, "config.value_invalid",
                                   "server.cors_origins: '" + text +
                                       "' is no origin; one looks like https://app.example.com");
        }
        origins.push_back(*origin);
    }
    return origins;
}

sdk::Result<std::vector<std::string>> read_proxies(const config::Settings& settings) {
    std::vector<std::string> proxies = settings.list("server.trusted_proxies");
    for (const std::string& proxy : proxies) {
        if (http::is_ip_address(proxy)) continue;
        return sdk::make_error(sdk::ErrorKind::invalid, "config.value_invalid",
                               "server.trusted_proxies: '" + proxy + "' is no IP address");
    }
    return proxies;
}

}  // namespace

sdk::Result<http::ServerOptions> read_server_options(const config::Settings& settings) {
    constexpr Reading kInteger = &config::Settings::integer;
    constexpr Reading kBytes = &config::Settings::bytes;
    Numbers numbers(settings);
    http::ServerOptions options;
    options.host = settings.text("server.host");
    options.port = static_cast<std::uint16_t>(numbers.read(kInteger, "server.port"));
    options.threads = static_cast<int>(numbers.read(kInteger, "server.threads"));
    options.tls_certificate_file = settings.text("server.tls_certificate_file");
    options.tls_key_file = settings.text("server.tls_key_file");
    options.hsts_time =
        std::chrono::duration_cast<std::chrono::seconds>(numbers.time("server.hsts_time"));
    auto origins = read_origins(settings);
    if (!origins) return origins.error();
    options.cors_origins = std::move(*origins);
    auto proxies = read_proxies(settings);
    if (!proxies) return proxies.error();
    options.trusted_proxies = std::move(*proxies);
    options.limits.header_bytes = numbers.size(kBytes, "server.header_bytes");
    options.limits.body_bytes = numbers.size(kBytes, "server.body_bytes");
    options.limits.upload_bytes = numbers.size(kBytes, "server.upload_bytes");
    options.limits.upload_rate = numbers.size(kBytes, "server.upload_rate");
    options.upload_reserve = numbers.size(kBytes, "storage.reserve");
    options.limits.header_time = numbers.time("server.header_time");
    options.limits.body_time = numbers.time("server.body_time");
    options.limits.idle_time = numbers.time("server.idle_time");
    options.limits.write_time = numbers.time("server.write_time");
    options.limits.connections = numbers.size(kInteger, "server.connections");
    const std::size_t of_one = numbers.size(kInteger, "server.connections_per_address");
    options.limits.connections_per_address =
        of_one > 0 ? of_one : std::max<std::size_t>(options.limits.connections / 2, 1);
    options.limits.body_memory = numbers.size(kBytes, "server.body_memory");
    const std::size_t share = numbers.size(kBytes, "server.body_memory_per_address");
    options.limits.body_memory_per_address = share > 0 ? share : options.limits.body_memory / 2;
    options.limits.body_wait = numbers.time("server.busy_wait");
    if (const auto& failure = numbers.failure(); !failure) return failure.error();
    return options;
}

sdk::Result<WorkerOptions> read_worker_options(const config::Settings& settings) {
    Numbers numbers(settings);
    WorkerOptions options;
    options.threads = numbers.size(&config::Settings::integer, "workers.threads");
    options.queue = numbers.size(&config::Settings::integer, "workers.queue");
    if (const auto& failure = numbers.failure(); !failure) return failure.error();
    return options;
}

sdk::Result<http::LockPatience> read_lock_patience(const config::Settings& settings) {
    Numbers numbers(settings);
    http::LockPatience patience;
    patience.time = numbers.time("stores.lock_wait");
    patience.waiters = numbers.size(&config::Settings::integer, "stores.lock_waiters");
    if (const auto& failure = numbers.failure(); !failure) return failure.error();
    return patience;
}

sdk::Result<http::AccessLog::Options> read_access_log_options(const config::Settings& settings) {
    Numbers numbers(settings);
    http::AccessLog::Options options;
    options.target = settings.text("log.access");
    options.lane_bytes = numbers.size(&config::Settings::bytes, "log.access_buffer");
    if (const auto& failure = numbers.failure(); !failure) return failure.error();
    return options;
}

sdk::Result<audit::AuditLogOptions> read_audit_log_options(const config::Settings& settings) {
    auto is_enabled = settings.boolean("audit.enabled");
    if (!is_enabled) return is_enabled.error();
    auto retention = settings.milliseconds("audit.retention");
    if (!retention) return retention.error();
    return audit::AuditLogOptions{*is_enabled, std::chrono::milliseconds(*retention)};
}

sdk::Result<http::RateLimits> read_rate_limits(const config::Settings& settings) {
    constexpr Reading kInteger = &config::Settings::integer;
    constexpr double kMinute = 60;
    Numbers numbers(settings);
    const std::size_t callers = numbers.size(kInteger, "limits.callers");
    const auto limiter = [callers](double per_second, std::int64_t burst) {
        if (per_second <= 0) return std::unique_ptr<http::RateLimiter>();
        return std::make_unique<http::RateLimiter>(http::Rate{per_second, burst}, callers);
    };
    const auto requests = static_cast<double>(numbers.read(kInteger, "limits.requests_per_second"));
    const auto logins =
        static_cast<double>(numbers.read(kInteger, "limits.login_failures_per_minute"));
    http::RateLimits limits;
    limits.requests = limiter(requests, numbers.read(kInteger, "limits.request_burst"));
    limits.logins = limiter(logins / kMinute, numbers.read(kInteger, "limits.login_failure_burst"));
    if (const auto& failure = numbers.failure(); !failure) return failure.error();
    return limits;
}

sdk::Result<std::optional<resource::UsageCounter::Intervals>> read_usage_intervals(
    const config::Settings& settings) {
    auto is_enabled = settings.boolean("usage.enabled");
    if (!is_enabled) return is_enabled.error();
    if (!*is_enabled) return std::optional<resource::UsageCounter::Intervals>();
    Numbers numbers(settings);
    resource::UsageCounter::Intervals intervals{};
    intervals.write = numbers.time("usage.write_interval");
    intervals.look = numbers.time("usage.look_interval");
    if (const auto& failure = numbers.failure(); !failure) return failure.error();
    return std::optional(intervals);
}

sdk::Result<job::JobRunnerOptions> read_job_options(const config::Settings& settings) {
    Numbers numbers(settings);
    job::JobRunnerOptions options;
    options.threads = numbers.size(&config::Settings::integer, "jobs.threads");
    options.nice = static_cast<int>(numbers.size(&config::Settings::integer, "jobs.nice"));
    options.lease = numbers.time("jobs.lease");
    options.retention = numbers.time("jobs.retention");
    if (const auto& failure = numbers.failure(); !failure) return failure.error();
    return options;
}

}  // namespace stele::kernel::instance

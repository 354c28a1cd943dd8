#include "kernel/http/server_settings.hpp"

namespace stele::kernel::http {

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

std::vector<std::string> split_list(const std::string& text) {
    std::vector<std::string> items;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::size_t first = text.find_first_not_of(' ', begin);
        const std::size_t last = text.find_last_not_of(' ', end - 1);
        if (first < end) items.push_back(text.substr(first, last - first + 1));
        begin = end + 1;
    }
    return items;
}

}  // namespace

sdk::Result<ServerOptions> read_server_options(const config::Settings& settings) {
    constexpr Reading kInteger = &config::Settings::integer;
    constexpr Reading kBytes = &config::Settings::bytes;
    Numbers numbers(settings);
    ServerOptions options;
    options.host = settings.text("server.host");
    options.port = static_cast<std::uint16_t>(numbers.read(kInteger, "server.port"));
    options.threads = static_cast<int>(numbers.read(kInteger, "server.threads"));
    options.tls_certificate_file = settings.text("server.tls_certificate_file");
    options.tls_key_file = settings.text("server.tls_key_file");
    options.cors_origins = split_list(settings.text("server.cors_origins"));
    options.limits.header_bytes = numbers.size(kBytes, "server.header_bytes");
    options.limits.body_bytes = numbers.size(kBytes, "server.body_bytes");
    options.limits.header_time = numbers.time("server.header_time");
    options.limits.body_time = numbers.time("server.body_time");
    options.limits.idle_time = numbers.time("server.idle_time");
    options.limits.write_time = numbers.time("server.write_time");
    options.limits.connections = numbers.size(kInteger, "server.connections");
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

sdk::Result<LockPatience> read_lock_patience(const config::Settings& settings) {
    Numbers numbers(settings);
    LockPatience patience;
    patience.time = numbers.time("stores.lock_wait");
    patience.waiters = numbers.size(&config::Settings::integer, "stores.lock_waiters");
    if (const auto& failure = numbers.failure(); !failure) return failure.error();
    return patience;
}

sdk::Result<job::JobRunnerOptions> read_job_options(const config::Settings& settings) {
    Numbers numbers(settings);
    job::JobRunnerOptions options;
    options.threads = numbers.size(&config::Settings::integer, "jobs.threads");
    options.lease = numbers.time("jobs.lease");
    options.retention = numbers.time("jobs.retention");
    if (const auto& failure = numbers.failure(); !failure) return failure.error();
    return options;
}

}  // namespace stele::kernel::http

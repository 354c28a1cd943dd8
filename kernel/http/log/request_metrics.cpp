#include "kernel/http/log/request_metrics.hpp"

#include <chrono>

#include <fmt/format.h>

#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::http {

std::int64_t steady_now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void RequestMetrics::count(int status, std::int64_t nanoseconds) {
    const auto index = static_cast<std::size_t>(status);
    if (index < by_status_.size()) by_status_[index].fetch_add(1, std::memory_order_relaxed);
    requests_.fetch_add(1, std::memory_order_relaxed);
    nanoseconds_.fetch_add(static_cast<std::uint64_t>(nanoseconds), std::memory_order_relaxed);
}

std::string RequestMetrics::text() const {
    std::string text =
        "# HELP stele_requests_total Answered requests by status.\n"
        "# TYPE stele_requests_total counter\n";
    for (std::size_t status = 0; status < by_status_.size(); ++status) {
        const std::uint64_t count = by_status_[status].load(std::memory_order_relaxed);
        if (count == 0) continue;
        text += fmt::format("stele_requests_total{{status=\"{}\"}} {}\n", status, count);
    }
    text += fmt::format(
        "# HELP stele_request_seconds Time from the routed request to its answer.\n"
        "# TYPE stele_request_seconds summary\n"
        "stele_request_seconds_sum {:.6f}\nstele_request_seconds_count {}\n",
        static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)) / 1e9,
        requests_.load(std::memory_order_relaxed));
    text += fmt::format(
        "# HELP stele_plugin_exceptions_total Exceptions that escaped from plugins.\n"
        "# TYPE stele_plugin_exceptions_total counter\n"
        "stele_plugin_exceptions_total {}\n",
        plugin::escaped_count());
    for (const auto& source : sources_)
        text += source();
    return text;
}

}  // namespace stele::kernel::http

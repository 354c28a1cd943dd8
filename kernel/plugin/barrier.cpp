#include <atomic>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include <stele/sdk/log.hpp>

#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::plugin {

namespace {

std::atomic<std::uint64_t> escaped_exceptions{0};

std::string current_exception_text() {
    try {
        throw;
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "an exception of unknown type";
    }
}

}  // namespace

sdk::Error escaped(const std::string& plugin_id, std::string_view operation) {
    escaped_exceptions.fetch_add(1, std::memory_order_relaxed);
    std::string text = current_exception_text();
    sdk::log(sdk::LogLevel::error, plugin_id,
             fmt::format("an exception escaped in {}: {}", operation, text));
    return sdk::make_error(sdk::ErrorKind::internal, "plugin.threw",
                           "the operation failed because of a fault in the server",
                           std::move(text));
}

std::uint64_t escaped_count() {
    return escaped_exceptions.load(std::memory_order_relaxed);
}

}  // namespace stele::kernel::plugin

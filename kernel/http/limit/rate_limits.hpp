#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kernel/http/limit/rate_limiter.hpp"

namespace stele::sdk {
struct Session;
}

namespace stele::kernel::http {

struct Request;

/// How often callers may ask (settings `limits.*`). A caller is a principal, or an address while
/// it is not known who asks.
struct RateLimits {
    /// Every request; null: no limit.
    std::unique_ptr<RateLimiter> requests;
    /// Failures where callers prove who they are, by address; null: no limit.
    std::unique_ptr<RateLimiter> logins;
};

/// Who asks, as limits count it: the principal, or the address while nobody knows.
std::string caller_of(const Request& request, const sdk::Session* session);

/// Whose turn it is, where workers are shared: the principal at its address, so that those who
/// share a principal, as guests do, do not stand in each other's way.
std::string sharer_of(const Request& request, const sdk::Session* session);

/// What an address is limited as: an IPv6 caller has a whole /64 of them.
std::string caller_of_address(std::string_view address);

}  // namespace stele::kernel::http

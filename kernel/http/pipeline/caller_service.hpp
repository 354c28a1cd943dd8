#pragma once

#include <stele/sdk/services/callers.hpp>

#include "kernel/http/limit/rate_limits.hpp"
#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::http {

class CallerService final : public sdk::Callers {
public:
    /// Only routes lead to plugins' handlers, and their calls are the kernel's own.
    std::string network(const sdk::Call& call) const override {
        const auto& routed = static_cast<const resource::RoutedCall&>(call);
        return caller_of_address(routed.input().remote_address);
    }
};

}  // namespace stele::kernel::http

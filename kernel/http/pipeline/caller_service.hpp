#pragma once

#include <stele/sdk/services/callers.hpp>

#include "kernel/http/limit/rate_limits.hpp"
#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::http {

class CallerService final : public sdk::Callers {
public:
    std::string network(const sdk::Call& call) const override {
        return caller_of_address(resource::RoutedCall::of(call).input().remote_address);
    }
};

}  // namespace stele::kernel::http

#pragma once

#include <string>
#include <vector>

#include <stele/sdk/descriptor.hpp>

#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// What a capability adds to a family.
struct KernelAction {
    std::string name;
    std::string method;
    sdk::Permission permission;
    sdk::Result<sdk::Reply> (*run)(const RoutedCall&);
    std::vector<sdk::Parameter> parameters = {};
    bool is_paged = false;
    bool is_slow = false;
    bool has_streamed_body = false;
    sdk::BodyUse body = sdk::BodyUse::parameters;
    bool has_own_tag = false;
    bool is_urgent = false;
};

inline sdk::Action action_of(KernelAction action) {
    return {.name = std::move(action.name),
            .method = std::move(action.method),
            .permission = action.permission,
            // Only routes lead here, and their calls are the kernel's own.
            .run = [run = action.run](
                       sdk::Resource&,
                       const sdk::Call& call) { return run(static_cast<const RoutedCall&>(call)); },
            .parameters = std::move(action.parameters),
            .paged = action.is_paged,
            .slow = action.is_slow,
            .streamed_body = action.has_streamed_body,
            .body = action.body,
            .has_own_tag = action.has_own_tag,
            .urgent = action.is_urgent};
}

}  // namespace stele::kernel::resource

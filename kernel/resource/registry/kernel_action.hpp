#pragma once

#include <string>
#include <vector>

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::resource {

class RoutedCall;

/// What a capability adds to a family.
struct KernelAction {
    std::string name;
    std::string method;
    sdk::Permission permission;
    sdk::Result<sdk::Reply> (*run)(const RoutedCall&);
    sdk::Shape answers;
    std::vector<sdk::Parameter> parameters = {};
    bool is_paged = false;
    bool is_slow = false;
    bool has_streamed_body = false;
    sdk::BodyUse body = sdk::BodyUse::parameters;
    bool has_own_tag = false;
    bool is_urgent = false;
    sdk::Shape takes = {};
};

using KernelActions = std::vector<KernelAction>;

/// The same by POST below a word (`/update`), for clients that send nothing else.
inline KernelAction by_post(KernelAction action, const char* word) {
    action.name += word;
    action.method = "POST";
    return action;
}

}  // namespace stele::kernel::resource

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <stele/sdk/descriptor.hpp>

#include "kernel/resource/registry/route.hpp"

namespace stele::kernel::resource {

/// A standard operation (docs/specification/interface.md 5.2), said once: its routes, the rights
/// that it needs, what runs it and its place in the OpenAPI document all follow from its row.
struct StandardOperation {
    const char* title;
    const char* method;
    sdk::ActionScope scope;
    /// Below the collection, or below the record.
    const char* path;
    /// Families that switch this off have no such route.
    bool sdk::Operations::*offered;
    /// Needed on the record; of a collection, on the record around it.
    sdk::Permission sdk::OperationPermissions::*permission;
    sdk::Result<sdk::Reply> (*run)(RoutedCall&);
    /// What it answers, for records of a type.
    sdk::Shape (*answers)(std::string_view type);
    struct Traits {
        std::vector<sdk::Parameter> parameters = {};
        sdk::BodyUse body = sdk::BodyUse::parameters;
        bool paged = false;
        bool slow = false;
        /// Goes on when the disk is full.
        bool urgent = false;
        /// Also below the record around the collection, where the family wants it there.
        bool bulk_check = false;
        /// What it takes, for records of a type; null: parameters alone.
        sdk::Shape (*takes)(std::string_view type) = nullptr;
    } traits = {};

    bool transfers() const { return offered == &sdk::Operations::transfer; }
    bool is_item() const { return scope == sdk::ActionScope::item; }
    bool removes() const { return offered == &sdk::Operations::remove; }
    bool queries() const { return traits.body == sdk::BodyUse::condition; }
    /// Makes, changes or removes the record itself.
    bool writes_record() const { return traits.body == sdk::BodyUse::record; }
    /// The body is the family's record.
    bool takes_record() const { return writes_record() && !removes(); }
};

/// In the order of their routes.
std::span<const StandardOperation> standard_operations();

}  // namespace stele::kernel::resource

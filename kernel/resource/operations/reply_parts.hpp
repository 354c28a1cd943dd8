#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/reply.hpp>

#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// What a caller wants left out of replies, whatever the operation: with `full=false` everything of
/// a record but its id, with `metadata=false` the member `_system`. Of the query string only.
struct ReplyParts {
    bool is_bare = false;
    bool has_no_system = false;

    static ReplyParts of(const RoutedCall& call);
    bool is_whole() const { return !is_bare && !has_no_system; }
    /// Adds to a query that only asks for whole rows what leaves the same out of them. Whether it
    /// did.
    bool project(sdk::Json& query) const;
    /// A row of a list without what is left out.
    sdk::Result<std::string> row(std::string_view text) const;
};

/// Leaves it out of a reply that is no stream; those see to it themselves.
sdk::Result<void> trim_reply(const RoutedCall& call, sdk::Reply& reply);

}  // namespace stele::kernel::resource

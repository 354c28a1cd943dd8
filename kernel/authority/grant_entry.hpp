#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::kernel::authority {

/// What is stored of a grant, beside record, principal and folded role key in its key.
struct GrantEntry {
    bool is_deep = false;
    /// Whoever gave it had the role on what the container's contents came from as well, so that it
    /// reaches that, too.
    bool is_whole = false;
    /// Stays the same as long as the grant exists.
    std::string id;
    /// In the spelling of its definition.
    std::string role_key;

    std::string encode() const;
    static sdk::Result<GrantEntry> decode(std::string_view value);
    /// A grant with a new id.
    static GrantEntry make(std::string role_key, bool is_deep);
};

}  // namespace stele::kernel::authority

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// A form of a definition.
struct AttachedForm {
    /// The `a:has_form`, which tells the key.
    sdk::Document association;
    sdk::Document form;

    std::string key() const;
};

/// The forms of a definition, oldest first, that whoever acts may READ.
sdk::Result<std::vector<AttachedForm>> forms_at(const BranchContent& content,
                                                std::string_view definition);
/// A Result map of the associations.
sdk::Result<sdk::Reply> page_of_forms(Services& services, const sdk::Call& call,
                                      const std::vector<AttachedForm>& forms);
/// The first form of a key, or of an id; `not_found` (`nodes.branch_form_unknown`).
sdk::Result<sdk::Reply> form_of(const std::vector<AttachedForm>& forms, std::string_view key_or_id);

}  // namespace stele::nodes

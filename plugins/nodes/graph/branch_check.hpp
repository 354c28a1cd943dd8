#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// What does not fit in a branch's content.
struct ContentFault {
    std::string node;
    std::string code;
    std::string message;
    bool is_repaired = false;
};

struct CheckPlan {
    /// The ends of associations, what nodes know of theirs, and, with `repairs`, index entries.
    bool has_associations = true;
    /// The names under which folders find their members.
    bool has_paths = true;
    /// Where the branch validates: what fits no definition. Never repaired.
    bool has_schemas = true;
    bool repairs = false;

    static CheckPlan read(const sdk::Json& json);
    sdk::Json json() const;
};

/// What is wrong with one node or association, and with what is kept about it.
sdk::Result<std::vector<ContentFault>> check_record(const BranchContent& content,
                                                    const CheckPlan& plan,
                                                    const sdk::Document& record);

}  // namespace stele::nodes

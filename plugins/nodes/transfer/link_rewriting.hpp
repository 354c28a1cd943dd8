#pragma once

#include <string>

#include <stele/sdk/json.hpp>

#include "transfer/import_state.hpp"

namespace stele::nodes {

/// Makes what an item says lead to what stands for the others here
/// (docs/reference/nodes_transfer.md): objects that name a node, ids among the configurations of
/// features, and whole texts that are to be substituted. Free text stays as it is.
class LinkRewriting {
public:
    static sdk::Result<LinkRewriting> open(ImportState& state);

    /// Whether everything that the fields name is there by now; what is not stays as it is, to be
    /// rewritten again. What neither comes nor is here goes.
    sdk::Result<bool> rewrite(const std::string& item, sdk::Json& fields);

private:
    LinkRewriting(ImportState& state, std::string address)
        : state_(state), address_(std::move(address)) {}

    /// Whether the value stays.
    sdk::Result<bool> visit(sdk::Json& value, bool is_feature);
    sdk::Result<void> visit_members(sdk::Json& object, bool is_feature);
    sdk::Result<void> visit_elements(sdk::Json& array, bool is_feature);
    sdk::Result<void> visit_text(sdk::Json& text, bool is_feature);
    sdk::Result<bool> point(sdk::Json& link);

    ImportState& state_;
    /// What stands before its id in the reference of a node here.
    std::string address_;
    std::string item_;
    bool is_complete_ = true;
};

}  // namespace stele::nodes

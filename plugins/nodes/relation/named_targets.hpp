#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include <stele/sdk/json.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// The nodes that one write names: each is read once, however often it is named, because it may be
/// large. Lives within the write.
class NamedTargets {
public:
    explicit NamedTargets(const BranchContent& content) : content_(content) {}

    const BranchContent& content() const { return content_; }

    struct Target {
        std::string title;
        std::string qname;
        std::string type;
    };
    /// By id, and by no other name; null where whoever acts may not READ it, too, and for an
    /// association.
    sdk::Result<const Target*> find(const std::string& id);
    /// Whether a target may be named where `wanted` is asked for: its type is that, or extends it.
    sdk::Result<bool> is_of(const Target& target, const std::string& wanted);
    /// Makes an element say what the server tells of its node. False when the write, or all of the
    /// operation, would be told too much: titles may be long.
    sdk::Result<bool> tell(const std::string& id, const Target& target, sdk::Json& element);

private:
    /// What a definition extends; null where there is no definition of the name.
    sdk::Result<const std::string*> parent_of(const std::string& type);
    sdk::Result<bool> extends(const std::string& type, const std::string& wanted);

    const BranchContent& content_;
    std::unordered_map<std::string, std::optional<Target>> known_;
    /// By type and what is asked for: what that extends is not looked up for each node.
    std::unordered_map<std::string, bool> fitting_;
    /// Definitions may be large, and those of many types extend the same.
    std::unordered_map<std::string, std::optional<std::string>> parents_;
    std::string address_;
    std::size_t told_ = 0;
};

/// What stands before its id in the reference of a node of the branch.
sdk::Result<std::string> node_address(const BranchContent& content);

}  // namespace stele::nodes

#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// What a tree shows (docs/specification/nodes.md 17).
struct TreeWish {
    static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

    /// Replies are nested no deeper.
    static constexpr std::size_t kMaxLevels = 100;

    std::size_t depth = 1;
    bool containers_only = false;
    bool with_properties = false;
    bool with_object = false;
    /// Paths below the node that the tree was asked of, shown and opened however deep.
    std::vector<std::string> leaves;
};

/// A node in its place in a tree; one that lies in several folders has several.
struct TreePlace {
    sdk::Document node;
    std::string path;
    std::size_t parent = 0;
    std::size_t depth = 0;
    /// Places of the members that are readable, in the order of their associations.
    std::vector<std::size_t> members;
    /// Members were looked for.
    bool is_open = false;
    /// It fits what was asked for, or leads to what does.
    bool is_wanted = true;
};

/// The members of folders below a node that whoever acts may READ, level by level, to one level
/// below what is shown (for the counts of children), and to the end where a filter must know what a
/// folder leads to. A folder in itself is left out. One thread; the content outlives it.
class NodeTree {
public:
    /// `address` has the ids of repository and branch; `start` is the node that the tree was asked
    /// of.
    NodeTree(const BranchContent& content, TreeWish wish, sdk::Json address, std::string start)
        : content_(content),
          wish_(std::move(wish)),
          address_(std::move(address)),
          start_(std::move(start)) {}

    /// `most` bounds the number of places.
    sdk::Result<void> gather(sdk::Document top, std::string path, bool is_whole, std::size_t most);
    /// What kept it from seeing everything: a number of places (`nodes`) or of levels (`levels`);
    /// empty when nothing did.
    const std::string& bound() const { return bound_; }

    const std::vector<TreePlace>& places() const { return places_; }
    /// Leaves out what neither fits nor leads to what does. A folder that was not opened stays.
    void keep_leading_to(const std::set<std::string>& fitting);

    /// The element of the top, with what is shown below it.
    sdk::Json element() const { return element_of(0); }

private:
    bool is_on_leaf_path(const std::string& path) const;
    bool is_shown_open(const TreePlace& place) const;
    bool is_above(std::size_t place, const std::string& node) const;
    sdk::Result<void> open(std::size_t at, std::size_t most);
    sdk::Json describe(const TreePlace& place) const;
    sdk::Json element_of(std::size_t at) const;

    const BranchContent& content_;
    TreeWish wish_;
    sdk::Json address_;
    std::string start_;
    std::vector<TreePlace> places_;
    std::string bound_;
    bool is_full_ = false;
};

}  // namespace stele::nodes

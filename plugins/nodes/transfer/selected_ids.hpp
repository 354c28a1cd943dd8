#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <stele/sdk/text_table.hpp>

#include "branch/graph.hpp"

namespace stele::nodes {

/// Ids of nodes in their order, in ten bytes of each: there may be millions. Any thread.
class SelectedIds {
public:
    /// The keys of the table.
    static sdk::Result<SelectedIds> of(const sdk::TextTable& ids);

    std::size_t size() const { return ids_.size() + others_.size(); }
    bool contains(const std::string& id) const;
    sdk::Result<void> for_each(
        const std::function<sdk::Result<void>(const std::string& id)>& visit) const;

private:
    using Bytes = std::array<char, kIdBytes>;

    std::vector<Bytes> ids_;
    /// What no server has made; they come last.
    std::set<std::string> others_;
};

}  // namespace stele::nodes

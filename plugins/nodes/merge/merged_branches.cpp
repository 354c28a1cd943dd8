#include "merge/merged_branches.hpp"

#include <map>
#include <vector>

#include <stele/sdk/key_tuple.hpp>

namespace stele::nodes {

namespace {

sdk::Result<void> add_lines(const sdk::Reader& store, const std::string& rows,
                            std::set<Line>& lines) {
    const auto cursor = store.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        lines.insert(read_number(cursor->key().substr(rows.size())));
    return cursor->status();
}

}  // namespace

sdk::Result<std::set<sdk::RecordKey>> merged_branches(const BranchContent& content,
                                                      MergeDirection direction) {
    const sdk::Reader& store = content.context().transaction();
    const BranchStore& branches = content.services().branches;
    const VersionSpace space = branches.space(content.place());
    // A branch has another line after a reset, and after much was loaded into it.
    std::map<Line, sdk::RecordKey> owners;
    auto walked = branches.for_each_line(store, content.place(),
                                         [&](Line line, const sdk::RecordKey& branch) {
                                             owners.emplace(line, branch);
                                             return true;
                                         });
    if (!walked) return walked.error();
    std::set<Line> lines;
    for (const auto& [line, branch] : owners) {
        if (branch != content.branch()) continue;
        if (direction != MergeDirection::outgoing) {
            if (auto added = add_lines(store, space.incoming_merges(line), lines); !added)
                return added.error();
        }
        if (direction != MergeDirection::incoming) {
            if (auto added = add_lines(store, space.outgoing_merges(line), lines); !added)
                return added.error();
        }
    }
    std::set<sdk::RecordKey> found;
    for (const Line line : lines) {
        const auto owner = owners.find(line);
        if (owner != owners.end() && owner->second != content.branch()) found.insert(owner->second);
    }
    return found;
}

}  // namespace stele::nodes

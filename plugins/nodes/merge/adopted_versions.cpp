#include "merge/adopted_versions.hpp"

#include <stele/sdk/key_tuple.hpp>

#include "branch/graph.hpp"
#include "version/collection_keys.hpp"

namespace stele::nodes {

namespace {

constexpr char kAdoptedTag = 'A';

std::string rows_of(std::string_view id) {
    return std::string{kGraphSlot, kAdoptedTag} + id_bytes(id);
}

}  // namespace

sdk::Result<bool> has_adopted(const sdk::Reader& content) {
    const std::string rows{kGraphSlot, kAdoptedTag};
    const auto cursor = content.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    if (auto status = cursor->status(); !status) return status.error();
    return cursor->is_valid();
}

sdk::Result<std::vector<AncestryPoint>> adopted_versions(const sdk::Reader& content,
                                                         std::string_view id) {
    std::vector<AncestryPoint> found;
    const std::string rows = rows_of(id);
    const auto cursor = content.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const std::string_view line = cursor->key().substr(rows.size());
        if (line.size() != kNumberBytes || cursor->value().size() != kNumberBytes) {
            return sdk::make_error(sdk::ErrorKind::internal, "nodes.merge_row_broken",
                                   "what is kept about a merge is damaged");
        }
        found.push_back(AncestryPoint{read_number(line), read_number(cursor->value())});
    }
    if (auto status = cursor->status(); !status) return status.error();
    return found;
}

void put_adopted(sdk::Transaction& content, std::string_view id, const AncestryPoint& changeset) {
    std::string key = rows_of(id);
    append_number(key, changeset.line);
    std::string revision;
    append_number(revision, changeset.revision);
    content.put(key, revision);
}

}  // namespace stele::nodes

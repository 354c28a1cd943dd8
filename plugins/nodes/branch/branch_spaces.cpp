#include <stele/sdk/key_tuple.hpp>

#include "branch/branch_store.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kMaxForgotten = 500;

}  // namespace

std::string space_row(const sdk::ContentSpace& space) {
    return sdk::KeyWriter(sdk::plugin_key_space(0, kAllSpaces))
        .integer(space.platform)
        .integer(space.repository)
        .key();
}

sdk::Result<std::vector<sdk::ContentSpace>> BranchStore::spaces(const sdk::Reader& reader) const {
    std::vector<sdk::ContentSpace> found;
    const std::string prefix = sdk::plugin_key_space(0, kAllSpaces);
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        sdk::KeyReader key(cursor->key().substr(prefix.size()));
        const auto platform = key.integer();
        const auto repository = key.integer();
        if (platform && repository) found.push_back({*platform, *repository});
    }
    if (auto status = cursor->status(); !status) return status.error();
    return found;
}

sdk::Result<bool> BranchStore::has_space(const sdk::Reader& reader,
                                         const sdk::ContentSpace& space) const {
    auto row = reader.get(space_row(space));
    if (!row) return row.error();
    return row->has_value();
}

sdk::Result<bool> BranchStore::forget_platform(sdk::Transaction& transaction,
                                               std::uint64_t platform) const {
    const std::string prefix =
        sdk::KeyWriter(sdk::plugin_key_space(0, kAllSpaces)).integer(platform).key();
    std::vector<std::string> rows;
    {
        const auto cursor =
            transaction.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid() && rows.size() < kMaxForgotten; cursor->next())
            rows.emplace_back(cursor->key());
        if (auto status = cursor->status(); !status) return status.error();
    }
    for (const std::string& row : rows)
        transaction.remove(row);
    return rows.size() < kMaxForgotten;
}

}  // namespace stele::nodes

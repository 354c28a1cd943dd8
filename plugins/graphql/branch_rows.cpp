#include "branch_rows.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "limits.hpp"
#include "values.hpp"

namespace stele::graphql {

namespace {

constexpr std::uint64_t kFirstBatch = 20;
constexpr std::uint64_t kBatch = 1000;
constexpr std::uint64_t kBatchBytes = 8 * 1024 * 1024;

/// As many as are wanted, if the caller may READ each.
std::uint64_t first_batch(std::uint64_t skip, std::int64_t limit) {
    const auto wanted = static_cast<std::uint64_t>(limit);
    return skip < kFirstBatch ? std::clamp<std::uint64_t>(skip + wanted, 1, kFirstBatch)
                              : kFirstBatch;
}

sdk::Json with_condition(sdk::Json query, const char* member, sdk::Json condition) {
    const sdk::Json added = {{member, std::move(condition)}};
    if (!query.contains(member)) {
        query.update(added);
        return query;
    }
    return {{"$and", sdk::Json::array({added, std::move(query)})}};
}

void cut(std::vector<sdk::Json>& rows, std::uint64_t skip, std::int64_t limit) {
    const auto begin = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(skip, rows.size()));
    rows.erase(rows.begin(), rows.begin() + begin);
    if (limit >= 0 && rows.size() > static_cast<std::uint64_t>(limit))
        rows.resize(static_cast<std::size_t>(limit));
}

}  // namespace

BranchRows::BranchRows(sdk::Context& context, sdk::RecordKey branch, sdk::NodeSearch* search)
    : context_(context), nodes_{"node", {}, std::move(branch)}, search_(search) {}

sdk::Result<std::vector<sdk::Json>> BranchRows::type_definitions() {
    sdk::PageRequest page;
    page.limit = static_cast<std::int64_t>(kMaxDefinitions) + 1;
    auto found = context_.documents().query(nodes_, {{"_type", "d:type"}}, page);
    if (!found) return found.error();
    std::vector<sdk::Json> definitions;
    for (sdk::Document& definition : found->rows) {
        auto may = sdk::holds(context_, definition.key, sdk::Permission::read);
        if (!may) return may.error();
        if (*may) definitions.push_back(std::move(definition.fields));
    }
    return definitions;
}

sdk::Result<std::vector<sdk::Json>> BranchRows::rows(const RowsWanted& wanted) {
    if (!wanted.search.is_null()) return found(wanted);
    return readable(with_condition(wanted.query, "_type", wanted.type), wanted.sort, wanted.skip,
                    wanted.limit);
}

sdk::Result<std::vector<sdk::Json>> BranchRows::readable(const sdk::Json& query,
                                                         const std::vector<sdk::SortKey>& sort,
                                                         std::uint64_t skip, std::int64_t limit) {
    std::vector<sdk::Json> rows;
    std::uint64_t skipped = 0;
    const auto is_full = [&] {
        return limit >= 0 && rows.size() == static_cast<std::uint64_t>(limit);
    };
    sdk::PageRequest page;
    page.sort = sort;
    std::uint64_t size = limit < 0 ? kFirstBatch : first_batch(skip, limit);
    while (true) {
        page.limit = static_cast<std::int64_t>(std::min(size, remaining()));
        auto batch = context_.documents().query(nodes_, query, page);
        if (!batch) return batch.error();
        page.skip += batch->rows.size();
        size = next_batch(batch->rows);
        for (sdk::Document& node : batch->rows) {
            if (is_full()) return rows;
            auto may = sdk::holds(context_, node.key, sdk::Permission::read);
            if (!may) return may.error();
            if (!*may) continue;
            if (skipped == skip) {
                rows.push_back(std::move(node.fields));
            } else {
                ++skipped;
            }
        }
        if (is_full() || page.skip >= batch->total_rows) return rows;
        if (remaining() == 0) bound_ = looked_at_ == kMaxRows ? "rows" : "bytes";
        if (batch->rows.empty() || !bound_.empty()) return rows;
    }
}

std::uint64_t BranchRows::remaining() const {
    return bytes_ < kMaxRowBytes ? kMaxRows - looked_at_ : 0;
}

std::uint64_t BranchRows::next_batch(const std::vector<sdk::Document>& last) {
    std::size_t bytes = 1;
    for (const sdk::Document& node : last)
        bytes += shown_size(node.fields);
    looked_at_ += last.size();
    bytes_ += bytes;
    return std::clamp<std::uint64_t>(kBatchBytes * last.size() / bytes, 1, kBatch);
}

sdk::Result<std::vector<sdk::Json>> BranchRows::found(const RowsWanted& wanted) {
    if (search_ == nullptr) {
        return sdk::make_error(sdk::ErrorKind::invalid, "graphql.search_missing",
                               "no enabled plugin searches nodes; use query");
    }
    const auto accepts = [&](std::string_view id) -> sdk::Result<bool> {
        auto node = row(wanted.type, std::string(id));
        if (!node) return node.error();
        return !node->is_null();
    };
    auto hits = search_->search(context_, nodes_.container_key, wanted.search,
                                {.hits = kMaxHits, .accepts = accepts});
    if (!hits) return hits.error();
    if (hits->total > hits->best.size()) bound_ = "hits";
    sdk::Json ids = sdk::Json::array();
    std::map<std::string, std::size_t> places;
    for (const sdk::NodeHit& hit : hits->best) {
        places.emplace(hit.id, ids.size());
        ids.push_back(hit.id);
    }
    sdk::Json query = with_condition(wanted.query, "_type", wanted.type);
    query = with_condition(std::move(query), "_doc", {{"$in", std::move(ids)}});
    auto rows = readable(query, wanted.sort, 0, -1);
    if (!rows) return rows;
    if (wanted.sort.empty()) {
        std::sort(rows->begin(), rows->end(), [&](const sdk::Json& a, const sdk::Json& b) {
            return places[sdk::text_member(a, "_doc")] < places[sdk::text_member(b, "_doc")];
        });
    }
    cut(*rows, wanted.skip, wanted.limit);
    return rows;
}

sdk::Result<sdk::Json> BranchRows::row(std::string_view type, const std::string& id) {
    auto node = sdk::if_readable(context_, context_.documents().read(nodes_, id));
    if (!node) return node.error();
    if (!node->has_value()) return sdk::Json();
    sdk::Json& fields = (*node)->fields;
    const bool fits = type.empty() || sdk::text_member(fields, "_type") == type;
    return fits ? std::move(fields) : sdk::Json();
}

}  // namespace stele::graphql

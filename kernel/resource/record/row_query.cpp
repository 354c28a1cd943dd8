#include "kernel/resource/record/row_query.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/pagination/sort_order.hpp"
#include "kernel/storage/query/query.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::kernel::resource {

namespace {

/// A row that fits: its text, with the padding that looking into it takes, and its place.
struct Found {
    std::string padded;
    std::string key;

    std::string_view text() const {
        return std::string_view(padded).substr(0, padded.size() - storage::Record::kPadding);
    }
};

}  // namespace

sdk::Result<sdk::Reply> RowQuery::page(const std::vector<sdk::Json>& rows, const sdk::Json& query,
                                       const sdk::PageRequest& page) {
    auto parsed = storage::Query::parse(query);
    if (!parsed) return parsed.error();
    auto order = pagination::SortOrder::make(page.sort, page.options, has_numeric_sort_);
    if (!order) return order.error();
    std::vector<Found> found;
    for (const sdk::Json& row : rows) {
        Found one{sdk::dump_json(row) + std::string(storage::Record::kPadding, '\0'), {}};
        if (!parsed->matches(one.text())) continue;
        if (!order->is_empty()) order->key_of(one.text(), one.key);
        found.push_back(std::move(one));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.key < b.key; });
    const std::uint64_t total = found.size();
    const std::uint64_t begin = std::min<std::uint64_t>(page.skip, total);
    const std::uint64_t wanted = page.limit < 0 ? total : static_cast<std::uint64_t>(page.limit);
    const std::uint64_t size = std::min(wanted, total - begin);
    std::string body = R"({"rows":[)";
    for (std::uint64_t i = begin; i < begin + size; ++i) {
        if (i != begin) body += ',';
        body += parsed->project(found[i].text());
    }
    body += R"(],"total_rows":)" + std::to_string(total) + R"(,"offset":)" +
            std::to_string(page.skip) + R"(,"size":)" + std::to_string(size) + '}';
    return sdk::Reply::json_text(std::move(body));
}

}  // namespace stele::kernel::resource

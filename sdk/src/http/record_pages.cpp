#include <stele/sdk/record_pages.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>

namespace stele::sdk {

Result<Reply> page_of_records(const Call& call, RowQuery& rows,
                              const std::vector<RecordKey>& keys) {
    const PageRequest& page = call.page();
    const bool is_sorted = !page.sort.empty();
    const std::uint64_t total = keys.size();
    const std::uint64_t begin = is_sorted ? 0 : std::min<std::uint64_t>(page.skip, total);
    const std::uint64_t wanted =
        is_sorted || page.limit < 0 ? total : static_cast<std::uint64_t>(page.limit);
    const std::uint64_t end = begin + std::min(wanted, total - begin);
    std::vector<Json> records;
    for (std::uint64_t i = begin; i < end; ++i) {
        auto record = call.context().documents().read(keys[i]);
        if (!record && is_missing(record.error())) continue;
        if (!record) return record.error();
        records.push_back(std::move(record->fields));
    }
    if (is_sorted) return rows.page(records, Json::object(), page);
    return Reply::page(Json(records), total, page.skip);
}

Result<Reply> page_of_readable(const Call& call, RowQuery& rows,
                               const std::vector<RecordKey>& keys) {
    std::vector<RecordKey> readable;
    for (const RecordKey& key : keys) {
        auto is_readable = holds(call.context(), key, Permission::read);
        if (!is_readable) return is_readable.error();
        if (*is_readable) readable.push_back(key);
    }
    return page_of_records(call, rows, readable);
}

Result<MemberKind> member_filter(const Call& call) {
    const std::string filter = lower_case(call.parameter("filter").value_or(""));
    if (filter.empty() || filter == "any") return MemberKind::any;
    if (filter == "user") return MemberKind::user;
    if (filter == "group") return MemberKind::group;
    return invalid_parameter("filter", "must be user, group or any");
}

}  // namespace stele::sdk

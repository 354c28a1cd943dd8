#include "kernel/resource/data_store/data_store_changes.hpp"

#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/authority/authority_store.hpp"
#include "kernel/resource/record/record_fields.hpp"

namespace stele::kernel::resource {

namespace {

/// Set by locks and statistics alone.
constexpr std::array kLockMembers{"lockedBy", "lockedOn"};
/// Set by statistics; a client may write over them until these are taken again.
constexpr std::array kStatistics{"objectcount", "statisticsDate"};

constexpr std::uint64_t kMaxSize = std::numeric_limits<std::int64_t>::max();

/// The bytes that a record's `maxsize` allows; nothing when it makes no sense.
std::optional<std::int64_t> maxsize_of(const sdk::Json& fields) {
    const auto member = fields.find("maxsize");
    if (member == fields.end() || member->is_null()) return -1;
    std::int64_t bytes = -2;
    if (member->is_number_integer()) {
        // What is beyond the signed numbers would turn into one below 0.
        if (member->is_number_unsigned() && member->get<std::uint64_t>() > kMaxSize)
            return std::nullopt;
        bytes = member->get<std::int64_t>();
    } else if (member->is_string()) {
        const auto& text = member->get_ref<const std::string&>();
        const char* const end = text.data() + text.size();
        if (std::from_chars(text.data(), end, bytes).ptr != end) return std::nullopt;
    }
    if (bytes < -1) return std::nullopt;
    return bytes;
}

bool is_changed(const sdk::Json& before, const sdk::Json& after, const char* name) {
    const auto old = before.find(name);
    const auto now = after.find(name);
    if (old == before.end() || now == after.end())
        return (old == before.end()) != (now == after.end());
    return *old != *now;
}

bool checks_authorities(const sdk::Json& fields) {
    const auto member = fields.find("enableAuthorities");
    return member == fields.end() || *member != sdk::Json(false);
}

}  // namespace

void settle_data_store(const sdk::Change& change) {
    sdk::Json& fields = change.after->fields;
    for (const char* name : kStatistics) {
        // Left out, they stay; only what a client writes over them marks them as stale.
        if (change.before && !fields.contains(name))
            keep_member(change.before->fields, fields, name);
    }
    for (const sdk::Field& field : sdk::data_store_fields()) {
        if (field.default_json.empty() || fields.contains(field.name)) continue;
        if (auto value = sdk::parse_json(field.default_json))
            fields[field.name] = std::move(*value);
    }
    fields["datastoreId"] = change.after->id;
    fields["datastoreTypeId"] = change.collection.type;
    static const sdk::Json kNone = sdk::Json::object();
    const sdk::Json& before = change.before ? change.before->fields : kNone;
    for (const char* name : kLockMembers)
        keep_member(before, fields, name);
    if (!change.before) return;
    for (const char* name : kStatistics) {
        if (is_changed(before, fields, name)) fields["statisticsDirty"] = true;
    }
}

bool opens_data_store(const sdk::Change& change) {
    return change.before && checks_authorities(change.before->fields) &&
           !checks_authorities(change.after->fields);
}

void check_data_store(const sdk::Json& fields, const storage::BlobProviders& binaries,
                      sdk::Violations& violations) {
    if (!maxsize_of(fields)) {
        violations.push_back({"maxsize", "field.value_unknown",
                              "maxsize must be a whole number of bytes, or -1 for no limit"});
    }
    const std::string provider = sdk::text_member(fields, "binaryStorageProviderType");
    if (!provider.empty() && !binaries.has(provider)) {
        violations.push_back({"binaryStorageProviderType", "field.value_unknown",
                              fmt::format("binaryStorageProviderType must be one of {}",
                                          fmt::join(binaries.names(), ", "))});
    }
}

sdk::Result<void> sync_data_store(sdk::Transaction& transaction, const sdk::Change& change) {
    const sdk::RecordKey& store = change.after->key;
    const sdk::Json& fields = change.after->fields;
    StoreState state;
    if (change.before) {
        auto present = read_store_state(transaction, store);
        if (!present) return present.error();
        if (*present) state = std::move(**present);
    }
    const std::int64_t maxsize = maxsize_of(fields).value_or(-1);
    const bool is_dirty = fields.value("statisticsDirty", sdk::Json()) == sdk::Json(true);
    if (!change.before || state.maxsize != maxsize || state.is_dirty != is_dirty) {
        state.maxsize = maxsize;
        state.is_dirty = is_dirty;
        write_store_state(transaction, store, state);
        if (is_dirty) list_dirty_store(transaction, store, true);
    }
    const bool is_open = !checks_authorities(fields);
    if (is_open || change.before) {
        auto was_open = is_open_store(transaction, store);
        if (!was_open) return was_open.error();
        if (*was_open != is_open) set_open_store(transaction, store, is_open);
        if (*was_open && !is_open) {
            const auto platform = sdk::KeyReader(store).integer().value_or(0);
            authority::AuthorityStore::withdraw_decisions(transaction, platform);
        }
    }
    return {};
}

}  // namespace stele::kernel::resource

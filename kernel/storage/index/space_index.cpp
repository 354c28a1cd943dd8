#include "kernel/storage/index/space_index.hpp"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/storage/index/composite_index.hpp"

namespace stele::kernel::storage {

namespace {

/// Combinations of leading values, all entries and the longest one of a record in one index;
/// beyond, the record is listed as one with too many.
constexpr std::size_t kMaxLeadingValues = 64;
constexpr std::size_t kMaxOfRecord = 500;
constexpr std::size_t kMaxEntryBytes = 1024;

// First byte behind the index number: entries proper, and records with too many values.
constexpr char kScopedEntries = 's';
constexpr char kTooMany = 'm';

using Parts = std::vector<std::string>;

std::string kind_only(char kind) {
    return std::string(1, kind);
}

sdk::KeyWriter of_kind(IndexKind kind) {
    return sdk::KeyWriter(kind_only(static_cast<char>(kind)));
}

/// False when the value has no place in an index.
bool add_value(const FieldValues::Value& value, bool is_direct, Parts& entries) {
    switch (value.type) {
        case WalkedValue::Type::text: {
            const bool is_long = value.text.size() > kIndexedTextSize;
            const IndexKind direct = is_long ? IndexKind::long_text : IndexKind::text;
            const IndexKind item = is_long ? IndexKind::long_item : IndexKind::item;
            entries.push_back(
                of_kind(is_direct ? direct : item).text(indexed_text(value.text)).key());
            return true;
        }
        case WalkedValue::Type::number:
            if (value.text.size() > kIndexedTextSize) return false;
            entries.push_back(of_kind(is_direct ? IndexKind::number : IndexKind::number_item)
                                  .real(value.number)
                                  .key());
            if (is_direct)
                entries.push_back(of_kind(IndexKind::number_text).text(value.text).key());
            return true;
        case WalkedValue::Type::boolean:
            entries.push_back(
                of_kind(is_direct ? IndexKind::flag : IndexKind::flag_item).text(value.text).key());
            return true;
    }
    return false;
}

/// What the entries of a member say: kind and value. Nothing when a value has no place.
std::optional<Parts> member_entries(const FieldValues::Field& field) {
    Parts entries;
    const bool is_many = field.is_structure || field.is_many;
    if (is_many) {
        entries.push_back(kind_only(kIrregularKind));
    } else if (field.values.empty()) {
        entries.push_back(kind_only(kAbsentKind));
    }
    for (const FieldValues::Value& value : field.values) {
        if (!add_value(value, !is_many, entries)) return std::nullopt;
    }
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    return entries;
}

Parts join_parts(const Parts& heads, const Parts& tails) {
    Parts combined;
    combined.reserve(heads.size() * tails.size());
    for (const std::string& head : heads) {
        for (const std::string& tail : tails)
            combined.push_back(head + tail);
    }
    return combined;
}

/// The entries of a record without prefix and sequence; nothing when there are too many.
std::optional<Parts> entries_of(const SpaceIndex& index, const FieldValues& values) {
    Parts all;
    Parts equalities{std::string()};
    for (std::size_t depth = 0; depth < index.members.size(); ++depth) {
        const FieldValues::Field& field = *values.find(index.members[depth].path);
        if (depth >= index.least_depth()) {
            const auto own = member_entries(field);
            if (!own || all.size() + equalities.size() * own->size() > kMaxOfRecord)
                return std::nullopt;
            const Parts heads = join_parts({kind_only(static_cast<char>(depth))}, equalities);
            Parts entries = join_parts(heads, *own);
            std::move(entries.begin(), entries.end(), std::back_inserter(all));
        }
        if (depth + 1 == index.members.size()) break;
        const Parts elements = equality_elements(field);
        if (equalities.size() * elements.size() > kMaxLeadingValues) return std::nullopt;
        equalities = join_parts(equalities, elements);
        if (equalities.empty()) break;
    }
    const bool is_long = std::any_of(all.begin(), all.end(), [](const std::string& entry) {
        return entry.size() > kMaxEntryBytes;
    });
    if (is_long) return std::nullopt;
    return all;
}

sdk::Error broken_indexes(std::string_view text) {
    return sdk::make_error(sdk::ErrorKind::internal, "document.index_broken",
                           "The indexes of a collection cannot be read.",
                           "space indexes: " + std::string(text));
}

bool read_boundary(const sdk::Json& one, const char* name, Sequence& sequence) {
    const std::string text = sdk::text_member(one, name);
    // Before the first record nothing is built; that is no sequence.
    return text.empty() || parse_sequence(text, sequence);
}

bool read_space_index(const sdk::Json& one, SpaceIndex& index) {
    const auto number = sdk::integer_member(one, "number");
    const auto members = one.is_object() ? one.find("members") : one.end();
    if (!number || *number <= 0 || members == one.end() || !members->is_object()) return false;
    index.number = static_cast<std::uint64_t>(*number);
    index.name = sdk::text_member(one, "name");
    for (const auto& [path, is_ascending] : members->items()) {
        if (!is_ascending.is_boolean()) return false;
        index.members.push_back({path, is_ascending.get<bool>()});
    }
    index.is_ready = sdk::flag_member(one, "ready", false);
    return !index.members.empty() && read_boundary(one, "built", index.built) &&
           read_boundary(one, "ceiling", index.ceiling);
}

}  // namespace

const SpaceIndex* SpaceIndexes::find(std::string_view name) const {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [name](const SpaceIndex& index) { return index.name == name; });
    return found == all.end() ? nullptr : &*found;
}

bool SpaceIndexes::is_former(std::uint64_t number) const {
    return number <= last_number && std::none_of(all.begin(), all.end(), [&](const auto& index) {
               return index.number == number;
           });
}

std::string SpaceIndexes::encode() const {
    sdk::Json list = sdk::Json::array();
    for (const SpaceIndex& index : all) {
        sdk::Json members = sdk::Json::object();
        for (const sdk::IndexMember& member : index.members)
            members[member.path] = member.is_ascending;
        sdk::Json one = {{"number", index.number},
                         {"name", index.name},
                         {"members", std::move(members)},
                         {"ready", index.is_ready}};
        if (!index.is_ready) {
            one["built"] = index.built.empty() ? std::string() : sequence_text(index.built);
            one["ceiling"] = sequence_text(index.ceiling);
        }
        list.push_back(std::move(one));
    }
    return sdk::dump_json({{"last", last_number}, {"indexes", std::move(list)}});
}

sdk::Result<SpaceIndexes> SpaceIndexes::decode(std::string_view text) {
    const auto json = sdk::parse_json(text);
    if (!json || !json->is_object()) return broken_indexes(text);
    const auto last = sdk::integer_member(*json, "last");
    const auto list = json->find("indexes");
    if (!last || *last < 0 || list == json->end() || !list->is_array()) return broken_indexes(text);
    SpaceIndexes indexes;
    indexes.last_number = static_cast<std::uint64_t>(*last);
    for (const sdk::Json& one : *list) {
        SpaceIndex index;
        if (!read_space_index(one, index)) return broken_indexes(text);
        indexes.all.push_back(std::move(index));
    }
    return indexes;
}

std::string space_indexes_key(CollectionId collection) {
    return composite_prefix(collection, 0);
}

std::string space_index_prefix(CollectionId collection, const SpaceIndex& index, std::size_t depth,
                               std::string_view equality) {
    return sdk::KeyWriter(composite_prefix(collection, index.number))
        .tag(kScopedEntries)
        .tag(static_cast<char>(depth))
        .raw(equality)
        .key();
}

std::string space_overflow_prefix(CollectionId collection, const SpaceIndex& index) {
    return sdk::KeyWriter(composite_prefix(collection, index.number)).tag(kTooMany).key();
}

std::optional<std::uint64_t> space_index_number(std::string_view rest) {
    return sdk::KeyReader(rest).integer();
}

std::vector<std::string> space_index_keys(CollectionId collection, const SpaceIndex& index,
                                          std::string_view sequence, const FieldValues& values) {
    const auto entries = entries_of(index, values);
    if (!entries) return {space_overflow_prefix(collection, index).append(sequence)};
    const std::string prefix =
        sdk::KeyWriter(composite_prefix(collection, index.number)).tag(kScopedEntries).key();
    std::vector<std::string> keys;
    keys.reserve(entries->size());
    for (const std::string& entry : *entries)
        keys.push_back(std::string(prefix).append(entry).append(sequence));
    std::sort(keys.begin(), keys.end());
    return keys;
}

void write_space_index_change(sdk::Transaction& transaction, CollectionId collection,
                              const SpaceIndex& index, std::string_view sequence,
                              const FieldValues* before, const FieldValues* after) {
    const auto keys_of = [&](const FieldValues* values) {
        return values ? space_index_keys(collection, index, sequence, *values) : Parts();
    };
    const Parts old = keys_of(before);
    const Parts now = keys_of(after);
    for (const std::string& key : old) {
        if (!std::binary_search(now.begin(), now.end(), key)) transaction.remove(key);
    }
    for (const std::string& key : now) {
        if (!std::binary_search(old.begin(), old.end(), key)) transaction.put(key, {});
    }
}

}  // namespace stele::kernel::storage

#include <algorithm>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/document/document_store.hpp"
#include "kernel/storage/engine/row_keys.hpp"
#include "kernel/storage/index/composite_builder.hpp"

namespace stele::kernel::storage {

namespace {

using State = sdk::CollectionIndex::State;

sdk::Error malformed(const std::string& path, std::string message) {
    return sdk::make_error({{path, "document.index_malformed", std::move(message)}});
}

sdk::Result<void> check_members(const std::vector<sdk::IndexMember>& members,
                                const CollectionRules& rules) {
    if (members.empty() || members.size() > sdk::CollectionIndexes::kMaxMembers) {
        return malformed("index", "index must name 1 to " +
                                      std::to_string(sdk::CollectionIndexes::kMaxMembers) +
                                      " members");
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        const std::string& path = members[i].path;
        if (!is_indexable_path(path) || is_covered_by(path, rules.unindexed_fields))
            return malformed("index." + path, "there is no index of " + path);
        const auto is_same = [&path](const auto& other) { return other.path == path; };
        const auto end = members.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::any_of(members.begin(), end, is_same))
            return malformed("index." + path, path + " is named twice");
    }
    return {};
}

sdk::Result<bool> has_entries(const sdk::Reader& reader, const std::string& prefix) {
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    if (cursor->is_valid()) return true;
    if (auto status = cursor->status(); !status) return status.error();
    return false;
}

sdk::Result<void> put_into(sdk::Transaction& space, const SpaceIndex& index, const Record& record) {
    FieldValues values;
    for (const sdk::IndexMember& member : index.members)
        values.watch(member.path);
    if (auto walked = walk_values(record.text(), {&values}); !walked) return walked;
    write_space_index_change(space, record.collection, index, record.sequence, nullptr, &values);
    return {};
}

/// At most `most` records behind its boundary, which moves on.
sdk::Result<void> build_some(sdk::Transaction& space, CollectionId collection, SpaceIndex& index,
                             std::size_t most) {
    Record record;
    record.collection = collection;
    std::size_t done = 0;
    const auto cursor = space.scan(records_between(collection, index.built, index.ceiling),
                                   sdk::ScanDirection::forward);
    for (; cursor->is_valid() && done < most; cursor->next(), ++done) {
        record.sequence.assign(sequence_of(cursor->key()));
        record.buffer().assign(cursor->value());
        if (auto status = cursor->status(); !status) return status;
        if (!record.decode()) return broken_record(collection, record.sequence);
        if (auto put = put_into(space, index, record); !put) return put;
    }
    if (auto status = cursor->status(); !status) return status;
    index.is_ready = !cursor->is_valid();
    if (index.is_ready) {
        index.built.clear();
        index.ceiling.clear();
    } else if (done > 0) {
        index.built = record.sequence;
    }
    return {};
}

}  // namespace

sdk::Result<std::vector<sdk::CollectionIndex>> DocumentStore::indexes(
    const sdk::Reader& space, CollectionId collection, const CollectionRules& rules) {
    const auto state = state_of(space, collection, rules);
    if (!state) return state.error();
    std::vector<sdk::CollectionIndex> found;
    for (const SpaceIndex& index : (*state)->made.all) {
        const auto overflows = has_entries(space, space_overflow_prefix(collection, index));
        if (!overflows) return overflows.error();
        const State usable = *overflows ? State::overflowing : State::ready;
        found.push_back({index.name, index.members, index.is_ready ? usable : State::building});
    }
    return found;
}

sdk::Result<void> DocumentStore::add_index(sdk::Transaction& space, CollectionId collection,
                                           const CollectionRules& rules,
                                           const sdk::CollectionIndex& index) {
    if (auto checked = check_members(index.members, rules); !checked) return checked;
    const auto state = state_of(space, collection, rules);
    if (!state) return state.error();
    SpaceIndexes made = (*state)->made;
    if (made.find(index.name) != nullptr) {
        return sdk::make_error(sdk::ErrorKind::conflict, "document.index_exists",
                               "there is an index " + index.name + " already");
    }
    if (made.all.size() >= sdk::CollectionIndexes::kMaxIndexes) {
        return sdk::make_error(sdk::ErrorKind::conflict, "document.indexes_exceeded",
                               "there can be at most " +
                                   std::to_string(sdk::CollectionIndexes::kMaxIndexes) +
                                   " indexes");
    }
    auto ceiling = last_sequence(space, collection);
    if (!ceiling) return ceiling.error();
    made.all.push_back({.number = ++made.last_number,
                        .name = index.name,
                        .members = index.members,
                        .is_ready = false,
                        .built = {},
                        .ceiling = std::move(*ceiling)});
    space.put(space_indexes_key(collection), made.encode());
    return {};
}

sdk::Result<void> DocumentStore::remove_index(sdk::Transaction& space, CollectionId collection,
                                              const CollectionRules& rules, std::string_view name) {
    const auto state = state_of(space, collection, rules);
    if (!state) return state.error();
    SpaceIndexes made = (*state)->made;
    const auto removed =
        std::erase_if(made.all, [name](const SpaceIndex& index) { return index.name == name; });
    if (removed == 0) {
        return sdk::make_error(sdk::ErrorKind::not_found, "document.index_unknown",
                               "there is no index " + std::string(name));
    }
    space.put(space_indexes_key(collection), made.encode());
    return {};
}

sdk::Result<bool> DocumentStore::build_indexes(sdk::Transaction& space, CollectionId collection,
                                               const CollectionRules& rules, std::size_t most) {
    const auto state = state_of(space, collection, rules);
    if (!state) return state.error();
    SpaceIndexes made = (*state)->made;
    const auto is_open = [](const SpaceIndex& index) { return !index.is_ready; };
    const auto open = std::find_if(made.all.begin(), made.all.end(), is_open);
    if (open == made.all.end()) return true;
    if (auto built = build_some(space, collection, *open, most); !built) return built.error();
    space.put(space_indexes_key(collection), made.encode());
    return std::none_of(made.all.begin(), made.all.end(), is_open);
}

}  // namespace stele::kernel::storage

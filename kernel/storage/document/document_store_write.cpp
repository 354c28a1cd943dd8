#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/document/document_store.hpp"
#include "kernel/storage/document/document_store_catalogue.hpp"
#include "kernel/storage/engine/row_keys.hpp"
#include "kernel/storage/index/composite_builder.hpp"
#include "kernel/storage/index/index_entries.hpp"

namespace stele::kernel::storage {

/// What the indexes say of one state of a record; empty for no record.
struct DocumentStore::View {
    RecordImage entries;
    FieldValues values;
    bool is_record = false;
};

namespace {

sdk::Result<void> check_free(const sdk::Reader& reader, CollectionId collection,
                             std::string_view key, std::string_view id) {
    std::string found;
    const auto taken = reader.get_into(key, found);
    if (!taken) return taken.error();
    if (!*taken) return {};
    auto error = sdk::make_error(sdk::ErrorKind::conflict, "document.id_taken",
                                 "The id '" + std::string(id) + "' is in use.",
                                 "collection " + std::to_string(collection.number));
    error.violations.push_back({"_doc", "document.id_taken", error.message});
    return error;
}

sdk::Result<void> check_id_free(const sdk::Reader& reader, CollectionId collection,
                                const DocumentStore::NewRecord& record) {
    const std::string own_id = sequence_text(record.sequence);
    if (reader.is_distant() && !record.custom_id.empty()) {
        reader.expect({sdk::only_key(record_path(collection, record.sequence)),
                       sdk::only_key(alias_key(collection, record.custom_id))});
    }
    if (auto free =
            check_free(reader, collection, record_path(collection, record.sequence), own_id);
        !free) {
        return free;
    }
    if (record.custom_id.empty()) return {};
    Sequence looks_like;
    if (parse_sequence(record.custom_id, looks_like)) {
        auto free =
            check_free(reader, collection, record_path(collection, looks_like), record.custom_id);
        if (!free) return free;
    }
    return check_free(reader, collection, alias_key(collection, record.custom_id),
                      record.custom_id);
}

sdk::Violation value_taken(const std::string& field) {
    return {field, "document.value_taken", "The value of '" + field + "' is in use."};
}

/// A unique field's values that one view has and the other has not.
std::vector<std::string> values_only_in(const FieldValues& here, const FieldValues& there,
                                        const std::string& field) {
    std::vector<std::string> texts;
    const auto* ours = here.find(field);
    if (ours == nullptr) return texts;
    const auto* theirs = there.find(field);
    for (const FieldValues::Value& value : ours->values) {
        const bool is_shared =
            theirs != nullptr &&
            std::any_of(theirs->values.begin(), theirs->values.end(),
                        [&](const FieldValues::Value& other) { return other.text == value.text; });
        if (!is_shared) texts.push_back(value.text);
    }
    return texts;
}

struct UniqueChange {
    std::vector<std::string> removed;
    std::vector<std::string> added;
};

/// Which rows of unique values change; fails when another record has a value.
sdk::Result<UniqueChange> unique_change(sdk::Transaction& transaction, NameTable& names,
                                        CollectionId collection, const CollectionRules& rules,
                                        const FieldValues& before, const FieldValues& after) {
    UniqueChange change;
    sdk::Violations violations;
    for (const std::string& field : rules.unique_fields) {
        const auto gone = values_only_in(before, after, field);
        const auto come = values_only_in(after, before, field);
        if (gone.empty() && come.empty()) continue;
        const auto number = names.intern(transaction, field);
        if (!number) return number.error();
        for (const auto& value : gone) {
            change.removed.push_back(unique_key(collection, *number, value));
        }
        for (const auto& value : come) {
            std::string key = unique_key(collection, *number, value);
            const auto holder = transaction.get(key);
            if (!holder) return holder.error();
            if (*holder) violations.push_back(value_taken(field));
            change.added.push_back(std::move(key));
        }
    }
    if (violations.empty()) return change;
    auto error = sdk::make_error(sdk::ErrorKind::conflict, "document.value_taken",
                                 violations.front().message);
    error.violations = std::move(violations);
    return error;
}

/// Records of shapes with one of the fields get those without them.
sdk::Result<void> leave_shapes(sdk::Transaction& transaction, CollectionId collection,
                               const std::vector<std::uint64_t>& fields) {
    const std::string prefix = shape_counters(collection);
    std::map<std::string, std::int64_t> moved;
    const auto cursor =
        transaction.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const std::string shape(cursor->key().substr(prefix.size()));
        std::string rest = shape;
        for (const std::uint64_t field : fields)
            rest = shape_without(rest, field);
        if (rest == shape) continue;
        const std::int64_t count = sdk::read_counter(std::string(cursor->value()));
        moved[shape] -= count;
        if (!rest.empty()) moved[rest] += count;
    }
    for (const auto& [shape, delta] : moved)
        transaction.add(prefix + shape, delta);
    return cursor->status();
}

bool has_all(const std::vector<std::string>& known, const std::vector<std::string>& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
        return std::find(known.begin(), known.end(), name) != known.end();
    });
}

sdk::Result<bool> is_empty(const sdk::Reader& reader, CollectionId collection) {
    const std::string prefix = collection_prefix(collection, 'd');
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    if (cursor->is_valid()) return false;
    if (auto status = cursor->status(); !status) return status.error();
    return true;
}

}  // namespace

sdk::Result<std::shared_ptr<const IndexState>> DocumentStore::declared_state(
    sdk::Transaction& transaction, CollectionId collection, const CollectionRules& rules) {
    auto present = state_of(transaction, collection, rules);
    if (!present || rules.is_in_space) return present;
    const bool has_composites =
        std::all_of(rules.composite_indexes.begin(), rules.composite_indexes.end(),
                    [&](const sdk::CompositeIndex& fields) {
                        return fields.empty() || (*present)->find(fields, false) != nullptr;
                    });
    const bool has_unindexed = has_all((*present)->unindexed, rules.unindexed_fields);
    if (has_composites && has_unindexed) return present;
    const auto empty = is_empty(transaction, collection);
    if (!empty) return empty.error();
    auto state = std::make_shared<IndexState>(**present);
    if (!has_unindexed && !*empty) {
        if (auto dropped = drop_entries_of(transaction, collection, rules.unindexed_fields);
            !dropped) {
            return dropped.error();
        }
    }
    state->leave_out(rules.unindexed_fields);
    for (const sdk::CompositeIndex& fields : rules.composite_indexes) {
        if (fields.empty() || state->find(fields, false) != nullptr) continue;
        if (*empty) {
            CompositeIndexState index;
            index.number = state->next_number();
            index.fields = fields;
            state->composites.push_back(std::move(index));
        } else {
            builder_->request(collection, fields, false, false);
        }
    }
    if (!has_unindexed || *empty) transaction.put(index_state_key(collection), state->encode());
    return std::shared_ptr<const IndexState>(std::move(state));
}

sdk::Result<void> DocumentStore::drop_entries_of(sdk::Transaction& transaction,
                                                 CollectionId collection,
                                                 const std::vector<std::string>& fields) {
    const auto reader = engine_.snapshot();
    const std::string prefix = kind_prefix(0, 'n');
    std::vector<std::uint64_t> numbers;
    const auto names = reader->scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; names->is_valid(); names->next()) {
        const auto name = sdk::KeyReader(names->key().substr(prefix.size())).text();
        if (!name || !is_covered_by(*name, fields)) continue;
        const auto number = names_.find(*reader, *name);
        if (!number) return number.error();
        if (!*number) continue;
        const std::string entries = field_prefix(collection, **number);
        const std::string counters =
            sdk::KeyWriter(field_counters(collection)).integer(**number).key();
        transaction.remove_range({entries, sdk::prefix_end(entries)});
        transaction.remove_range({counters, sdk::prefix_end(counters)});
        numbers.push_back(**number);
    }
    if (auto status = names->status(); !status) return status;
    return leave_shapes(transaction, collection, numbers);
}

sdk::Result<DocumentStore::View> DocumentStore::view(sdk::Transaction& transaction,
                                                     const CollectionRules& rules,
                                                     const IndexState& state,
                                                     const Record& record) {
    const ImageBuilder::FieldNumber number = [&](std::string_view path) {
        return names_.intern(transaction, path);
    };
    ImageBuilder entries(number, state.unindexed, record.entry_form());
    View result;
    result.is_record = true;
    for (const std::string& field : rules.unique_fields)
        result.values.watch(field);
    for (const CompositeIndexState& index : state.composites) {
        for (const std::string& field : index.fields)
            result.values.watch(field);
    }
    for (const SpaceIndex& index : state.made.all) {
        for (const sdk::IndexMember& member : index.members)
            result.values.watch(member.path);
    }
    auto walked = result.values.is_empty() ? walk_values(record.text(), {&entries})
                                           : walk_values(record.text(), {&entries, &result.values});
    if (!walked) return walked.error();
    auto image = entries.take();
    if (!image) return image.error();
    result.entries = *std::move(image);
    return result;
}

sdk::Result<void> DocumentStore::write_changes(sdk::Transaction& transaction,
                                               CollectionId collection,
                                               const CollectionRules& rules,
                                               const IndexState& state, std::string_view sequence,
                                               const View& before, const View& after) {
    const auto unique =
        unique_change(transaction, names_, collection, rules, before.values, after.values);
    if (!unique) return unique.error();
    for (const std::string& key : unique->removed)
        transaction.remove(key);
    for (const std::string& key : unique->added)
        transaction.put(key, sequence);
    write_index_changes(transaction, collection, sequence, before.entries, after.entries);
    for (const CompositeIndexState& index : state.composites) {
        if (!index.maintains(sequence)) continue;
        write_composite_change(transaction, collection, index, sequence,
                               before.is_record ? &before.values : nullptr,
                               after.is_record ? &after.values : nullptr);
    }
    for (const SpaceIndex& index : state.made.all) {
        if (!index.maintains(sequence)) continue;
        write_space_index_change(transaction, collection, index, sequence,
                                 before.is_record ? &before.values : nullptr,
                                 after.is_record ? &after.values : nullptr);
    }
    return {};
}

sdk::Result<Record> DocumentStore::insert(sdk::Transaction& transaction, CollectionId collection,
                                          const CollectionRules& rules, const NewRecord& record) {
    if (auto free = check_id_free(transaction, collection, record); !free) return free.error();
    const auto state = declared_state(transaction, collection, rules);
    if (!state) return state.error();
    Record padded;
    padded.collection = collection;
    padded.sequence = record.sequence;
    padded.buffer() = Record::encode(1, sdk::dump_json(record.fields), record.sealed);
    if (!padded.decode()) return broken_record(collection, record.sequence);
    const auto after = view(transaction, rules, **state, padded);
    if (!after) return after.error();
    auto written =
        write_changes(transaction, collection, rules, **state, record.sequence, View{}, *after);
    if (!written) return written.error();
    if (!record.custom_id.empty()) {
        transaction.put(alias_key(collection, record.custom_id),
                        AliasTarget{record.sequence, true}.encode());
        transaction.put(alias_of_key(collection, record.sequence, record.custom_id), {});
    }
    transaction.put(record_path(collection, record.sequence), padded.packed());
    transaction.add(record_counter(collection), 1);
    return padded;
}

sdk::Result<Record> DocumentStore::replace(sdk::Transaction& transaction,
                                           const CollectionRules& rules, const Record& before,
                                           const sdk::Json& fields, std::string_view sealed) {
    const auto state = declared_state(transaction, before.collection, rules);
    if (!state) return state.error();
    Record padded;
    padded.collection = before.collection;
    padded.sequence = before.sequence;
    padded.buffer() = Record::encode(before.version() + 1, sdk::dump_json(fields), sealed);
    if (!padded.decode()) return broken_record(before.collection, before.sequence);
    const auto old = view(transaction, rules, **state, before);
    if (!old) return old.error();
    const auto now = view(transaction, rules, **state, padded);
    if (!now) return now.error();
    auto written =
        write_changes(transaction, before.collection, rules, **state, before.sequence, *old, *now);
    if (!written) return written.error();
    transaction.put(record_path(before.collection, before.sequence), padded.packed());
    return padded;
}

sdk::Result<std::vector<std::string>> DocumentStore::aliases_of(const sdk::Reader& reader,
                                                                CollectionId collection,
                                                                std::string_view sequence) {
    const std::string names = alias_prefix_of(collection, sequence);
    const auto cursor = reader.scan({names, sdk::prefix_end(names)}, sdk::ScanDirection::forward);
    std::vector<std::string> aliases;
    for (; cursor->is_valid(); cursor->next()) {
        if (auto alias = sdk::KeyReader(cursor->key().substr(names.size())).text())
            aliases.push_back(*std::move(alias));
    }
    if (auto status = cursor->status(); !status) return status.error();
    return aliases;
}

sdk::Result<void> DocumentStore::erase(sdk::Transaction& transaction, const CollectionRules& rules,
                                       const Record& before) {
    const CollectionId collection = before.collection;
    const auto state = declared_state(transaction, collection, rules);
    if (!state) return state.error();
    const auto old = view(transaction, rules, **state, before);
    if (!old) return old.error();
    auto written =
        write_changes(transaction, collection, rules, **state, before.sequence, *old, View{});
    if (!written) return written;
    const auto aliases = aliases_of(transaction, collection, before.sequence);
    if (!aliases) return aliases.error();
    for (const std::string& alias : *aliases) {
        transaction.remove(alias_key(collection, alias));
        transaction.remove(alias_of_key(collection, before.sequence, alias));
    }
    transaction.remove(record_path(collection, before.sequence));
    transaction.add(record_counter(collection), -1);
    return {};
}

}  // namespace stele::kernel::storage

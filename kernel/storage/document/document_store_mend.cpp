#include <cstdint>
#include <map>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/document/document_store.hpp"
#include "kernel/storage/engine/row_keys.hpp"
#include "kernel/storage/index/composite_builder.hpp"
#include "kernel/storage/index/index_entries.hpp"

namespace stele::kernel::storage {

namespace {

sdk::Result<std::int64_t> entries_under(const sdk::Reader& space, const std::string& prefix) {
    std::int64_t count = 0;
    const auto cursor = space.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        ++count;
    if (auto status = cursor->status(); !status) return status.error();
    return count;
}

/// The counter of what begins with a prefix.
sdk::Result<void> count_anew(sdk::Transaction& space, const std::string& prefix,
                             const std::string& counter) {
    const auto count = entries_under(space, prefix);
    if (!count) return count.error();
    const auto stored = space.get(counter);
    if (!stored) return stored.error();
    const std::int64_t difference = *count - sdk::read_counter(*stored);
    if (difference != 0) space.add(counter, difference);
    return {};
}

sdk::Result<bool> is_absent(const sdk::Reader& space, const std::string& key) {
    std::string value;
    const auto found = space.get_into(key, value);
    if (!found) return found;
    return !*found;
}

/// Collects what the indexes of a space ought to say of one record and do not.
class MissingFinder {
public:
    MissingFinder(const sdk::Reader& space, const Record& record,
                  DocumentStore::MissingEntries& missing)
        : space_(space), record_(record), missing_(missing) {}

    sdk::Result<void> automatic(const RecordImage& image) {
        const std::string prefix = collection_prefix(record_.collection, 'x');
        for (std::size_t i = 0; i < image.size(); ++i) {
            std::string key = prefix;
            key.append(image[i]).append(record_.sequence);
            if (auto added = add(std::move(key), missing_.entries); !added) return added;
        }
        if (!image.is_over_indexed()) return {};
        auto lacks =
            is_absent(space_, collection_prefix(record_.collection, 'b') + record_.sequence);
        if (!lacks) return lacks.error();
        missing_.is_over_indexed = *lacks;
        return {};
    }
    sdk::Result<void> made(const SpaceIndex& index, const FieldValues& values) {
        if (!index.maintains(record_.sequence)) return {};
        for (std::string& key :
             space_index_keys(record_.collection, index, record_.sequence, values)) {
            if (auto added = add(std::move(key), missing_.entries); !added) return added;
        }
        return {};
    }
    sdk::Result<void> unique(std::uint64_t field, const FieldValues::Field& values) {
        for (const FieldValues::Value& value : values.values) {
            auto added = add(unique_key(record_.collection, field, value.text), missing_.values);
            if (!added) return added;
        }
        return {};
    }

private:
    sdk::Result<void> add(std::string key, std::vector<std::string>& keys) const {
        const auto lacks = is_absent(space_, key);
        if (!lacks) return lacks.error();
        if (*lacks) keys.push_back(std::move(key));
        return {};
    }

    const sdk::Reader& space_;
    const Record& record_;
    DocumentStore::MissingEntries& missing_;
};

FieldValues watched_values(const CollectionRules& rules, const IndexState& state) {
    FieldValues values;
    for (const std::string& field : rules.unique_fields)
        values.watch(field);
    for (const SpaceIndex& index : state.made.all) {
        for (const sdk::IndexMember& member : index.members)
            values.watch(member.path);
    }
    return values;
}

}  // namespace

sdk::Result<DocumentStore::MissingEntries> DocumentStore::missing_entries(
    const sdk::Reader& space, CollectionId collection, const CollectionRules& rules,
    std::string_view id) {
    MissingEntries missing;
    Record record;
    const auto found = read(space, collection, id, record);
    if (!found) return found.error();
    if (!*found) return missing;
    missing.sequence = record.sequence;
    const auto state = state_of(space, collection, rules);
    if (!state) return state.error();
    const auto number = numbers_in(space, record);
    ImageBuilder entries(number, (*state)->unindexed, record.entry_form());
    FieldValues values = watched_values(rules, **state);
    auto walked = values.is_empty() ? walk_values(record.text(), {&entries})
                                    : walk_values(record.text(), {&entries, &values});
    if (!walked) return walked.error();
    MissingFinder finder(space, record, missing);
    const auto image = entries.take();
    if (!image) return image.error();
    if (auto done = finder.automatic(*image); !done) return done.error();
    for (const SpaceIndex& index : (*state)->made.all) {
        if (auto done = finder.made(index, values); !done) return done.error();
    }
    for (const std::string& field : rules.unique_fields) {
        const auto* held = values.find(field);
        if (held == nullptr || held->values.empty()) continue;
        const auto known = number(field);
        if (!known) return known.error();
        if (auto done = finder.unique(*known, *held); !done) return done.error();
    }
    return missing;
}

sdk::Result<void> DocumentStore::put_missing(sdk::Transaction& space, CollectionId collection,
                                             const CollectionRules& rules,
                                             const MissingEntries& missing) {
    for (const std::string& key : missing.entries)
        space.put(key, {});
    for (const std::string& key : missing.values)
        space.put(key, missing.sequence);
    if (missing.is_over_indexed) {
        const std::string over_indexed = collection_prefix(collection, 'b');
        space.put(over_indexed + missing.sequence, {});
        if (auto done = count_anew(space, over_indexed, over_indexed_counter(collection)); !done)
            return done;
    }
    return count_fields_anew(space, collection, rules);
}

sdk::Result<void> DocumentStore::count_fields_anew(sdk::Transaction& space, CollectionId collection,
                                                   const CollectionRules& rules) {
    const auto state = state_of(space, collection, rules);
    if (!state) return state.error();
    // By what ought to be counted, less what is.
    std::map<std::string, std::int64_t> differences;
    Record record;
    record.collection = collection;
    const std::string records = collection_prefix(collection, 'd');
    const auto cursor =
        space.scan({records, sdk::prefix_end(records)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        record.sequence.assign(sequence_of(cursor->key()));
        record.buffer().assign(cursor->value());
        if (!record.decode()) return broken_record(collection, record.sequence);
        const auto image =
            image_of(record, record.entry_form(), numbers_in(space, record), (*state)->unindexed);
        if (!image) return image.error();
        for (const std::string& counted : image->counted())
            ++differences[counter(collection, counted)];
    }
    if (auto status = cursor->status(); !status) return status;
    for (const std::string& counters : {field_counters(collection), shape_counters(collection)}) {
        const auto counts =
            space.scan({counters, sdk::prefix_end(counters)}, sdk::ScanDirection::forward);
        for (; counts->is_valid(); counts->next())
            differences[std::string(counts->key())] -=
                sdk::read_counter(std::string(counts->value()));
        if (auto status = counts->status(); !status) return status;
    }
    for (const auto& [key, difference] : differences) {
        if (difference != 0) space.add(key, difference);
    }
    return {};
}

std::function<sdk::Result<std::uint64_t>(std::string_view path)> DocumentStore::numbers_in(
    const sdk::Reader& space, const Record& record) {
    return [&](std::string_view path) -> sdk::Result<std::uint64_t> {
        const auto known = names_.find(space, path);
        if (!known) return known.error();
        return *known ? sdk::Result<std::uint64_t>(**known)
                      : broken_record(record.collection, record.sequence);
    };
}

}  // namespace stele::kernel::storage

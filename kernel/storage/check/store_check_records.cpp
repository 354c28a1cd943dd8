#include <algorithm>
#include <set>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/check/store_check.hpp"
#include "kernel/storage/document/document_store.hpp"
#include "kernel/storage/document/document_store_catalogue.hpp"
#include "kernel/storage/engine/row_keys.hpp"
#include "kernel/storage/index/composite_builder.hpp"
#include "kernel/storage/record/name_table.hpp"

namespace stele::kernel::storage {

namespace {

std::string equality_part(sdk::KeyReader reader, std::string_view rest, std::size_t elements) {
    for (std::size_t i = 0; i < elements; ++i) {
        const auto tag = reader.tag();
        const bool is_read = tag && (*tag == 't'   ? reader.text().has_value()
                                     : *tag == 'n' ? reader.real().has_value()
                                                   : reader.raw(1).has_value());
        if (!is_read) return {};
    }
    return std::string(rest.substr(0, rest.size() - reader.rest().size()));
}

/// The values at the fields that have rows of unique values.
class UniqueKeys final : public ValueSink {
public:
    UniqueKeys(const sdk::Reader& reader, NameTable& names, const Record& record,
               const std::vector<std::uint64_t>& fields)
        : reader_(reader), names_(names), record_(record), fields_(fields) {}

    sdk::Result<void> scalar(std::string_view path, const WalkedValue& value) override {
        const auto number = names_.find(reader_, path);
        if (!number) return number.error();
        const bool is_unique =
            *number && std::find(fields_.begin(), fields_.end(), **number) != fields_.end();
        if (is_unique) keys.push_back(unique_key(record_.collection, **number, value.text));
        return {};
    }
    void structure(std::string_view, bool, bool) override {}

    std::vector<std::string> keys;

private:
    const sdk::Reader& reader_;
    NameTable& names_;
    const Record& record_;
    const std::vector<std::uint64_t>& fields_;
};

}  // namespace

sdk::Result<RecordImage> CollectionCheck::image(const Record& record) {
    const ImageBuilder::FieldNumber number =
        [this](std::string_view path) -> sdk::Result<std::uint64_t> {
        const auto found = names_.find(reader_, path);
        if (!found) return found.error();
        if (*found) return **found;
        differ("the field name '" + std::string(path) + "' has no number");
        return 0;
    };
    return image_of(record, record.entry_form(), number, state_.unindexed);
}

sdk::Result<CollectionCheck::Entries> CollectionCheck::index_keys(const Record& record) {
    const auto entries = image(record);
    if (!entries) return entries.error();
    const std::string prefix = collection_prefix(collection_, 'x');
    Entries keys;
    keys.reserve(entries->size());
    for (std::size_t i = 0; i < entries->size(); ++i) {
        keys.push_back(prefix + std::string((*entries)[i]) + record.sequence);
    }
    return keys;
}

sdk::Result<CollectionCheck::Entries> CollectionCheck::over_indexed_keys(const Record& record) {
    const auto entries = image(record);
    if (!entries) return entries.error();
    if (!entries->is_over_indexed()) return Entries();
    return Entries{collection_prefix(collection_, 'b') + record.sequence};
}

sdk::Result<CollectionCheck::Entries> CollectionCheck::composite_keys(const Record& record) {
    Entries keys;
    if (state_.composites.empty() && state_.made.all.empty()) return keys;
    FieldValues values;
    for (const CompositeIndexState& index : state_.composites) {
        for (const std::string& field : index.fields)
            values.watch(field);
    }
    for (const SpaceIndex& index : state_.made.all) {
        for (const sdk::IndexMember& member : index.members)
            values.watch(member.path);
    }
    if (auto walked = walk_values(record.text(), {&values}); !walked) return walked.error();
    for (const CompositeIndexState& index : state_.composites) {
        if (!index.maintains(record.sequence)) continue;
        const CompositeImage image = composite_image(index, values);
        for (const std::string& equality : image.equalities) {
            keys.push_back(composite_prefix(collection_, index.number, equality) + image.order +
                           record.sequence);
        }
        if (!image.overflows) continue;
        keys.push_back(composite_overflow_prefix(collection_, index.number) + record.sequence);
    }
    for (const SpaceIndex& index : state_.made.all) {
        if (!index.maintains(record.sequence)) continue;
        const auto own = space_index_keys(collection_, index, record.sequence, values);
        keys.insert(keys.end(), own.begin(), own.end());
    }
    return keys;
}

bool CollectionCheck::is_compared(std::string_view key) const {
    const std::string indexes = collection_prefix(collection_, 'y');
    if (!key.starts_with(indexes)) return true;
    const auto number = space_index_number(key.substr(indexes.size()));
    return !number || !state_.made.is_former(*number);
}

std::string CollectionCheck::composite_group(std::string_view entry) const {
    sdk::KeyReader reader(entry);
    const auto number = reader.integer();
    const std::string_view head = entry.substr(0, entry.size() - reader.rest().size());
    const auto index = std::find_if(
        state_.composites.begin(), state_.composites.end(),
        [&](const CompositeIndexState& one) { return number && one.number == *number; });
    const auto tag = reader.tag();
    // The tag that tells entries from records with too many values; see composite_index.cpp.
    if (index == state_.composites.end() || !tag || *tag != 'e') return {};
    return std::string(head) + equality_part(reader, reader.rest(), index->equality_count());
}

sdk::Result<void> CollectionCheck::find_unique_fields() {
    const std::string prefix = collection_prefix(collection_, 'u');
    const auto cursor =
        reader_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    while (cursor->is_valid()) {
        const auto field = sdk::KeyReader(cursor->key().substr(prefix.size())).integer();
        if (!field) {
            differ("a row of unique values cannot be read");
            cursor->next();
            continue;
        }
        unique_fields_.push_back(*field);
        cursor->seek(sdk::prefix_end(unique_prefix(collection_, *field)));
    }
    return cursor->status();
}

sdk::Result<std::vector<std::string>> CollectionCheck::unique_keys(const Record& record) {
    UniqueKeys keys(reader_, names_, record, unique_fields_);
    if (auto walked = walk_values(record.text(), {&keys}); !walked) return walked.error();
    return std::move(keys.keys);
}

sdk::Result<void> CollectionCheck::check_unique() {
    if (auto found = find_unique_fields(); !found) return found;
    if (unique_fields_.empty()) return {};
    auto visited = each_record([&](const Record& record) -> sdk::Result<void> {
        const auto keys = unique_keys(record);
        if (!keys) return keys.error();
        for (const std::string& key : *keys) {
            const auto holder = reader_.get(key);
            if (!holder) return holder.error();
            if (*holder && **holder == record.sequence) continue;
            differ("record " + sequence_text(record.sequence) + " does not hold its unique value");
        }
        return {};
    });
    if (!visited) return visited;
    Record record;
    return each_entry(collection_prefix(collection_, 'u'),
                      [&](std::string_view key, std::string_view sequence) -> sdk::Result<void> {
                          const auto found = read(sequence, record);
                          if (!found) return found.error();
                          if (*found) {
                              const auto keys = unique_keys(record);
                              if (!keys) return keys.error();
                              if (std::find(keys->begin(), keys->end(), key) != keys->end())
                                  return {};
                          }
                          differ("a unique value is held by " + sequence_text(sequence) +
                                 ", which does not have it");
                          return {};
                      });
}

sdk::Result<void> CollectionCheck::check_aliases() {
    const std::string prefix = collection_prefix(collection_, 'a');
    std::string stored;
    auto visited =
        each_entry(prefix, [&](std::string_view key, std::string_view value) -> sdk::Result<void> {
            const AliasTarget target = AliasTarget::decode(value);
            const auto alias = sdk::KeyReader(key.substr(prefix.size())).text();
            const auto record = reader_.get_into(record_path(collection_, target.sequence), stored);
            if (!record) return record.error();
            if (!*record) differ("the name '" + alias.value_or("") + "' leads to no record");
            const auto back = reader_.get_into(
                alias_of_key(collection_, target.sequence, alias.value_or("")), stored);
            if (!back) return back.error();
            if (!*back) differ("the name '" + alias.value_or("") + "' is not listed at its record");
            return {};
        });
    if (!visited) return visited;
    const std::string listed = collection_prefix(collection_, 'A');
    return each_entry(listed, [&](std::string_view key, std::string_view) -> sdk::Result<void> {
        sdk::KeyReader reader(key.substr(listed.size()));
        const auto sequence = reader.raw(kSequenceSize);
        const auto alias = reader.text();
        const auto target = reader_.get_into(alias_key(collection_, alias.value_or("")), stored);
        if (!target) return target.error();
        const bool fits = sequence && *target && AliasTarget::decode(stored).sequence == *sequence;
        if (!fits) differ("a record lists the name '" + alias.value_or("") + "' wrongly");
        return {};
    });
}

std::vector<std::string> DocumentStore::check(const sdk::Reader& reader,
                                              const OpenSpace& open_space) {
    std::vector<std::string> differences;
    const auto platforms = reader.scan({}, sdk::ScanDirection::forward);
    while (platforms->is_valid()) {
        const auto platform = sdk::KeyReader(platforms->key()).integer();
        if (!platform) {
            differences.emplace_back("a key belongs to no platform");
            platforms->next();
            continue;
        }
        if (auto checked = check_platform(reader, *platform, open_space, differences); !checked) {
            differences.push_back(
                not_checked("platform " + std::to_string(*platform), checked.error()));
        }
        const std::string end = sdk::prefix_end(sdk::KeyWriter().integer(*platform).key());
        if (end.empty()) break;
        platforms->seek(end);
    }
    if (auto status = platforms->status(); !status) {
        differences.push_back(not_checked("the rest of the store", status.error()));
    }
    return differences;
}

sdk::Result<void> DocumentStore::check_platform(const sdk::Reader& reader, std::uint64_t platform,
                                                const OpenSpace& open_space,
                                                std::vector<std::string>& differences) {
    const auto platform_state = reader.get(platform_state_path(platform));
    if (!platform_state) return platform_state.error();
    // What is being erased fits nothing any more.
    if (*platform_state == kRemovedPlatform) return {};
    const std::string catalogue = kind_prefix(platform, 'C');
    const std::string records = kind_prefix(platform, 'd');
    std::set<std::uint64_t> numbers;
    for (const std::string& prefix : {catalogue, records}) {
        const auto cursor =
            reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        while (cursor->is_valid()) {
            const auto number = sdk::KeyReader(cursor->key().substr(prefix.size())).integer();
            if (!number) {
                differences.emplace_back("a collection's number cannot be read");
                cursor->next();
                continue;
            }
            const bool is_new = numbers.insert(*number).second;
            if (is_new && prefix == records) {
                differences.push_back("collection " + std::to_string(*number) +
                                      " has records and no name");
            }
            cursor->seek(sdk::prefix_end(sdk::KeyWriter(prefix).integer(*number).key()));
        }
        if (auto status = cursor->status(); !status) return status;
    }
    for (const std::uint64_t number : numbers) {
        auto checked = check_collection(reader, {platform, number}, open_space, differences);
        if (checked) continue;
        differences.push_back(not_checked(
            "platform " + std::to_string(platform) + ", collection " + std::to_string(number),
            checked.error()));
    }
    return {};
}

sdk::Result<void> DocumentStore::check_collection(const sdk::Reader& reader,
                                                  CollectionId collection,
                                                  const OpenSpace& open_space,
                                                  std::vector<std::string>& differences) {
    auto space = open_space ? open_space(collection) : std::optional<CheckedSpace>();
    // What a container that was removed held is cleared away behind it.
    if (!space && sdk::is_missing(space.error())) return {};
    if (!space) return space.error();
    if (*space) {
        const sdk::Reader& shown = *(*space)->reader;
        const auto state = states_->in_space(shown, collection, (*space)->rules->unindexed_fields);
        if (!state) return state.error();
        return CollectionCheck(shown, names_, collection, **state, differences).run();
    }
    const auto state = states_->of(reader, collection);
    if (!state) return state.error();
    return CollectionCheck(reader, names_, collection, **state, differences).run();
}

}  // namespace stele::kernel::storage

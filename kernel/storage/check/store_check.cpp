#include "kernel/storage/check/store_check.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/engine/row_keys.hpp"

namespace stele::kernel::storage {

namespace {

std::string printable(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        if (c >= ' ' && c <= '~') {
            text.push_back(c);
            continue;
        }
        text += "\\x";
        sdk::append_hex(text, c);
    }
    return text;
}

}  // namespace

std::string not_checked(std::string_view what, const sdk::Error& error) {
    std::string line = std::string(what) + ": it cannot be checked: " + error.message;
    if (!error.detail.empty()) line += " (" + error.detail + ")";
    return line + " [" + error.code + "]";
}

void EntrySum::add(std::string_view entry) {
    ++count;
    sum += std::hash<std::string_view>{}(entry);
}

CollectionCheck::CollectionCheck(const sdk::Reader& reader, NameTable& names,
                                 CollectionId collection, const IndexState& state,
                                 std::vector<std::string>& differences)
    : reader_(reader),
      names_(names),
      collection_(collection),
      state_(state),
      differences_(differences) {}

void CollectionCheck::differ(std::string text) {
    differences_.push_back("platform " + std::to_string(collection_.platform) + ", collection " +
                           std::to_string(collection_.number) + ": " + std::move(text));
}

sdk::Result<void> CollectionCheck::run() {
    auto counted = each_record([this](const Record& record) -> sdk::Result<void> {
        ++records_;
        const auto entries = image(record);
        if (!entries) return entries.error();
        for (const std::string& name : entries->counted())
            ++field_counts_[name];
        return {};
    });
    if (!counted) return counted;
    if (auto checked = check_counter(record_counter(collection_), records_, "number of records");
        !checked) {
        return checked;
    }
    if (auto checked = check_entries(
            'x', [this](const Record& record) { return index_keys(record); }, "index entry");
        !checked) {
        return checked;
    }
    if (auto checked = check_entries(
            'b', [this](const Record& record) { return over_indexed_keys(record); },
            "over-indexed record");
        !checked) {
        return checked;
    }
    if (auto checked = check_entries(
            'y', [this](const Record& record) { return composite_keys(record); },
            "composite entry");
        !checked) {
        return checked;
    }
    if (auto checked = check_unique(); !checked) return checked;
    if (auto checked = check_aliases(); !checked) return checked;
    for (const std::string& counters : {field_counters(collection_), shape_counters(collection_)}) {
        if (auto checked = check_field_counters(counters); !checked) return checked;
    }
    return check_counts(
        collection_prefix(collection_, 'y'), collection_prefix(collection_, 'k') + 'y',
        [this](std::string_view entry) { return composite_group(entry); }, "composite counter");
}

sdk::Result<void> CollectionCheck::each_entry(
    const std::string& prefix,
    const std::function<sdk::Result<void>(std::string_view, std::string_view)>& visit) {
    const auto cursor =
        reader_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        if (auto visited = visit(cursor->key(), cursor->value()); !visited) return visited;
    }
    return cursor->status();
}

sdk::Result<void> CollectionCheck::each_record(
    const std::function<sdk::Result<void>(const Record&)>& visit) {
    Record record;
    record.collection = collection_;
    return each_entry(collection_prefix(collection_, 'd'),
                      [&](std::string_view key, std::string_view value) -> sdk::Result<void> {
                          record.sequence.assign(sequence_of(key));
                          record.buffer().assign(value);
                          if (record.decode()) return visit(record);
                          differ("record " + sequence_text(record.sequence) + " cannot be read");
                          return {};
                      });
}

sdk::Result<bool> CollectionCheck::read(std::string_view sequence, Record& record) {
    const auto found = reader_.get_into(record_path(collection_, sequence), record.buffer());
    if (!found || !*found) return found;
    record.collection = collection_;
    record.sequence.assign(sequence);
    return record.decode();
}

sdk::Result<void> CollectionCheck::check_entries(char tag, const Expected& expected,
                                                 std::string_view what) {
    EntrySum wanted;
    auto visited = each_record([&](const Record& record) -> sdk::Result<void> {
        const auto keys = expected(record);
        if (!keys) return keys.error();
        for (const std::string& key : *keys)
            wanted.add(key);
        return {};
    });
    if (!visited) return visited;
    EntrySum present;
    visited = each_entry(collection_prefix(collection_, tag),
                         [&](std::string_view key, std::string_view) -> sdk::Result<void> {
                             if (is_compared(key)) present.add(key);
                             return {};
                         });
    if (!visited || wanted == present) return visited;
    if (auto listed = list_missing(expected, what); !listed) return listed;
    return list_surplus(tag, expected, what);
}

sdk::Result<void> CollectionCheck::list_missing(const Expected& expected, std::string_view what) {
    std::string value;
    return each_record([&](const Record& record) -> sdk::Result<void> {
        const auto keys = expected(record);
        if (!keys) return keys.error();
        for (const std::string& key : *keys) {
            const auto found = reader_.get_into(key, value);
            if (!found) return found.error();
            if (*found) continue;
            differ("record " + sequence_text(record.sequence) + " lacks " + std::string(what) +
                   " " + printable(key));
        }
        return {};
    });
}

sdk::Result<void> CollectionCheck::list_surplus(char tag, const Expected& expected,
                                                std::string_view what) {
    Record record;
    return each_entry(
        collection_prefix(collection_, tag),
        [&](std::string_view key, std::string_view) -> sdk::Result<void> {
            if (!is_compared(key)) return {};
            const auto found = read(sequence_of(key), record);
            if (!found) return found.error();
            if (*found) {
                const auto keys = expected(record);
                if (!keys) return keys.error();
                if (std::find(keys->begin(), keys->end(), key) != keys->end()) return {};
            }
            differ(std::string(what) + " " + printable(key) + " has no record that it fits");
            return {};
        });
}

sdk::Result<void> CollectionCheck::check_counter(const std::string& key, std::uint64_t count,
                                                 std::string_view what) {
    const auto stored = reader_.get(key);
    if (!stored) return stored.error();
    const std::int64_t value = sdk::read_counter(*stored);
    if (value >= 0 && static_cast<std::uint64_t>(value) == count) return {};
    differ("the counter '" + std::string(what) + "' says " + std::to_string(value) +
           ", counted are " + std::to_string(count));
    return {};
}

/// Those that begin with a prefix of either kind.
sdk::Result<void> CollectionCheck::check_field_counters(const std::string& counters) {
    const std::string all = record_counter(collection_);
    auto visited = each_entry(
        counters, [&](std::string_view key, std::string_view value) -> sdk::Result<void> {
            const std::string name(key.substr(all.size()));
            const auto counted = field_counts_.extract(name);
            compare_count("field counter", name, sdk::read_counter(std::string(value)),
                          counted.empty() ? 0 : counted.mapped());
            return {};
        });
    if (!visited) return visited;
    const auto begin = field_counts_.lower_bound(counters.substr(all.size()));
    const auto end = field_counts_.lower_bound(sdk::prefix_end(counters.substr(all.size())));
    for (auto lacking = begin; lacking != end; ++lacking)
        compare_count("field counter", lacking->first, 0, lacking->second);
    return {};
}

void CollectionCheck::compare_count(std::string_view what, std::string_view name,
                                    std::int64_t stored, std::int64_t counted) {
    if (stored == counted) return;
    differ(std::string(what) + " " + printable(name) + " says " + std::to_string(stored) +
           ", counted are " + std::to_string(counted));
}

sdk::Result<void> CollectionCheck::check_counts(const std::string& entries,
                                                const std::string& counters, const Group& group,
                                                std::string_view what) {
    const auto cursor =
        reader_.scan({counters, sdk::prefix_end(counters)}, sdk::ScanDirection::forward);
    const auto compare = [&](const std::string& name, std::int64_t count) {
        std::int64_t stored = 0;
        // Counters come in the order of the groups; those in between count nothing any more.
        for (; cursor->is_valid(); cursor->next()) {
            const std::string_view key = cursor->key().substr(counters.size());
            const std::int64_t value = sdk::read_counter(std::string(cursor->value()));
            if (key > name) break;
            if (key == name) {
                stored = value;
            } else if (value != 0) {
                differ(std::string(what) + " " + printable(key) + " says " + std::to_string(value) +
                       ", there is none");
            }
        }
        compare_count(what, name, stored, count);
    };
    std::string present;
    std::int64_t count = 0;
    auto visited =
        each_entry(entries, [&](std::string_view key, std::string_view) -> sdk::Result<void> {
            const std::string name = group(key.substr(entries.size()));
            if (name.empty()) return {};
            if (name != present && count != 0) compare(present, std::exchange(count, 0));
            present = name;
            ++count;
            return {};
        });
    if (!visited) return visited;
    if (count != 0) compare(present, count);
    compare(std::string(1, '\xff'), 0);
    return cursor->status();
}

}  // namespace stele::kernel::storage

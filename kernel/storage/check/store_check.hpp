#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/index/composite_index.hpp"
#include "kernel/storage/index/index_entries.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

class NameTable;

/// A sum over entries that does not depend on their order; equal sums stand for equal sets.
struct EntrySum {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;

    void add(std::string_view entry);
    friend bool operator==(const EntrySum&, const EntrySum&) = default;
};

/// The line that tells of something that a check could not read; it goes on with the next.
std::string not_checked(std::string_view what, const sdk::Error& error);

/// Compares what the records of a collection say with its indexes, names, unique values and
/// counters. Everything is streamed: sums first, single entries only when sums differ.
class CollectionCheck {
public:
    CollectionCheck(const sdk::Reader& reader, NameTable& names, CollectionId collection,
                    const IndexState& state, std::vector<std::string>& differences);

    sdk::Result<void> run();

private:
    using Entries = std::vector<std::string>;
    /// The keys that a record must have under one kind of key.
    using Expected = std::function<sdk::Result<Entries>(const Record&)>;

    sdk::Result<void> check_entries(char tag, const Expected& expected, std::string_view what);
    sdk::Result<void> list_missing(const Expected& expected, std::string_view what);
    sdk::Result<void> list_surplus(char tag, const Expected& expected, std::string_view what);
    sdk::Result<void> each_record(const std::function<sdk::Result<void>(const Record&)>& visit);
    sdk::Result<void> each_entry(
        const std::string& prefix,
        const std::function<sdk::Result<void>(std::string_view key, std::string_view value)>&
            visit);
    sdk::Result<bool> read(std::string_view sequence, Record& record);

    sdk::Result<Entries> index_keys(const Record& record);
    sdk::Result<Entries> over_indexed_keys(const Record& record);
    sdk::Result<Entries> composite_keys(const Record& record);
    sdk::Result<RecordImage> image(const Record& record);

    sdk::Result<void> check_aliases();
    sdk::Result<void> find_unique_fields();
    sdk::Result<void> check_unique();
    sdk::Result<std::vector<std::string>> unique_keys(const Record& record);

    /// The part of an entry that its counter is named after; empty when it has none.
    using Group = std::function<std::string(std::string_view entry)>;
    sdk::Result<void> check_counts(const std::string& entries, const std::string& counters,
                                   const Group& group, std::string_view what);
    sdk::Result<void> check_counter(const std::string& key, std::uint64_t count,
                                    std::string_view what);
    sdk::Result<void> check_field_counters(const std::string& counters);
    void compare_count(std::string_view what, std::string_view name, std::int64_t stored,
                       std::int64_t counted);
    std::string composite_group(std::string_view entry) const;
    /// Neither an entry of an index that is no more nor what describes the indexes of a space.
    bool is_compared(std::string_view key) const;

    void differ(std::string text);

    const sdk::Reader& reader_;
    NameTable& names_;
    CollectionId collection_;
    const IndexState& state_;
    std::vector<std::string>& differences_;
    std::vector<std::uint64_t> unique_fields_;
    std::uint64_t records_ = 0;
    /// What the counters of fields and shapes ought to say, by `RecordImage::counted`.
    std::map<std::string, std::int64_t> field_counts_;
};

}  // namespace stele::kernel::storage

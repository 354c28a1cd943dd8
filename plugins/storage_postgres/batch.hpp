#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <stele/sdk/optimistic/read_set.hpp>
#include <stele/sdk/optimistic/write_set.hpp>

#include "rows.hpp"

namespace stele::storage_postgres {

/// What several transactions write together, after what the store holds of their counters and
/// removed ranges was read under the lock. Keys and values are borrowed from the transactions and
/// from the answers that were kept.
class Batch {
public:
    using WriteSet = sdk::optimistic::WriteSet;

    /// Rows of key and value; kept.
    void keep_counters(Rows rows);
    /// The stored value; the key is borrowed.
    void keep_counter(std::string_view key, const std::string& value);
    /// The stored keys of the range with this number, counted over all transactions; kept.
    void keep_range(Rows rows) { ranges_.push_back(std::move(rows)); }

    /// Whether what was read is written by the batch.
    bool has_conflict(const sdk::optimistic::ReadSet& reads) const;
    /// Whether all counters stay within the bounds of `add_within`.
    bool fits_bounds(const WriteSet& writes) const;
    /// Adds a transaction; its removed ranges begin at number `first_range`. Answers the stamps
    /// that it gets.
    sdk::optimistic::Stamps add(const WriteSet& writes, std::size_t first_range);

    bool is_empty() const { return values_.empty(); }
    std::vector<std::string_view> keys() const;
    /// What it puts under one of its keys; nothing when it removes it.
    std::optional<std::string_view> value(std::string_view key) const;
    struct Puts {
        std::vector<std::string_view> keys;
        std::vector<std::string_view> values;
    };
    /// In parts of bounded size.
    std::vector<Puts> puts() const;
    std::vector<std::string_view> removed() const;

private:
    struct Value {
        bool is_put = false;
        bool is_own = false;  ///< `own` has the bytes
        std::string_view borrowed;
        std::string own;

        std::string_view bytes() const { return is_own ? std::string_view(own) : borrowed; }
    };

    std::int64_t counter(std::string_view key) const;
    void put_stamped(std::string_view key, const WriteSet::Write& write,
                     const sdk::optimistic::Stamps& stamps);
    void remove(std::string_view key, std::uint64_t hash);
    void remove_range(const sdk::KeyRange& range, const Rows& stored);

    std::map<std::string_view, Value> values_;
    std::deque<std::string> stamped_keys_;
    std::unordered_set<std::uint64_t> hashes_;
    std::vector<Rows> counter_rows_;
    std::unordered_map<std::string_view, std::int64_t> counters_;
    std::vector<Rows> ranges_;
};

}  // namespace stele::storage_postgres

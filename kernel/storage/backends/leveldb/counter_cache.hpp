#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <stele/sdk/optimistic/key_hash.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/storage/check/damage_notes.hpp"

namespace leveldb {
class DB;
class WriteBatch;
}  // namespace leveldb

namespace stele::kernel::storage {

/// Present values of the counters that were touched lately, so that adding to one needs no read and
/// all additions of a batch become one write. Only the committer's thread uses it.
class CounterCache {
public:
    CounterCache(leveldb::DB& database, DamageNotes& damage)
        : database_(database), damage_(damage) {}

    bool is_known(std::string_view key, std::uint64_t hash) const;
    /// Makes a counter known; not while the present batch has already written its key.
    sdk::Result<void> load(std::string_view key, std::uint64_t hash);
    /// Of a known counter.
    std::int64_t value(std::uint64_t hash) const { return counters_.find(hash)->second.value; }
    /// Adds to a known counter.
    void add(std::uint64_t hash, std::int64_t delta);
    /// The key is put or removed by other means.
    void overwrite(std::string_view key, std::uint64_t hash, const std::string_view* value);
    void forget_everything() {
        counters_.clear();
        changed_.clear();
    }
    /// Appends the changed counters to the batch and ends it.
    void flush(leveldb::WriteBatch& batch);

private:
    static constexpr std::size_t kMax = 65536;

    struct Counter {
        std::string key;
        std::int64_t value = 0;
        bool is_changed = false;
    };

    leveldb::DB& database_;
    DamageNotes& damage_;
    boost::unordered_flat_map<std::uint64_t, Counter, sdk::optimistic::HashIsKey> counters_;
    std::vector<std::uint64_t> changed_;
};

}  // namespace stele::kernel::storage

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/storage/backends/leveldb/removed_keys.hpp"
#include "kernel/storage/backends/leveldb/reopenable_database.hpp"
#include "kernel/storage/backends/leveldb/store_manifest.hpp"

namespace stele::kernel::storage {

/// A table that LevelDB can be brought to merge with those of the next level.
struct TableMerge {
    std::uint64_t table = 0;  ///< its number
    std::uint64_t level = 0;
    std::uint64_t size = 0;   ///< of the table
    std::uint64_t bytes = 0;  ///< of all that is merged, about
    /// Keys that hardly exist, which LevelDB looks for in this table first and then in others.
    std::vector<std::string> absent;
};

/// The table nearest to the top that holds something of a range above another one that does, as
/// long as it is not to be left out.
std::optional<TableMerge> next_merge(const StoreTables& tables, const RemovedKeys::Range& range,
                                     const std::function<bool(const TableMerge&)>& is_left_out);

/// Brings LevelDB to merge a table by looking in vain into it, as often as LevelDB lets pass, and
/// waits until nothing is merged any more or `must_stop` says so.
void provoke_merge(ReopenableDatabase& database, const TableMerge& merge,
                   const std::function<bool()>& must_stop);

}  // namespace stele::kernel::storage

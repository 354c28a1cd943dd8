#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <leveldb/env.h>

namespace stele::kernel::storage {

/// LevelDB's window on the operating system, but for tables: these are read piece by piece instead
/// of being mapped into the memory. So blocks go into LevelDB's cache, their checksums are verified
/// once and not with every use, and a disk that fails to read makes an error and ends no process.
class TableEnv final : public leveldb::EnvWrapper {
public:
    TableEnv();

    leveldb::Status NewRandomAccessFile(const std::string& name,
                                        leveldb::RandomAccessFile** file) override;

    /// How many blocks this thread has read of tables. What a cursor shows without further reads
    /// was verified when it came in.
    static std::uint64_t reads_of_thread();
    /// Where the last failure of a checksum on this thread came from: file and offset, found by
    /// looking again at the blocks that this thread read last; as much as is known otherwise.
    static std::string locate_damage();

private:
    /// So many tables stay open; further ones are opened for each read.
    std::atomic<int> free_descriptors_;
};

}  // namespace stele::kernel::storage

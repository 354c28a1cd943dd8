#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

namespace stele::bench {

/// An entry with a value is a record, one without belongs to an index.
struct Change {
    std::string key;
    std::optional<std::string> value;  ///< nothing: the entry is removed
};

/// What a branch shows at one of its changesets.
struct View {
    std::uint32_t line = 0;
    std::uint64_t revision = 0;
};

/// A way to keep versions of sorted entries over LevelDB, reduced to what its cost depends on. No
/// concurrency, no failures.
class VersionStore {
public:
    explicit VersionStore(leveldb::DB& database) : database_(database) {}
    virtual ~VersionStore() = default;

    /// One changeset at the tip of a line; entries that exist are replaced.
    void commit(std::uint32_t line, const std::vector<Change>& changes);
    std::uint32_t fork(View at);
    View tip(std::uint32_t line) const { return {line, lines_[line].tip}; }

    virtual bool read(View view, std::string_view key, std::string& value) = 0;
    /// The first keys from `begin` up to `end`; answers how many entries were passed.
    virtual std::size_t scan(View view, std::string_view begin, std::string_view end,
                             std::size_t most, std::vector<std::string>& keys) = 0;

    void compact() { database_.CompactRange(nullptr, nullptr); }
    std::uint64_t written_bytes() const { return written_bytes_; }

protected:
    struct Line {
        View parent;
        std::uint64_t tip = 0;
        bool is_root = true;
    };
    /// A line with the last of its revisions that a view shows.
    struct Link {
        std::uint32_t line;
        std::uint64_t bound;
    };

    /// The line of a view, then those that it was forked from.
    std::vector<Link> chain(View view) const;
    virtual void write(leveldb::WriteBatch& batch, View at, const std::vector<Change>& changes) = 0;
    virtual void forked(std::uint32_t line, View from);
    std::unique_ptr<leveldb::Iterator> iterator() const;

    leveldb::DB& database_;
    std::vector<Line> lines_{Line{}};
    std::uint64_t revision_ = 0;
    std::uint64_t written_bytes_ = 0;
};

/// Present entries of each line, ended ones in blocks of revisions, records in lists of versions.
std::unique_ptr<VersionStore> make_overlay(leveldb::DB& database);
/// Every entry with all its versions, one behind the other.
std::unique_ptr<VersionStore> make_version_lists(leveldb::DB& database);
/// A tree of pages that are never changed: each changeset writes new ones up to a new root.
std::unique_ptr<VersionStore> make_page_tree(leveldb::DB& database);

void append_number(std::string& bytes, std::uint64_t number);
std::uint64_t read_number(std::string_view bytes);
/// The newest version of the newest line comes first.
std::string version_key(std::string_view key, std::uint64_t line, std::uint64_t revision);

inline leveldb::Slice slice(std::string_view bytes) {
    return {bytes.data(), bytes.size()};
}
inline std::string_view view_of(const leveldb::Slice& bytes) {
    return {bytes.data(), bytes.size()};
}

}  // namespace stele::bench

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <stele/sdk/engine.hpp>

#include "link.hpp"
#include "tip_cache.hpp"

namespace stele::nodes {

/// Counts by key; those that are 0 are left out.
using Counts = std::map<std::string, std::int64_t, std::less<>>;

/// How a line began.
struct LineOrigin {
    /// What it comes from.
    Link from;
    /// See `Link::loaded`; `kUncommitted` while it is loaded.
    Revision loaded = 0;
};

/// A record that shows at the tip of a line.
struct KnownRecord {
    std::string bytes;
    /// Behind the key of the version.
    std::string end;
};

/// What never changes once it is committed, and would be read or added up again and again: where
/// lines come from, and the counts of past revisions; beside it, records at a newest revision. Keys
/// are those of the store, so one cache serves all repositories. Bounded. Any thread.
class VersionCache {
public:
    std::optional<LineOrigin> find_origin(std::string_view line_key);
    void keep_origin(std::string line_key, LineOrigin origin);

    /// Null when they are not known.
    std::shared_ptr<const Counts> find_counts(std::string_view key);
    void keep_counts(std::string key, std::shared_ptr<const Counts> counts);

    /// Who reads a line by a transaction that loads it reads by its load, until that goes
    /// (`LineLoad`). The key is that of the line's row.
    struct Load {
        const sdk::Reader* reader = nullptr;
        /// The newest revision that may show beside the line's own.
        Revision newest = 0;
    };
    void add_load(const sdk::Reader& transaction, std::string line_key, Load load);
    void remove_load(const sdk::Reader& transaction, const std::string& line_key);
    bool has_loads() const { return has_loads_; }
    /// Whether anybody loads the line: as long as that lives, however long it rests.
    bool is_loading(std::string_view line_key);
    /// Nothing where the reader loads no such line.
    std::optional<Load> find_load(const sdk::Reader& reader, const std::string& line_key);

    /// By the key at which a search for the record begins.
    TipCache<KnownRecord>& records() { return records_; }
    /// How many entries ranges have at the tips of lines, by the ends of the range there.
    TipCache<std::uint64_t>& range_sizes() { return range_sizes_; }

private:
    static constexpr std::size_t kMaxOrigins = 100'000;
    /// All remembered revisions together.
    static constexpr std::size_t kMaxCounts = 100'000;

    static constexpr std::size_t kMaxRecordBytes = std::size_t{32} << 20;
    static constexpr std::size_t kMaxSizeBytes = std::size_t{1} << 20;

    struct Past {
        std::string key;
        std::shared_ptr<const Counts> counts;
    };

    std::mutex mutex_;
    std::map<std::string, LineOrigin, std::less<>> origins_;
    /// Those used last come first.
    std::list<Past> pasts_;
    std::unordered_map<std::string_view, std::list<Past>::iterator> past_of_;
    std::size_t counts_ = 0;

    std::atomic<bool> has_loads_ = false;
    std::map<std::pair<const sdk::Reader*, std::string>, Load> loads_;

    TipCache<KnownRecord> records_{kMaxRecordBytes};
    TipCache<std::uint64_t> range_sizes_{kMaxSizeBytes};
};

}  // namespace stele::nodes

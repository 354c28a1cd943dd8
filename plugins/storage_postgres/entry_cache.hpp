#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

namespace stele::storage_postgres {

struct Entry {
    std::string key;
    std::string value;
};

/// What readers found lately: parts of the store, each with all the entries in it, so that also
/// what is not there is known. Exact: it answers what the store has at the reader's version, or
/// nothing. Bounded; any thread.
///
/// `ChangeFeed` alone changes what is known, version after version, and does so before the version
/// is published. Whoever reads at a version therefore finds nothing older here, and a part that
/// holds something newer says so by its `since`.
class EntryCache {
public:
    static constexpr std::size_t kMaxValueBytes = 16 * 1024;
    /// Longer parts are not kept: what walks over all of the store passes by.
    static constexpr std::size_t kMaxPartBytes = 64 * 1024;

    /// Keeps nothing with 0 bytes.
    explicit EntryCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}
    bool keeps_something() const { return most_bytes_ > 0; }

    /// Whether the key exists at the version, and then its value; nothing when that is not known.
    std::optional<bool> find(std::string_view key, std::uint64_t version, std::string& value);
    struct Stretch {
        std::vector<Entry> entries;  ///< in scan direction
        sdk::KeyRange covered;       ///< what they are all of; begins, or ends, as was asked
    };
    /// The known entries from the edge of the range on, at most so many; nothing when even the
    /// first is not known. The range has an end.
    std::optional<Stretch> find_range(const sdk::KeyRange& range, sdk::ScanDirection direction,
                                      std::uint64_t version, std::size_t most);

    /// Entries, in key order, are all of the range at `version`, and none of it was written since.
    void keep(sdk::KeyRange range, std::vector<Entry> entries, std::uint64_t version);
    void keep(std::string_view key, std::optional<std::string_view> value, std::uint64_t version);
    /// `version` puts the key; `may_add` where nothing was known of it, or that stays so.
    void put(std::string_view key, std::string_view value, std::uint64_t version, bool may_add);
    void remove(std::string_view key, std::uint64_t version);
    /// A version writes the key, with a value that is not known.
    void forget(std::string_view key);
    void forget_everything();

    std::size_t memory() const;

private:
    struct Part {
        std::string end;
        std::uint64_t since = 0;  ///< lowest version at which it is known to be so
        std::vector<Entry> entries;
        std::size_t bytes = 0;
        bool is_used = false;  ///< since the hand came by

        std::vector<Entry>::iterator at_or_above(std::string_view key);
    };
    using Parts = std::map<std::string, Part, std::less<>>;

    /// The part with the key in it, or the end.
    Parts::iterator part_of(std::string_view key);
    /// The part with the keys directly below `end` in it, or the end.
    Parts::iterator part_below(std::string_view end);
    void insert(std::string begin, Part part);
    Parts::iterator erase(Parts::iterator part);
    void take_out(Part& part, std::string_view key);
    /// Leaves a key out of what is known; what lies on both sides stays known.
    void cut(Parts::iterator part, std::string_view key);
    /// Drops parts that were not used since the hand last came by.
    void make_room();

    const std::size_t most_bytes_;
    mutable std::mutex mutex_;
    Parts parts_;  ///< by their begin; none reaches into another
    std::size_t bytes_ = 0;
    std::string hand_;  ///< where the search for what to drop goes on
};

}  // namespace stele::storage_postgres

// What the cache of the PostgreSQL engine says must be what the store has, at every version.
#include <algorithm>
#include <map>
#include <random>

#include <catch2/catch.hpp>

#include "plugins/storage_postgres/entry_cache.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::testing {

namespace {

using sdk::KeyRange;
using sdk::ScanDirection;
using storage_postgres::Entry;
using storage_postgres::EntryCache;

using State = std::map<std::string, std::string>;

std::vector<Entry> entries_of(const State& state, const KeyRange& range) {
    std::vector<Entry> entries;
    for (auto at = state.lower_bound(range.begin); at != state.end() && at->first < range.end; ++at)
        entries.push_back({at->first, at->second});
    return entries;
}

/// A store with all its versions, and a cache that readers and commits keep.
class CachedStore {
public:
    explicit CachedStore(std::uint32_t seed, std::size_t bytes) : random_(seed), cache_(bytes) {}

    void step() {
        switch (number(6)) {
            case 0:
                return commit();
            case 1:
                return keep_key();
            case 2:
                return keep_range();
            case 3:
                return check_key();
            default:
                return check_range();
        }
    }

    std::size_t memory() const { return cache_.memory(); }
    std::size_t answers() const { return answers_; }

private:
    std::uint32_t number(std::uint32_t below) { return random_() % below; }
    std::string key() {
        std::string text;
        for (std::uint32_t size = 1 + number(2); size > 0; --size)
            text.push_back(static_cast<char>('a' + number(4)));
        return text;
    }
    KeyRange range() {
        KeyRange range{key(), key()};
        if (range.end < range.begin) std::swap(range.begin, range.end);
        range.end.push_back('\0');
        return range;
    }
    std::uint64_t present() const { return states_.size() - 1; }
    std::uint64_t version() {
        return number(4) != 0 ? present() : number(static_cast<std::uint32_t>(states_.size()));
    }

    void commit() {
        State next = states_.back();
        const std::uint64_t version = states_.size();
        for (std::uint32_t writes = 1 + number(3); writes > 0; --writes) {
            const std::string written = key();
            const std::string value = std::to_string(version);
            switch (number(4)) {
                case 0:
                    next[written] = value;
                    cache_.forget(written);
                    break;
                case 1:
                    next.erase(written);
                    cache_.remove(written, version);
                    break;
                default:
                    next[written] = value;
                    cache_.put(written, value, version, number(2) == 0);
            }
        }
        states_.push_back(std::move(next));
    }

    /// As a reader of the present version does, who alone is sure that nothing was written since.
    void keep_key() {
        const std::string kept = key();
        const auto found = states_.back().find(kept);
        cache_.keep(kept,
                    found == states_.back().end() ? std::nullopt
                                                  : std::optional<std::string_view>(found->second),
                    present());
    }
    void keep_range() {
        const KeyRange kept = range();
        cache_.keep(kept, entries_of(states_.back(), kept), present());
    }

    void check_key() {
        const std::string asked = key();
        const std::uint64_t at = version();
        const State& state = states_[at];
        std::string value;
        const auto is_there = cache_.find(asked, at, value);
        if (!is_there) return;
        ++answers_;
        const auto found = state.find(asked);
        REQUIRE(*is_there == (found != state.end()));
        if (*is_there) REQUIRE(value == found->second);
    }

    void check_range() {
        const KeyRange asked = range();
        const bool is_forward = number(2) == 0;
        const std::uint64_t at = version();
        const std::size_t most = 1 + number(8);
        const auto known = cache_.find_range(
            asked, is_forward ? ScanDirection::forward : ScanDirection::backward, at, most);
        if (!known) return;
        ++answers_;
        REQUIRE(known->entries.size() <= most);
        REQUIRE(
            (is_forward ? known->covered.begin == asked.begin : known->covered.end == asked.end));
        REQUIRE(known->covered.begin >= asked.begin);
        REQUIRE(known->covered.end <= asked.end);
        REQUIRE(known->covered.begin < known->covered.end);
        auto wanted = entries_of(states_[at], known->covered);
        if (!is_forward) std::reverse(wanted.begin(), wanted.end());
        REQUIRE(known->entries.size() == wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            REQUIRE(known->entries[i].key == wanted[i].key);
            REQUIRE(known->entries[i].value == wanted[i].value);
        }
    }

    std::mt19937 random_;
    EntryCache cache_;
    std::vector<State> states_ = std::vector<State>(1);
    std::size_t answers_ = 0;
};

}  // namespace

TEST_CASE("what the cache knows is what the store has at the reader's version") {
    for (int seed = 0; seed < repetitions(60); ++seed) {
        INFO("seed " << seed);
        // Half of them have room for a few parts only.
        CachedStore store(static_cast<std::uint32_t>(seed), seed % 2 == 0 ? 1 << 20 : 2000);
        for (int i = 0; i < 2000; ++i)
            store.step();
        CHECK(store.answers() > 100);
        if (seed % 2 != 0) CHECK(store.memory() <= 2000);
    }
}

TEST_CASE("a cache that forgets everything has nothing left and no memory") {
    EntryCache cache(1 << 20);
    cache.keep("a", "1", 1);
    cache.keep(KeyRange{"b", "c"}, std::vector<Entry>{{"b", "2"}}, 1);
    CHECK(cache.memory() > 0);
    cache.forget_everything();
    std::string value;
    CHECK_FALSE(cache.find("a", 1, value));
    CHECK_FALSE(cache.find("b", 1, value));
    CHECK(cache.memory() == 0);
}

TEST_CASE("large values and long parts are not kept") {
    EntryCache cache(1 << 20);
    std::string value;
    cache.keep("large", std::string(EntryCache::kMaxValueBytes + 1, 'x'), 1);
    CHECK_FALSE(cache.find("large", 1, value));
    cache.keep("a", "small", 1);
    cache.put("a", std::string(EntryCache::kMaxValueBytes + 1, 'x'), 2, true);
    CHECK_FALSE(cache.find("a", 2, value));
    std::vector<Entry> entries;
    for (int i = 100; i < 110; ++i)
        entries.push_back({"k" + std::to_string(i), std::string(8000, 'x')});
    cache.keep(KeyRange{"k", "l"}, entries, 1);
    CHECK_FALSE(cache.find("k100", 1, value));
}

}  // namespace stele::testing

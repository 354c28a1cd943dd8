#include "kernel/authority/relatives.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>
#include <unordered_map>

#include <stele/sdk/time.hpp>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/removed_collections.hpp"

namespace stele::kernel::authority {

namespace {

constexpr char kUser = 'u';
constexpr char kGroup = 'g';
// Room for 65,536 joinings in one millisecond before the numbers run ahead of the clock.
constexpr int kJoiningsBits = 16;

struct Membership {
    std::uint64_t joined;
    sdk::PrincipalKind member_kind;
};

sdk::Result<Membership> decode_membership(std::string_view value) {
    sdk::KeyReader reader(value);
    const auto joined = reader.integer();
    const auto kind = reader.tag();
    if (!joined || (kind != kUser && kind != kGroup)) return broken_entry("a membership");
    return Membership{*joined,
                      kind == kUser ? sdk::PrincipalKind::user : sdk::PrincipalKind::group};
}

/// The relatives found so far, in the order in which the walk met them.
class Walk {
public:
    Walk(const sdk::Reader& reader, std::uint64_t platform, Towards towards)
        : reader_(reader), removed_(reader), platform_(platform), towards_(towards) {}

    void add_start(const sdk::RecordKey& start) {
        if (places_.emplace(start, found_.size()).second)
            found_.push_back({start, 0, sdk::PrincipalKind::group});
    }

    sdk::Result<void> step_from(std::size_t place) {
        // Users have no members.
        if (towards_ == Towards::members && found_[place].kind == sdk::PrincipalKind::user)
            return {};
        const char tag = towards_ == Towards::members ? kMemberTag : kMembershipTag;
        const std::string prefix = entries_prefix(platform_, tag, found_[place].key);
        return each_entry(reader_, prefix, [this](std::string_view key, std::string_view value) {
            return meet(key, value);
        });
    }

    std::size_t size() const { return found_.size(); }
    std::vector<Relative> take() { return std::move(found_); }

private:
    sdk::Result<void> meet(std::string_view key, std::string_view value) {
        const auto membership = decode_membership(value);
        if (!membership) return membership.error();
        const auto is_removed = removed_.has(key);
        if (!is_removed) return is_removed.error();
        if (*is_removed) return {};
        const auto [place, is_new] = places_.emplace(key, found_.size());
        if (is_new) {
            const auto kind =
                towards_ == Towards::members ? membership->member_kind : sdk::PrincipalKind::group;
            found_.push_back({sdk::RecordKey(key), membership->joined, kind});
        } else {
            Relative& known = found_[place->second];
            known.joined = std::min(known.joined, membership->joined);
        }
        return {};
    }

    const sdk::Reader& reader_;
    RemovedCollections removed_;
    std::uint64_t platform_;
    Towards towards_;
    std::vector<Relative> found_;
    std::unordered_map<sdk::RecordKey, std::size_t> places_;
};

}  // namespace

std::string encode_membership(std::uint64_t joined, sdk::PrincipalKind member_kind) {
    return sdk::KeyWriter()
        .integer(joined)
        .tag(member_kind == sdk::PrincipalKind::user ? kUser : kGroup)
        .key();
}

std::uint64_t next_joining() {
    static std::atomic<std::uint64_t> last{0};
    const auto now = static_cast<std::uint64_t>(sdk::now_ms()) << kJoiningsBits;
    std::uint64_t before = last.load();
    std::uint64_t next = 0;
    do {
        next = std::max(now, before + 1);
    } while (!last.compare_exchange_weak(before, next));
    return next;
}

sdk::Result<std::vector<Relative>> relatives(const sdk::Reader& reader, std::uint64_t platform,
                                             Towards towards,
                                             const std::vector<sdk::RecordKey>& starts,
                                             bool is_indirect) {
    Walk walk(reader, platform, towards);
    for (const sdk::RecordKey& start : starts)
        walk.add_start(start);
    const std::size_t start_count = walk.size();
    for (std::size_t i = 0; i < (is_indirect ? walk.size() : start_count); ++i) {
        if (auto stepped = walk.step_from(i); !stepped) return stepped.error();
    }
    std::vector<Relative> found = walk.take();
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(start_count));
    std::sort(found.begin(), found.end(), [](const Relative& a, const Relative& b) {
        return std::tie(a.joined, a.key) < std::tie(b.joined, b.key);
    });
    return found;
}

}  // namespace stele::kernel::authority

// What a check finds by a look at the first few grants, and by a walk over all groups of whoever is
// asked for, is the same.
#include <array>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "tests/authority/authority_fakes.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::kernel::authority::testing {

namespace {

constexpr std::uint64_t kHere = 1;
constexpr std::uint64_t kElsewhere = 2;
constexpr std::uint64_t kUsers = 150;
/// Two domains of groups, so that one of them can be removed.
constexpr std::uint64_t kGroups = 151;
constexpr std::uint64_t kOtherGroups = 152;
/// In front of all principals.
constexpr std::uint64_t kStrangers = 140;
/// More than are looked at without a walk.
constexpr std::uint64_t kCrowd = 20;

using Keys = std::vector<sdk::RecordKey>;

Keys keys_of(std::uint64_t platform, std::uint64_t collection, std::uint64_t count) {
    Keys keys;
    for (std::uint64_t i = 1; i <= count; ++i)
        keys.push_back(record_key(platform, collection, i));
    return keys;
}

/// A store with two branches that were forked from one another, leaves of both that came through
/// them, some of which give each other rights, and principals.
struct Place {
    FakeTree tree;
    Keys records;
    Keys containers;
    Keys principals;
    Keys groups;

    Place() {
        const auto root = record_key(kHere, 1, 0);
        const auto shop = record_key(kHere, 2, 1);
        const Keys branches = keys_of(kHere, 3, 3);
        const Keys leaves = keys_of(kHere, 102, 4);
        const auto made_on_middle = record_key(kHere, 101, 2);
        const auto leaf_on_middle = record_key(kHere, 101, 3);
        const auto first_leaf = record_key(kHere, 100, 1);
        tree.containers[shop] = root;
        for (const auto& branch : branches)
            tree.containers[branch] = shop;
        for (const auto& leaf : leaves)
            tree.containers[leaf] = branches[2];
        tree.containers[made_on_middle] = tree.containers[leaf_on_middle] = branches[1];
        tree.containers[first_leaf] = branches[0];
        tree.origins = {{branches[1], {branches[0]}}, {branches[2], {branches[1], branches[0]}}};
        tree.came_through = {{leaves[1], 1}, {leaves[2], 2}, {leaf_on_middle, 1}};
        tree.elsewhere = {{{leaves[1], branches[1]}, made_on_middle},
                          {{leaves[2], branches[1]}, leaf_on_middle},
                          {{leaf_on_middle, branches[0]}, first_leaf}};
        containers = {root, shop, branches[0], branches[1], branches[2]};
        records = containers;
        records.insert(records.end(), leaves.begin(), leaves.end());
        records.insert(records.end(), {made_on_middle, leaf_on_middle, first_leaf});
        principals = keys_of(kHere, kUsers, 4);
        groups = keys_of(kHere, kGroups, 4);
        for (const auto& group : keys_of(kHere, kOtherGroups, 2))
            groups.push_back(group);
        principals.insert(principals.end(), groups.begin(), groups.end());
        principals.push_back(record_key(kElsewhere, kUsers, 1));
    }
};

/// Two stores to which the same happens. In one of them strangers stand in front of everybody in
/// the list of whom a record is granted to.
class Twins {
public:
    explicit Twins(unsigned seed) : random_(seed) {
        store_.set_policy_source(&policies_);
        const Keys strangers = keys_of(kHere, kStrangers, kCrowd);
        write(crowded_, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
            for (const auto& record : place_.records) {
                for (const auto& stranger : strangers)
                    expect(store_.grant(transaction, record, stranger, "consumer"));
            }
            return {};
        });
        // What records say of themselves stays as it is.
        for (const auto& record : place_.records) {
            if (below(8) == 0) place_.tree.reaching.insert(record);
            if (below(8) == 0) place_.tree.makers[record] = pick(place_.principals);
        }
        const Keys& records = place_.records;
        if (below(2) == 0) {
            place_.tree.siblings[records[6]] = {};
            place_.tree.siblings[records[7]] = place_.tree.siblings[records[5]] = {records[6]};
        }
    }

    void step() {
        const auto change = any_change();
        for (sdk::testing::MemoryEngine* const engine : {&plain_, &crowded_})
            write(*engine, change);
    }

    void compare() {
        for (int i = 0; i < 20; ++i) {
            const auto& principal = pick(place_.principals);
            const auto& record = pick(place_.records);
            const auto& container = pick(place_.containers);
            check([&](const sdk::Reader& reader) {
                return value_of(store_.permissions(reader, principal, record)).bits();
            });
            check([&](const sdk::Reader& reader) {
                return value_of(store_.granted_permissions(reader, principal, record)).bits();
            });
            check([&](const sdk::Reader& reader) {
                return value_of(store_.inside_permissions(reader, principal, container)).bits();
            });
            check([&](const sdk::Reader& reader) {
                return value_of(store_.made_inside_permissions(reader, principal, container))
                    .bits();
            });
            check([&](const sdk::Reader& reader) {
                const auto held =
                    value_of(store_.inherited_permissions(reader, principal, container));
                return held ? static_cast<int>(held->bits()) : -1;
            });
            check([&](const sdk::Reader& reader) {
                return value_of(store_.reads_inside(reader, principal, container));
            });
            const std::string role = any_role();
            check([&](const sdk::Reader& reader) {
                return value_of(store_.has_role(reader, principal, record, role));
            });
        }
    }

    int answers = 0;
    int rights = 0;

private:
    using Change = std::function<sdk::Result<void>(sdk::Transaction&)>;

    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
    }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(from.size())];
    }
    std::string any_role() {
        static const std::vector<std::string> keys{"consumer", "editor", "manager", "owner",
                                                   "connector"};
        return pick(keys);
    }

    template <class Ask>
    void check(const Ask& ask) {
        const auto plain = ask(*plain_.snapshot());
        ++answers;
        rights += plain > 0 ? 1 : 0;
        CHECK(plain == ask(*crowded_.snapshot()));
    }

    Change any_change() {
        const auto record = pick(place_.records);
        const auto principal = pick(place_.principals);
        const auto group = pick(place_.groups);
        const std::string role = any_role();
        const std::size_t kind = below(100);
        if (kind < 30) {
            return [=, this, deep = below(3) == 0,
                    whole = below(3) == 0](sdk::Transaction& transaction) -> sdk::Result<void> {
                auto granted = store_.grant(transaction, record, principal, role, deep);
                if (!granted || !whole) return granted;
                return store_.make_whole(transaction, record, principal, role);
            };
        }
        if (kind < 52) {
            return [=, this](sdk::Transaction& transaction) {
                return store_.revoke(transaction, record, principal, "all");
            };
        }
        if (kind < 72) {
            const bool is_user = principal.starts_with(collection_prefix(kHere, kUsers));
            const auto member_kind = is_user ? sdk::PrincipalKind::user : sdk::PrincipalKind::group;
            return [=, this](sdk::Transaction& transaction) {
                return store_.add_member(transaction, group, principal, member_kind);
            };
        }
        if (kind < 84) {
            return [=, this](sdk::Transaction& transaction) {
                return store_.remove_member(transaction, group, principal);
            };
        }
        if (kind < 88) {
            return [=, this](sdk::Transaction& transaction) {
                return store_.set_everyone(transaction, kHere, group);
            };
        }
        if (kind < 92) {
            return [=, this](sdk::Transaction& transaction) {
                return store_.forget_principal(transaction, principal);
            };
        }
        if (kind < 96) return any_statement();
        const std::uint64_t domain = std::array{kUsers, kGroups, kOtherGroups}[below(3)];
        const bool is_removed = below(3) == 0;
        return [domain, is_removed](sdk::Transaction& transaction) -> sdk::Result<void> {
            const std::string mark = removal_key(kHere, domain);
            is_removed ? transaction.put(mark, "domain") : transaction.remove(mark);
            return {};
        };
    }

    Change any_statement() {
        const Statement statement{
            kHere, below(6), pick(place_.principals), below(3) == 0, any_role(), {}, {}};
        const bool is_gone = below(3) == 0;
        return [statement, is_gone](sdk::Transaction& transaction) -> sdk::Result<void> {
            const std::string key = FakePolicies::key_of(statement);
            is_gone ? transaction.remove(key)
                    : transaction.put(key, FakePolicies::value_of(statement));
            return {};
        };
    }

    std::mt19937 random_;
    Place place_;
    FakePolicies policies_;
    sdk::testing::MemoryEngine plain_;
    sdk::testing::MemoryEngine crowded_;
    AuthorityStore store_{place_.tree};
};

}  // namespace

TEST_CASE("whoever else a record is granted to changes nobody's rights") {
    const int seed = GENERATE(range(1, stele::testing::repetitions(20) + 1));
    CAPTURE(seed);
    Twins twins(static_cast<unsigned>(seed));
    for (int step = 0; step < 100; ++step) {
        CAPTURE(step);
        twins.step();
        twins.compare();
    }
    CHECK(twins.rights > 200);
    CHECK(twins.answers - twins.rights > 200);
}

}  // namespace stele::kernel::authority::testing

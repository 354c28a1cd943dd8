#include <random>

#include <catch2/catch.hpp>

#include "kernel/authority/authority_cache.hpp"
#include "kernel/authority/authority_store.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "tests/authority/naive_authorities.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::kernel::authority::testing {

namespace {

constexpr std::uint64_t kPlatform = 1;
constexpr std::uint64_t kForeignPlatform = 2;
constexpr std::uint64_t kPrincipals = 150;

struct Collection {
    sdk::RecordKey container;
    std::string prefix;
    std::vector<sdk::RecordKey> records;
};

/// Two platforms. The first has three stores with two branches with three leaves each, two stacks
/// for stores, and a domain with users and groups; the second only has principals.
class World {
public:
    FakeTree tree;
    std::vector<Collection> collections;
    std::vector<sdk::RecordKey> records;
    std::vector<sdk::RecordKey> users;
    std::vector<sdk::RecordKey> groups;
    std::vector<sdk::RecordKey> principals;
    std::vector<sdk::RecordKey> stores;
    std::vector<sdk::RecordKey> stacks;

    World() {
        const auto root = record_key(kPlatform, 1, 0);
        records.push_back(root);
        stores = fill(root, 2, 3).records;
        stacks = fill(root, 4, 2).records;
        std::uint64_t branches_number = 10;
        std::uint64_t leaves_number = kFirstPlainCollection;
        for (const sdk::RecordKey& store : stores) {
            const Collection branches = fill(store, branches_number++, 2);
            for (const sdk::RecordKey& branch : branches.records)
                fill(branch, leaves_number++, 3);
        }
        const Collection domains = fill(root, 3, 1);
        add_principals(fill(domains.records.front(), kPrincipals, 14).records, 6);
        const auto foreign_root = record_key(kForeignPlatform, 1, 0);
        add_principals(fill(foreign_root, kPrincipals, 2).records, 1);
    }

private:
    Collection fill(const sdk::RecordKey& container, std::uint64_t number, std::uint64_t count) {
        const std::uint64_t platform = platform_number(container);
        Collection collection{container, collection_prefix(platform, number), {}};
        for (std::uint64_t i = 1; i <= count; ++i) {
            collection.records.push_back(record_key(platform, number, i));
            tree.containers[collection.records.back()] = container;
        }
        records.insert(records.end(), collection.records.begin(), collection.records.end());
        collections.push_back(collection);
        return collection;
    }

    void add_principals(const std::vector<sdk::RecordKey>& keys, std::size_t user_count) {
        for (std::size_t i = 0; i < keys.size(); ++i)
            (i < user_count ? users : groups).push_back(keys[i]);
        principals.insert(principals.end(), keys.begin(), keys.end());
    }
};

/// Takes random steps in the store and in the naive evaluator, and compares their answers.
class Differential {
public:
    explicit Differential(unsigned seed) : random_(seed) {
        store_.set_policy_source(&policies_);
        cache_.watch(policies_);
    }

    void step() {
        write(engine_, [this](sdk::Transaction& transaction) { return change(transaction); });
    }

    void compare() {
        const auto reader = engine_.snapshot();
        for (int i = 0; i < 12; ++i)
            compare_rights(*reader, pick(world_.principals), pick(world_.records));
        for (int i = 0; i < 2; ++i)
            compare_visible(*reader, pick(world_.principals), pick(world_.collections));
        compare_relations(*reader, pick(world_.groups), pick(world_.principals));
        compare_lists(*reader, pick(world_.records), pick(world_.principals));
    }

    int visible_by_name = 0;
    int visible_by_policy = 0;
    int visible_wholly = 0;
    int held_roles = 0;

private:
    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
    }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(from.size())];
    }
    std::string any_role() {
        static const std::vector<std::string> keys{"Consumer", "consumer", "editor",  "contributor",
                                                   "manager",  "OWNER",    "Auditor", "auditor",
                                                   "Reviewer", "none"};
        return pick(keys);
    }
    sdk::CustomRole any_custom_role() {
        using enum sdk::Permission;
        static const std::vector<std::string> keys{"Auditor", "AUDITOR", "Reviewer"};
        static const std::vector<sdk::PermissionSet> sets{
            {}, {read}, {connect, read}, {connect, read, update, remove, grantauth}};
        return {pick(keys), pick(sets)};
    }
    /// Far more often on leaves and on single principals than at the root, where it would decide
    /// everything.
    sdk::RecordKey granted_record() {
        return below(4) == 0 ? pick(world_.records) : pick(pick(world_.collections).records);
    }
    bool is_group(const sdk::RecordKey& key) const {
        return std::find(world_.groups.begin(), world_.groups.end(), key) != world_.groups.end();
    }

    sdk::Result<void> change(sdk::Transaction& transaction) {
        const std::size_t kind = below(100);
        if (kind < 26) return grant(transaction);
        if (kind < 52) return revoke(transaction);
        if (kind < 62) return join(transaction);
        if (kind < 74) return leave(transaction);
        if (kind < 80) return define(transaction);
        if (kind < 84) return undefine(transaction);
        if (kind < 86) return forget_record(transaction);
        if (kind < 88) return forget_principal(transaction);
        if (kind < 90) return everyone(transaction);
        if (kind < 93) return add_statement(transaction);
        if (kind < 95) return drop_statement(transaction);
        if (kind < 97) return assign(transaction);
        return put_document(transaction);
    }

    sdk::Result<void> grant(sdk::Transaction& transaction) {
        const auto record = granted_record();
        const auto principal = pick(world_.principals);
        const auto role = any_role();
        const bool is_deep = below(3) == 0;
        auto granted = store_.grant(transaction, record, principal, role, is_deep);
        if (naive_.grant(record, principal, role, is_deep)) return granted;
        REQUIRE(granted.has_error());
        CHECK(granted.error().code == "authority.role_unknown");
        return {};
    }
    sdk::Result<void> revoke(sdk::Transaction& transaction) {
        NaiveAuthorities::Grant target{granted_record(), pick(world_.principals), any_role()};
        if (!naive_.grants.empty() && below(3) > 0) target = pick(naive_.grants);
        if (below(6) == 0) target.role_key = "all";
        naive_.revoke(target.record, target.principal, target.role_key);
        return store_.revoke(transaction, target.record, target.principal, target.role_key);
    }
    sdk::Result<void> join(sdk::Transaction& transaction) {
        const auto group = pick(world_.groups);
        const auto member = pick(world_.principals);
        const auto kind = is_group(member) ? sdk::PrincipalKind::group : sdk::PrincipalKind::user;
        naive_.add_member(group, member, kind);
        return store_.add_member(transaction, group, member, kind);
    }
    sdk::Result<void> leave(sdk::Transaction& transaction) {
        NaiveAuthorities::Membership target{pick(world_.groups), pick(world_.principals)};
        if (!naive_.joined.empty() && below(3) > 0) target = pick(naive_.joined);
        naive_.remove_member(target.group, target.member);
        return store_.remove_member(transaction, target.group, target.member);
    }
    sdk::Result<void> define(sdk::Transaction& transaction) {
        const auto container = pick(world_.records);
        const auto role = any_custom_role();
        naive_.define_role(container, role);
        return store_.define_role(transaction, container, role);
    }
    sdk::Result<void> undefine(sdk::Transaction& transaction) {
        if (naive_.roles.empty()) return {};
        const auto target = pick(naive_.roles);
        naive_.remove_role(target.container, target.role.key);
        return store_.remove_role(transaction, target.container, target.role.key);
    }
    sdk::Result<void> forget_record(sdk::Transaction& transaction) {
        const auto record = pick(world_.records);
        naive_.forget_record(record);
        return store_.forget_record(transaction, record);
    }
    sdk::Result<void> forget_principal(sdk::Transaction& transaction) {
        const auto principal = pick(world_.principals);
        naive_.forget_principal(principal);
        return store_.forget_principal(transaction, principal);
    }
    sdk::Result<void> everyone(sdk::Transaction& transaction) {
        const auto group = pick(world_.groups);
        naive_.everyone[kPlatform] = group;
        return store_.set_everyone(transaction, kPlatform, group);
    }
    sdk::Result<void> assign(sdk::Transaction& transaction) {
        const auto store = pick(world_.stores);
        const auto stack = pick(world_.stacks);
        if (naive_.inherited.erase({store, stack}))
            return store_.disinherit(transaction, store, stack);
        naive_.inherited.insert({store, stack});
        return store_.inherit(transaction, store, stack);
    }
    sdk::Result<void> add_statement(sdk::Transaction& transaction) {
        Statement statement;
        statement.platform = kPlatform;
        statement.order = ++last_order_;
        statement.assigned_to = pick(world_.principals);
        statement.is_revoke = below(3) == 0;
        statement.role_key = any_role();
        if (below(3) == 0) statement.mark = "red";
        if (below(4) == 0) statement.store_title = "red";
        naive_.statements.push_back(statement);
        transaction.put(FakePolicies::key_of(statement), FakePolicies::value_of(statement));
        return {};
    }
    sdk::Result<void> drop_statement(sdk::Transaction& transaction) {
        if (naive_.statements.empty()) return {};
        const std::size_t place = below(naive_.statements.size());
        transaction.remove(FakePolicies::key_of(naive_.statements[place]));
        naive_.statements.erase(naive_.statements.begin() + static_cast<std::ptrdiff_t>(place));
        return {};
    }
    sdk::Result<void> put_document(sdk::Transaction& transaction) {
        const auto record = pick(world_.records);
        const std::string mark = below(2) == 0 ? "red" : "blue";
        naive_.documents[record] = mark;
        transaction.put(document_key(record), mark);
        return {};
    }

    void compare_rights(const sdk::Reader& reader, const sdk::RecordKey& principal,
                        const sdk::RecordKey& record) {
        const auto expected = naive_.permissions(principal, record).bits();
        CHECK(value_of(store_.permissions(reader, principal, record)).bits() == expected);
        CHECK(value_of(latest_permissions(cache_, engine_, principal, record)).bits() == expected);
        // Twice, so that a remembered decision is compared, too.
        CHECK(value_of(latest_permissions(cache_, engine_, principal, record)).bits() == expected);
        const std::string role = any_role();
        const bool has_role = naive_.has_role(principal, record, role);
        held_roles += has_role;
        CHECK(value_of(store_.has_role(reader, principal, record, role)) == has_role);
    }

    void compare_visible(const sdk::Reader& reader, const sdk::RecordKey& principal,
                         const Collection& collection) {
        const auto visible = value_of(
            store_.visible_records(reader, principal, collection.container, collection.prefix));
        std::vector<sdk::RecordKey> expected;
        for (const sdk::RecordKey& record : collection.records) {
            if (naive_.permissions(principal, record).has(sdk::Permission::read))
                expected.push_back(record);
        }
        if (visible.is_everything) {
            ++visible_wholly;
            CHECK(expected == collection.records);
        } else if (visible.only) {
            visible_by_name += !expected.empty();
            CHECK(*visible.only == expected);
        } else {
            ++visible_by_policy;
            CHECK(naive_.has_policies(principal, platform_number(collection.container)));
        }
    }

    void compare_relations(const sdk::Reader& reader, const sdk::RecordKey& group,
                           const sdk::RecordKey& principal) {
        for (const bool is_indirect : {false, true}) {
            for (const auto kind :
                 {sdk::MemberKind::any, sdk::MemberKind::user, sdk::MemberKind::group}) {
                CHECK(value_of(store_.members(reader, group, kind, is_indirect)) ==
                      naive_.members(group, kind, is_indirect));
            }
            CHECK(value_of(store_.memberships(reader, principal, is_indirect)) ==
                  naive_.memberships(principal, is_indirect));
            CHECK(value_of(store_.is_member(reader, group, principal, is_indirect)) ==
                  naive_.is_member(group, principal, is_indirect));
        }
    }

    void compare_lists(const sdk::Reader& reader, const sdk::RecordKey& record,
                       const sdk::RecordKey& principal) {
        auto expected = naive_.acl(record);
        std::map<sdk::RecordKey, std::vector<std::string>> acl;
        for (const sdk::AclEntry& entry : value_of(store_.acl(reader, record)))
            acl[entry.principal] = entry.roles;
        CHECK(acl == expected);
        CHECK(value_of(store_.direct_roles(reader, record, principal)) == expected[principal]);
        std::set<NaiveAuthorities::Origin> origins;
        for (const sdk::GrantOrigin& origin : value_of(store_.report(reader, record, principal))) {
            CHECK(origin.permissioned == record);
            CHECK(origin.inherits_from != record);
            origins.insert(
                {origin.role_key, origin.principal, origin.inherits_from.value_or(record)});
        }
        CHECK(origins == naive_.report(record, principal));
    }

    std::mt19937 random_;
    World world_;
    FakePolicies policies_;
    sdk::testing::MemoryEngine engine_;
    AuthorityStore store_{world_.tree};
    AuthorityCache cache_{store_, world_.tree, engine_};
    NaiveAuthorities naive_{world_.tree.containers};
    std::uint64_t last_order_ = 0;
};

}  // namespace

TEST_CASE("rights equal those of a naive evaluator after every random step") {
    const int seed = GENERATE(range(1, stele::testing::repetitions(4) + 1));
    CAPTURE(seed);
    Differential differential(static_cast<unsigned>(seed));
    constexpr int kSteps = 750;
    for (int step = 0; step < kSteps; ++step) {
        CAPTURE(step);
        differential.step();
        differential.compare();
    }
    // The steps led to every kind of answer, else the comparison would prove little.
    CHECK(differential.visible_by_name > 20);
    CHECK(differential.visible_by_policy > 20);
    CHECK(differential.visible_wholly > 10);
    CHECK(differential.held_roles > 100);
}

}  // namespace stele::kernel::authority::testing

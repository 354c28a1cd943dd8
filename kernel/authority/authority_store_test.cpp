#include "kernel/authority/authority_store.hpp"

#include <catch2/catch.hpp>

#include "kernel/authority/authority_keys.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "tests/authority/authority_fakes.hpp"

namespace stele::kernel::authority::testing {

namespace {

using sdk::MemberKind;
using sdk::Permission;
using sdk::PermissionSet;
using sdk::PrincipalKind;
using sdk::RecordKey;
using Keys = std::vector<RecordKey>;

constexpr std::uint64_t kPlatform = 1;
const PermissionSet kConsumer{Permission::connect, Permission::read};

/// A platform with a store, a branch in it and two leaves in that.
struct Fixture {
    RecordKey root = record_key(kPlatform, 1, 0);
    RecordKey shop = record_key(kPlatform, 2, 1);
    RecordKey branch = record_key(kPlatform, 3, 1);
    RecordKey leaf = record_key(kPlatform, 100, 1);
    RecordKey other_leaf = record_key(kPlatform, 100, 2);
    RecordKey ann = user(1);
    RecordKey bob = user(2);
    FakeTree tree;
    sdk::testing::MemoryEngine engine;
    FakePolicies policies;
    AuthorityStore store{tree};

    Fixture() {
        tree.containers = {{shop, root}, {branch, shop}, {leaf, branch}, {other_leaf, branch}};
    }

    static RecordKey user(std::uint64_t number) { return record_key(kPlatform, 150, number); }
    static RecordKey group(std::uint64_t number) { return record_key(kPlatform, 151, number); }

    void grant(const RecordKey& record, const RecordKey& principal, std::string_view role,
               bool is_deep = false) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.grant(transaction, record, principal, role, is_deep);
        });
    }
    void revoke(const RecordKey& record, const RecordKey& principal, std::string_view role) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.revoke(transaction, record, principal, role);
        });
    }
    void join(const RecordKey& container, const RecordKey& member,
              PrincipalKind kind = PrincipalKind::user) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.add_member(transaction, container, member, kind);
        });
    }
    void define(const RecordKey& container, std::string key, PermissionSet permissions) {
        write(engine, [&](sdk::Transaction& transaction) {
            return store.define_role(transaction, container, {key, permissions});
        });
    }
    void assign(const RecordKey& principal, std::uint64_t order, bool is_revoke,
                std::string role_key, std::string mark = {}) {
        write(engine, [&](sdk::Transaction& transaction) {
            const Statement statement{kPlatform, order, principal, is_revoke, role_key, mark, {}};
            transaction.put(FakePolicies::key_of(statement), FakePolicies::value_of(statement));
            return sdk::Result<void>();
        });
    }
    sdk::Error error_of(const std::function<sdk::Result<void>(sdk::Transaction&)>& work) {
        const auto transaction = engine.begin();
        const auto done = work(*transaction);
        return done ? sdk::Error() : done.error();
    }

    PermissionSet permissions(const RecordKey& principal, const RecordKey& record) {
        return value_of(store.permissions(*engine.snapshot(), principal, record));
    }
    bool can_read(const RecordKey& principal, const RecordKey& record) {
        return permissions(principal, record).has(Permission::read);
    }
    bool has_role(const RecordKey& principal, const RecordKey& record, std::string_view role) {
        return value_of(store.has_role(*engine.snapshot(), principal, record, role));
    }
    std::vector<sdk::AclEntry> acl(const RecordKey& record) {
        return value_of(store.acl(*engine.snapshot(), record));
    }
    std::vector<sdk::GrantOrigin> report(const RecordKey& record, const RecordKey& principal) {
        return value_of(store.report(*engine.snapshot(), record, principal));
    }
    VisibleRecords visible_leaves(const RecordKey& principal) {
        return value_of(store.visible_records(*engine.snapshot(), principal, branch,
                                              collection_prefix(kPlatform, 100)));
    }
    Keys members(const RecordKey& of, MemberKind kind, bool is_indirect) {
        return value_of(store.members(*engine.snapshot(), of, kind, is_indirect));
    }
    Keys memberships(const RecordKey& of, bool is_indirect) {
        return value_of(store.memberships(*engine.snapshot(), of, is_indirect));
    }
};

/// Counts what is asked of a reader.
class CountingReader final : public sdk::Reader {
public:
    explicit CountingReader(std::unique_ptr<sdk::Reader> reader) : reader_(std::move(reader)) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        ++count;
        return reader_->get(key);
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        ++count;
        return reader_->get_into(key, value);
    }
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        ++count;
        return std::make_unique<CountingCursor>(reader_->scan(std::move(range), direction), count);
    }

    mutable int count = 0;

private:
    class CountingCursor final : public sdk::Cursor {
    public:
        CountingCursor(std::unique_ptr<sdk::Cursor> cursor, int& count)
            : cursor_(std::move(cursor)), count_(count) {}
        bool is_valid() const override { return cursor_->is_valid(); }
        std::string_view key() const override { return cursor_->key(); }
        std::string_view value() const override { return cursor_->value(); }
        void next() override {
            ++count_;
            cursor_->next();
        }
        void seek(std::string_view key) override {
            ++count_;
            cursor_->seek(key);
        }
        sdk::Result<void> status() const override { return cursor_->status(); }

    private:
        std::unique_ptr<sdk::Cursor> cursor_;
        int& count_;
    };

    std::unique_ptr<sdk::Reader> reader_;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "A plain grant counts on its record and not inside it") {
    grant(branch, ann, "consumer");
    CHECK(permissions(ann, branch) == kConsumer);
    CHECK(permissions(ann, leaf).is_empty());
    CHECK(permissions(ann, shop).is_empty());
    CHECK(permissions(bob, branch).is_empty());
}

TEST_CASE_METHOD(Fixture, "Owners and deep roles reach everything inside") {
    grant(shop, ann, "owner");
    grant(shop, bob, "consumer", true);
    CHECK(permissions(ann, leaf) == PermissionSet::all());
    CHECK(permissions(bob, leaf) == kConsumer);
    CHECK(permissions(ann, root).is_empty());
    CHECK(permissions(bob, root).is_empty());
}

TEST_CASE_METHOD(Fixture, "The owner of the platform passes every check") {
    grant(root, ann, "owner");
    for (const RecordKey& record : {root, shop, branch, leaf, other_leaf})
        CHECK(permissions(ann, record) == PermissionSet::all());
}

TEST_CASE_METHOD(Fixture, "Rights of several grants add up") {
    grant(leaf, ann, "contributor");
    grant(leaf, group(1), "editor");
    join(group(1), ann);
    using enum Permission;
    CHECK(permissions(ann, leaf) ==
          PermissionSet{connect, read, create_subobjects, update, remove});
}

TEST_CASE_METHOD(Fixture, "A user reads and updates its own record whatever was revoked") {
    using enum Permission;
    tree.containers[ann] = root;
    CHECK(permissions(ann, ann) == PermissionSet{connect, read, update});
    CHECK(permissions(bob, ann).is_empty());
    CHECK_FALSE(has_role(ann, ann, "consumer"));
}

TEST_CASE_METHOD(Fixture, "Everyone holds what the group of everybody holds") {
    const RecordKey foreigner = record_key(2, 150, 1);
    grant(leaf, group(1), "consumer");
    grant(other_leaf, group(2), "consumer");
    join(group(2), group(1), PrincipalKind::group);
    CHECK_FALSE(can_read(ann, leaf));
    write(engine, [&](sdk::Transaction& transaction) {
        return store.set_everyone(transaction, kPlatform, group(1));
    });
    CHECK(can_read(ann, leaf));
    CHECK(can_read(ann, other_leaf));
    CHECK_FALSE(can_read(foreigner, leaf));
    CHECK(memberships(ann, false) == Keys{});
    CHECK(memberships(ann, true) == Keys{group(2)});
    CHECK(value_of(store.is_member(*engine.snapshot(), group(1), ann, false)));
    CHECK(value_of(store.is_member(*engine.snapshot(), group(2), ann, true)));
    CHECK_FALSE(value_of(store.is_member(*engine.snapshot(), group(2), ann, false)));
}

TEST_CASE_METHOD(Fixture, "Principals of another platform can be granted and can join") {
    const RecordKey foreigner = record_key(2, 150, 1);
    grant(leaf, foreigner, "consumer");
    grant(other_leaf, group(1), "consumer");
    join(group(1), foreigner);
    CHECK(can_read(foreigner, leaf));
    CHECK(can_read(foreigner, other_leaf));
    CHECK(members(group(1), MemberKind::any, false) == Keys{foreigner});
}

TEST_CASE_METHOD(Fixture, "Holding a role implies the built-in roles that it includes") {
    struct Row {
        const char* held;
        std::vector<std::string> implied;
    };
    const std::vector<Row> table{
        {"connector", {"connector"}},
        {"consumer", {"connector", "consumer"}},
        {"contributor", {"connector", "consumer", "contributor"}},
        {"editor", {"connector", "consumer", "editor"}},
        {"collaborator", {"connector", "consumer", "contributor", "editor", "collaborator"}},
        {"manager", {"connector", "consumer", "contributor", "editor", "collaborator", "manager"}},
        {"owner",
         {"connector", "consumer", "contributor", "editor", "collaborator", "manager", "owner"}},
    };
    for (const Row& row : table) {
        grant(leaf, ann, row.held);
        std::vector<std::string> found;
        for (const sdk::BuiltInRole& role : sdk::built_in_roles()) {
            if (has_role(ann, leaf, role.key)) found.emplace_back(role.key);
        }
        CAPTURE(row.held);
        CHECK(found == row.implied);
        revoke(leaf, ann, row.held);
    }
}

TEST_CASE_METHOD(Fixture, "Role keys are compared without regard to case") {
    grant(leaf, ann, "COLLABORATOR");
    CHECK(has_role(ann, leaf, "Collaborator"));
    CHECK(acl(leaf).at(0).roles == std::vector<std::string>{"collaborator"});
    revoke(leaf, ann, "CollaboratoR");
    CHECK(acl(leaf).empty());
}

TEST_CASE_METHOD(Fixture, "Granting an unknown role is refused") {
    const auto error = error_of([&](sdk::Transaction& transaction) {
        return store.grant(transaction, leaf, ann, "auditor");
    });
    CHECK(error.kind == sdk::ErrorKind::not_found);
    CHECK(error.code == "authority.role_unknown");
}

TEST_CASE_METHOD(Fixture, "A custom role holds inside its container and keeps its spelling") {
    define(shop, "Auditor", {Permission::read, Permission::grantauth});
    grant(leaf, ann, "auditor");
    CHECK(permissions(ann, leaf) == PermissionSet{Permission::read, Permission::grantauth});
    CHECK(has_role(ann, leaf, "AUDITOR"));
    CHECK_FALSE(has_role(ann, leaf, "consumer"));
    CHECK(acl(leaf).at(0).roles == std::vector<std::string>{"Auditor"});
    CHECK(error_of([&](sdk::Transaction& transaction) {
              return store.grant(transaction, root, ann, "auditor");
          }).code == "authority.role_unknown");
}

TEST_CASE_METHOD(Fixture, "The innermost definition of a custom role counts") {
    define(root, "auditor", {Permission::read});
    define(branch, "auditor", {Permission::update});
    grant(leaf, ann, "auditor");
    grant(shop, ann, "auditor", true);
    CHECK(permissions(ann, leaf) == PermissionSet{Permission::read, Permission::update});
    CHECK(permissions(ann, shop) == PermissionSet{Permission::read});
}

TEST_CASE_METHOD(Fixture, "A custom role without permissions is held by its key") {
    define(shop, "badge", {});
    grant(leaf, ann, "badge");
    CHECK(permissions(ann, leaf).is_empty());
    CHECK(has_role(ann, leaf, "badge"));
    CHECK_FALSE(has_role(ann, leaf, "connector"));
}

TEST_CASE_METHOD(Fixture, "Grants of a removed role sleep until it is defined again") {
    define(shop, "auditor", {Permission::read});
    grant(leaf, ann, "auditor");
    write(engine, [&](sdk::Transaction& transaction) {
        return store.remove_role(transaction, shop, "Auditor");
    });
    CHECK_FALSE(can_read(ann, leaf));
    CHECK_FALSE(has_role(ann, leaf, "auditor"));
    CHECK(report(leaf, ann).empty());
    CHECK(acl(leaf).size() == 1);
    define(shop, "auditor", {Permission::read});
    CHECK(can_read(ann, leaf));
}

TEST_CASE_METHOD(Fixture, "Custom roles cannot be called like built-in ones or like all") {
    const auto code_of = [this](std::string key) {
        return error_of([&](sdk::Transaction& transaction) {
                   return store.define_role(transaction, shop, {key, {}});
               })
            .code;
    };
    CHECK(code_of("Owner") == "authority.role_reserved");
    CHECK(code_of("ALL") == "authority.role_reserved");
    CHECK(code_of("") == "authority.role_key_missing");
    CHECK(code_of("auditor").empty());
}

TEST_CASE_METHOD(Fixture, "Defining a role again replaces it") {
    define(shop, "auditor", {Permission::read});
    define(shop, "Auditor", {Permission::update});
    define(shop, "badge", {});
    const auto roles = value_of(store.roles(*engine.snapshot(), shop));
    REQUIRE(roles.size() == 2);
    CHECK(roles[0].key == "Auditor");
    CHECK(roles[0].permissions == PermissionSet{Permission::update});
    CHECK(roles[1].key == "badge");
}

TEST_CASE_METHOD(Fixture, "Granting twice is one grant with one id") {
    grant(leaf, ann, "consumer");
    const std::string id = report(leaf, ann).at(0).id;
    grant(leaf, ann, "Consumer");
    CHECK(report(leaf, ann).size() == 1);
    CHECK(report(leaf, ann).at(0).id == id);
    CHECK_FALSE(id.empty());
}

TEST_CASE_METHOD(Fixture, "A grant that was made deep stays the same grant and stays deep") {
    grant(branch, ann, "consumer");
    const std::string id = report(branch, ann).at(0).id;
    grant(branch, ann, "consumer", true);
    grant(branch, ann, "consumer");
    CHECK(can_read(ann, leaf));
    CHECK(report(branch, ann).at(0).id == id);
    revoke(branch, ann, "consumer");
    CHECK_FALSE(can_read(ann, leaf));
}

TEST_CASE_METHOD(Fixture, "Revoking all removes every direct grant and nothing else") {
    grant(leaf, ann, "consumer");
    grant(leaf, ann, "editor");
    grant(leaf, bob, "consumer");
    grant(other_leaf, ann, "consumer");
    revoke(leaf, ann, "ALL");
    CHECK_FALSE(can_read(ann, leaf));
    CHECK(can_read(ann, other_leaf));
    CHECK(can_read(bob, leaf));
    CHECK(visible_leaves(ann).only == Keys{other_leaf});
}

TEST_CASE_METHOD(Fixture, "Revoking what is not there is harmless and writes nothing") {
    const auto transaction = engine.begin();
    expect(store.revoke(*transaction, leaf, ann, "consumer"));
    expect(store.revoke(*transaction, leaf, ann, "all"));
    expect(store.remove_member(*transaction, group(1), ann));
    CHECK_FALSE(transaction->has_writes());
}

TEST_CASE_METHOD(Fixture, "Grants to different principals never conflict") {
    const auto first = engine.begin();
    const auto second = engine.begin();
    expect(store.grant(*first, leaf, ann, "consumer"));
    expect(store.grant(*second, leaf, bob, "consumer"));
    CHECK(sdk::commit_and_wait(*first).has_value());
    CHECK(sdk::commit_and_wait(*second).has_value());
}

TEST_CASE_METHOD(Fixture, "Direct grants are listed by principal with sorted roles") {
    grant(leaf, bob, "manager");
    grant(leaf, ann, "editor");
    grant(leaf, ann, "contributor");
    grant(branch, ann, "owner");
    const auto entries = acl(leaf);
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].principal == ann);
    CHECK(entries[0].roles == std::vector<std::string>{"contributor", "editor"});
    CHECK(entries[1].principal == bob);
    CHECK(value_of(store.direct_roles(*engine.snapshot(), leaf, ann)) == entries[0].roles);
    CHECK(value_of(store.direct_roles(*engine.snapshot(), other_leaf, ann)).empty());
}

TEST_CASE_METHOD(Fixture, "A report names the holder and the record that a grant lies on") {
    grant(leaf, ann, "consumer");
    grant(shop, group(1), "owner");
    grant(shop, ann, "editor");
    join(group(1), ann);
    const auto origins = report(leaf, ann);
    REQUIRE(origins.size() == 2);
    CHECK(origins[0].role_key == "consumer");
    CHECK(origins[0].principal == ann);
    CHECK(origins[0].permissioned == leaf);
    CHECK_FALSE(origins[0].inherits_from.has_value());
    CHECK(origins[1].role_key == "owner");
    CHECK(origins[1].principal == group(1));
    CHECK(origins[1].permissioned == leaf);
    CHECK(origins[1].inherits_from == shop);
}

TEST_CASE_METHOD(Fixture, "Members are listed in the order of joining") {
    join(group(1), bob);
    join(group(1), group(2), PrincipalKind::group);
    join(group(1), ann);
    join(group(2), user(3));
    join(group(1), bob);
    CHECK(members(group(1), MemberKind::any, false) == Keys{bob, group(2), ann});
    CHECK(members(group(1), MemberKind::user, false) == Keys{bob, ann});
    CHECK(members(group(1), MemberKind::group, true) == Keys{group(2)});
    CHECK(members(group(1), MemberKind::any, true) == Keys{bob, group(2), ann, user(3)});
    CHECK(memberships(user(3), false) == Keys{group(2)});
    CHECK(memberships(user(3), true) == Keys{group(1), group(2)});
}

TEST_CASE_METHOD(Fixture, "Groups that contain each other are harmless") {
    join(group(1), group(2), PrincipalKind::group);
    join(group(2), group(3), PrincipalKind::group);
    join(group(3), group(1), PrincipalKind::group);
    join(group(1), group(1), PrincipalKind::group);
    join(group(3), ann);
    grant(leaf, group(1), "consumer");
    CHECK(can_read(ann, leaf));
    CHECK(members(group(1), MemberKind::any, true) == Keys{group(2), group(3), ann});
    CHECK(memberships(group(1), true) == Keys{group(2), group(3)});
    CHECK_FALSE(value_of(store.is_member(*engine.snapshot(), group(1), group(1), true)));
}

TEST_CASE_METHOD(Fixture, "A thousand nested groups carry a right") {
    constexpr std::uint64_t kLevels = 1000;
    write(engine, [&](sdk::Transaction& transaction) {
        for (std::uint64_t level = 1; level < kLevels; ++level) {
            expect(store.add_member(transaction, group(level), group(level + 1),
                                    PrincipalKind::group));
        }
        return store.add_member(transaction, group(kLevels), ann, PrincipalKind::user);
    });
    grant(leaf, group(1), "consumer");
    CHECK(can_read(ann, leaf));
    CHECK(members(group(1), MemberKind::user, true) == Keys{ann});
}

TEST_CASE_METHOD(Fixture, "Ten thousand memberships cost one scan each") {
    constexpr std::uint64_t kGroups = 10'000;
    write(engine, [&](sdk::Transaction& transaction) {
        for (std::uint64_t number = 1; number <= kGroups; ++number)
            expect(store.add_member(transaction, group(number), ann, PrincipalKind::user));
        return store.grant(transaction, leaf, group(kGroups / 2), "consumer");
    });
    const CountingReader reader(engine.snapshot());
    CHECK(value_of(store.permissions(reader, ann, leaf)) == kConsumer);
    // A scan and a step for each group, and little else.
    CHECK(reader.count < 2 * static_cast<int>(kGroups) + 100);
}

TEST_CASE_METHOD(Fixture, "A record that is granted to many is not searched for one of them") {
    constexpr std::uint64_t kUsers = 20'000;
    write(engine, [&](sdk::Transaction& transaction) {
        for (std::uint64_t number = 1; number <= kUsers; ++number)
            expect(store.grant(transaction, leaf, user(number), "consumer"));
        return sdk::Result<void>();
    });
    const CountingReader reader(engine.snapshot());
    CHECK(value_of(store.permissions(reader, user(kUsers / 2), leaf)) == kConsumer);
    CHECK(value_of(store.permissions(reader, user(kUsers + 1), leaf)).is_empty());
    CHECK(reader.count < 100);
}

TEST_CASE_METHOD(Fixture, "Records that a principal may read are found by its grants") {
    tree.containers[ann] = root;
    grant(leaf, ann, "connector");
    CHECK(visible_leaves(ann).only == Keys{});
    grant(other_leaf, group(1), "consumer");
    join(group(1), ann);
    grant(leaf, ann, "consumer");
    CHECK(visible_leaves(ann).only == Keys{leaf, other_leaf});
    CHECK_FALSE(visible_leaves(ann).is_everything);
    grant(branch, ann, "consumer");
    CHECK_FALSE(visible_leaves(ann).is_everything);
    grant(shop, ann, "consumer", true);
    CHECK(visible_leaves(ann).is_everything);
    const auto users = value_of(
        store.visible_records(*engine.snapshot(), ann, root, collection_prefix(kPlatform, 150)));
    CHECK(users.only == Keys{ann});
}

TEST_CASE_METHOD(Fixture, "A role defined on a record itself decides whether it is visible") {
    define(branch, "auditor", {Permission::read});
    define(leaf, "auditor", {Permission::update});
    grant(leaf, ann, "auditor");
    grant(other_leaf, ann, "auditor");
    CHECK(visible_leaves(ann).only == Keys{other_leaf});
}

TEST_CASE_METHOD(Fixture, "Policies add rights, and their revokes take only what they gave") {
    store.set_policy_source(&policies);
    using enum Permission;
    assign(group(1), 1, false, "collaborator");
    assign(ann, 2, true, "consumer");
    join(group(1), ann);
    CHECK(permissions(ann, leaf) == PermissionSet{create_subobjects, update, remove});
    grant(leaf, ann, "consumer");
    CHECK(permissions(ann, leaf) ==
          PermissionSet{connect, read, create_subobjects, update, remove});
    CHECK(permissions(bob, leaf).is_empty());
}

TEST_CASE_METHOD(Fixture, "Roles that policies leave count in a check") {
    store.set_policy_source(&policies);
    define(shop, "auditor", {Permission::read});
    assign(ann, 1, false, "editor", "red");
    assign(ann, 2, false, "Auditor");
    assign(ann, 3, false, "unheard-of");
    CHECK_FALSE(has_role(ann, leaf, "consumer"));
    CHECK(has_role(ann, leaf, "auditor"));
    CHECK_FALSE(has_role(ann, leaf, "unheard-of"));
    write(engine, [&](sdk::Transaction& transaction) {
        transaction.put(document_key(leaf), "red");
        return sdk::Result<void>();
    });
    CHECK(has_role(ann, leaf, "consumer"));
    CHECK(report(leaf, ann).empty());
}

TEST_CASE_METHOD(Fixture, "Where policies apply, lists ask record by record unless all is theirs") {
    store.set_policy_source(&policies);
    grant(leaf, ann, "consumer");
    CHECK(visible_leaves(ann).only.has_value());
    assign(ann, 1, false, "consumer", "red");
    CHECK_FALSE(visible_leaves(ann).only.has_value());
    CHECK_FALSE(visible_leaves(ann).is_everything);
    grant(shop, ann, "owner");
    CHECK(visible_leaves(ann).is_everything);
}

TEST_CASE_METHOD(Fixture, "A forgotten record has no grants and no roles") {
    define(branch, "auditor", {Permission::read});
    grant(branch, ann, "auditor", true);
    grant(leaf, ann, "editor");
    write(engine,
          [&](sdk::Transaction& transaction) { return store.forget_record(transaction, branch); });
    CHECK(permissions(ann, branch).is_empty());
    CHECK(acl(branch).empty());
    CHECK(value_of(store.roles(*engine.snapshot(), branch)).empty());
    CHECK(can_read(ann, leaf));
    CHECK(value_of(
              store.visible_records(*engine.snapshot(), ann, shop, collection_prefix(kPlatform, 3)))
              .only == Keys{});
}

TEST_CASE_METHOD(Fixture, "A forgotten principal has no grants and no memberships") {
    write(engine, [&](sdk::Transaction& transaction) {
        return store.set_everyone(transaction, kPlatform, group(1));
    });
    join(group(1), ann);
    join(group(2), group(1), PrincipalKind::group);
    grant(leaf, group(1), "consumer");
    grant(leaf, bob, "editor");
    write(engine, [&](sdk::Transaction& transaction) {
        return store.forget_principal(transaction, group(1));
    });
    CHECK(acl(leaf).size() == 1);
    CHECK(members(group(1), MemberKind::any, false).empty());
    CHECK(members(group(2), MemberKind::any, false).empty());
    CHECK(memberships(ann, true).empty());
    CHECK_FALSE(value_of(store.everyone(*engine.snapshot(), kPlatform)).has_value());
}

TEST_CASE_METHOD(Fixture, "A change counts inside the transaction that makes it") {
    const auto transaction = engine.begin();
    expect(store.grant(*transaction, leaf, group(1), "consumer"));
    expect(store.add_member(*transaction, group(1), ann, PrincipalKind::user));
    CHECK(value_of(store.permissions(*transaction, ann, leaf)) == kConsumer);
    expect(store.revoke(*transaction, leaf, group(1), "all"));
    CHECK(value_of(store.permissions(*transaction, ann, leaf)).is_empty());
    CHECK(permissions(ann, leaf).is_empty());
}

TEST_CASE_METHOD(Fixture, "Bytes that are no record key are refused") {
    const auto reader = engine.snapshot();
    for (const std::string& key :
         {std::string(), std::string("x"), leaf.substr(0, leaf.size() - 1), leaf + "x"}) {
        CHECK(store.permissions(*reader, ann, key).has_error());
        CHECK(store.permissions(*reader, key, leaf).has_error());
        CHECK(store.acl(*reader, key).has_error());
        CHECK(error_of([&](sdk::Transaction& transaction) {
                  return store.grant(transaction, leaf, key, "consumer");
              }).code == "authority.entry_broken");
    }
}

TEST_CASE_METHOD(Fixture, "Damaged entries are told and do not become rights") {
    grant(leaf, ann, "owner");
    write(engine, [&](sdk::Transaction& transaction) {
        transaction.put(grant_key(kPlatform, kGrantTag, leaf, ann, "owner"), "?");
        return sdk::Result<void>();
    });
    const auto held = store.permissions(*engine.snapshot(), ann, leaf);
    REQUIRE(held.has_error());
    CHECK(held.error().kind == sdk::ErrorKind::internal);
    CHECK(held.error().code == "authority.entry_broken");
}

TEST_CASE_METHOD(Fixture, "Containers that contain each other are told") {
    tree.containers[root] = leaf;
    const auto held = store.permissions(*engine.snapshot(), ann, leaf);
    REQUIRE(held.has_error());
    CHECK(held.error().code == "authority.containers_endless");
}

}  // namespace stele::kernel::authority::testing

#include <catch2/catch.hpp>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store_test_fixture.hpp"

namespace stele::kernel::authority::testing {

namespace {

using sdk::MemberKind;
using sdk::Permission;
using sdk::PermissionSet;
using sdk::PrincipalKind;
using sdk::RecordKey;

}  // namespace

TEST_CASE_METHOD(StoreFixture, "a plain grant counts on its record and not inside it") {
    grant(branch, ann, "consumer");
    CHECK(permissions(ann, branch) == kConsumer);
    CHECK(permissions(ann, leaf).is_empty());
    CHECK(permissions(ann, shop).is_empty());
    CHECK(permissions(bob, branch).is_empty());
}

TEST_CASE_METHOD(StoreFixture, "owners and deep roles reach everything inside") {
    grant(shop, ann, "owner");
    grant(shop, bob, "consumer", true);
    CHECK(permissions(ann, leaf) == PermissionSet::all());
    CHECK(permissions(bob, leaf) == kConsumer);
    CHECK(permissions(ann, root).is_empty());
    CHECK(permissions(bob, root).is_empty());
}

TEST_CASE_METHOD(StoreFixture, "the owner of the platform passes every check") {
    grant(root, ann, "owner");
    for (const RecordKey& record : {root, shop, branch, leaf, other_leaf})
        CHECK(permissions(ann, record) == PermissionSet::all());
}

TEST_CASE_METHOD(StoreFixture, "rights of several grants add up") {
    grant(leaf, ann, "contributor");
    grant(leaf, group(1), "editor");
    join(group(1), ann);
    using enum Permission;
    CHECK(permissions(ann, leaf) ==
          PermissionSet{connect, read, create_subobjects, update, remove});
}

TEST_CASE_METHOD(StoreFixture, "a user reads and updates its own record whatever was revoked") {
    using enum Permission;
    tree.containers[ann] = root;
    CHECK(permissions(ann, ann) == PermissionSet{connect, read, update});
    CHECK(permissions(bob, ann).is_empty());
    CHECK_FALSE(has_role(ann, ann, "consumer"));
}

TEST_CASE_METHOD(StoreFixture, "everyone holds what the group of everybody holds") {
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

TEST_CASE_METHOD(StoreFixture, "principals of another platform can be granted and can join") {
    const RecordKey foreigner = record_key(2, 150, 1);
    grant(leaf, foreigner, "consumer");
    grant(other_leaf, group(1), "consumer");
    join(group(1), foreigner);
    CHECK(can_read(foreigner, leaf));
    CHECK(can_read(foreigner, other_leaf));
    CHECK(members(group(1), MemberKind::any, false) == Keys{foreigner});
}

TEST_CASE_METHOD(StoreFixture, "holding a role implies the built-in roles that it includes") {
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

TEST_CASE_METHOD(StoreFixture, "a forgotten record has no grants and no roles") {
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

TEST_CASE_METHOD(StoreFixture, "a forgotten principal has no grants and no memberships") {
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

TEST_CASE_METHOD(StoreFixture, "a change counts inside the transaction that makes it") {
    const auto transaction = engine.begin();
    expect(store.grant(*transaction, leaf, group(1), "consumer"));
    expect(store.add_member(*transaction, group(1), ann, PrincipalKind::user));
    CHECK(value_of(store.permissions(*transaction, ann, leaf)) == kConsumer);
    expect(store.revoke(*transaction, leaf, group(1), "all"));
    CHECK(value_of(store.permissions(*transaction, ann, leaf)).is_empty());
    CHECK(permissions(ann, leaf).is_empty());
}

TEST_CASE_METHOD(StoreFixture, "bytes that are no record key are refused") {
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

TEST_CASE_METHOD(StoreFixture, "damaged entries are told and do not become rights") {
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

TEST_CASE_METHOD(StoreFixture, "containers that contain each other are told") {
    tree.containers[root] = leaf;
    const auto held = store.permissions(*engine.snapshot(), ann, leaf);
    REQUIRE(held.has_error());
    CHECK(held.error().code == "authority.containers_endless");
}

}  // namespace stele::kernel::authority::testing

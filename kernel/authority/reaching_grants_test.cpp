#include <catch2/catch.hpp>

#include "kernel/authority/authority_store_test_fixture.hpp"

namespace stele::kernel::authority::testing {

namespace {

using sdk::Permission;
using sdk::PermissionSet;
using sdk::RecordKey;

/// The shop is one whose grants reach inside.
struct ReachingFixture : StoreFixture {
    ReachingFixture() { tree.reaching.insert(shop); }
};

}  // namespace

TEST_CASE_METHOD(ReachingFixture, "any role on a record with reaching grants counts inside it") {
    grant(shop, ann, "consumer");
    for (const RecordKey& record : {shop, branch, leaf, other_leaf})
        CHECK(permissions(ann, record) == kConsumer);
    CHECK_FALSE(can_read(ann, root));
    CHECK_FALSE(can_read(bob, branch));
    CHECK(has_role(ann, leaf, "consumer"));
    CHECK_FALSE(has_role(ann, leaf, "contributor"));
    REQUIRE(report(leaf, ann).size() == 1);
    CHECK(report(leaf, ann).front().inherits_from == shop);
    CHECK(visible_leaves(ann).is_everything);
    CHECK_FALSE(visible_leaves(bob).is_everything);

    revoke(shop, ann, "consumer");
    for (const RecordKey& record : {shop, branch, leaf})
        CHECK_FALSE(can_read(ann, record));
    CHECK_FALSE(visible_leaves(ann).is_everything);
}

TEST_CASE_METHOD(ReachingFixture, "a role without READ reaches nothing inside") {
    define(shop, "painter", PermissionSet{Permission::connect, Permission::update});
    grant(shop, ann, "connector");
    grant(shop, ann, "painter");
    CHECK(permissions(ann, shop) == PermissionSet{Permission::connect, Permission::update});
    CHECK(permissions(ann, branch) == PermissionSet());
    CHECK(permissions(ann, leaf) == PermissionSet());
}

TEST_CASE_METHOD(ReachingFixture, "grants on other records stay where they are") {
    grant(root, ann, "collaborator");
    grant(branch, bob, "collaborator");
    CHECK_FALSE(can_read(ann, shop));
    CHECK_FALSE(can_read(ann, leaf));
    CHECK_FALSE(can_read(bob, leaf));
    CHECK_FALSE(can_read(bob, shop));
}

TEST_CASE_METHOD(ReachingFixture, "what everybody was granted reaches inside no record") {
    const RecordKey everyone = group(1);
    const RecordKey crew = group(2);
    write(engine, [&](sdk::Transaction& transaction) {
        return store.set_everyone(transaction, kPlatform, everyone);
    });
    grant(shop, everyone, "consumer");
    CHECK(can_read(ann, shop));
    CHECK_FALSE(can_read(ann, branch));
    CHECK_FALSE(can_read(ann, leaf));
    grant(shop, crew, "consumer");
    join(crew, ann);
    CHECK(can_read(ann, leaf));
    CHECK_FALSE(can_read(bob, leaf));
    grant(shop, everyone, "consumer", true);
    CHECK(can_read(bob, leaf));
}

TEST_CASE_METHOD(ReachingFixture, "a custom role reaches inside with what it means where it lies") {
    define(shop, "printer",
           PermissionSet{Permission::connect, Permission::read, Permission::update});
    define(branch, "printer", PermissionSet{Permission::connect});
    grant(shop, ann, "printer");
    CHECK(permissions(ann, leaf) ==
          PermissionSet{Permission::connect, Permission::read, Permission::update});
}

}  // namespace stele::kernel::authority::testing

#include <catch2/catch.hpp>

#include "kernel/authority/authority_store_test_fixture.hpp"
#include "kernel/authority/inheritance.hpp"

namespace stele::kernel::authority::testing {

namespace {

using sdk::PermissionSet;
using sdk::RecordKey;

}  // namespace

TEST_CASE_METHOD(StoreFixture, "what reaches inside a record reaches those that inherit from it") {
    const RecordKey source = stack(1);
    grant(source, ann, "consumer", true);
    grant(source, bob, "consumer");
    REQUIRE_FALSE(can_read(ann, shop));

    inherit(shop, source);
    for (const RecordKey& record : {source, shop, branch, leaf})
        CHECK(can_read(ann, record));
    CHECK_FALSE(can_read(bob, shop));
    CHECK_FALSE(can_read(bob, leaf));
    CHECK_FALSE(can_read(ann, root));
    REQUIRE(report(leaf, ann).size() == 1);
    CHECK(report(leaf, ann).front().inherits_from == source);

    disinherit(shop, source);
    CHECK_FALSE(can_read(ann, shop));
    CHECK_FALSE(can_read(ann, leaf));
}

TEST_CASE_METHOD(StoreFixture,
                 "lists of a platform's records show those that are read by inheritance") {
    const RecordKey other_shop = record_key(kPlatform, 2, 2);
    tree.containers[other_shop] = root;
    grant(stack(1), ann, "consumer", true);
    inherit(shop, stack(1));
    inherit(other_shop, stack(2));
    const auto shops = [&](const RecordKey& principal) {
        return value_of(store.visible_records(*engine.snapshot(), principal, root,
                                              collection_prefix(kPlatform, 2)));
    };
    CHECK(shops(ann).only == Keys{shop});
    CHECK(shops(bob).only == Keys{});
}

TEST_CASE_METHOD(StoreFixture, "a role means the same on a stack whatever other stacks define") {
    define(root, "picker", kConsumer);
    define(stack(2), "picker", PermissionSet::all());
    grant(stack(1), ann, "picker", true);
    inherit(shop, stack(1));
    inherit(shop, stack(2));
    CHECK(permissions(ann, shop) == kConsumer);
    CHECK(permissions(ann, leaf) == kConsumer);
}

TEST_CASE_METHOD(StoreFixture,
                 "lists of a platform's records know the roles of what these inherit from") {
    const bool is_readable = GENERATE(true, false);
    inherit(shop, stack(1));
    define(root, "picker", is_readable ? PermissionSet() : kConsumer);
    define(stack(1), "picker", is_readable ? kConsumer : PermissionSet());
    grant(shop, ann, "picker");
    CHECK(can_read(ann, shop) == is_readable);
    const auto visible = value_of(
        store.visible_records(*engine.snapshot(), ann, root, collection_prefix(kPlatform, 2)));
    CHECK(visible.only == (is_readable ? Keys{shop} : Keys{}));
}

TEST_CASE_METHOD(StoreFixture, "a removed record takes along what it inherits and bequeaths") {
    const bool is_source = GENERATE(true, false);
    grant(stack(1), ann, "consumer", true);
    inherit(shop, stack(1));
    write(engine, [&](sdk::Transaction& transaction) {
        return store.forget_record(transaction, is_source ? stack(1) : shop);
    });
    grant(stack(1), ann, "consumer", true);
    CHECK_FALSE(can_read(ann, shop));
}

TEST_CASE_METHOD(StoreFixture, "who inherits and from whom one inherits say the same at any time") {
    const RecordKey other_shop = record_key(kPlatform, 2, 2);
    tree.containers[other_shop] = root;
    const auto heirs = [&](const RecordKey& source) {
        return value_of(heirs_of(*engine.snapshot(), source));
    };
    const auto sources = [&](const RecordKey& record) {
        return value_of(sources_of(*engine.snapshot(), record));
    };
    for (const RecordKey& record : {shop, other_shop}) {
        inherit(record, stack(1));
        inherit(record, stack(2));
    }
    CHECK(heirs(stack(1)) == Keys{shop, other_shop});
    CHECK(sources(shop) == Keys{stack(1), stack(2)});

    disinherit(shop, stack(1));
    CHECK(heirs(stack(1)) == Keys{other_shop});
    CHECK(heirs(stack(2)) == Keys{shop, other_shop});
    CHECK(sources(shop) == Keys{stack(2)});

    write(engine, [&](sdk::Transaction& transaction) {
        return store.forget_record(transaction, other_shop);
    });
    CHECK(heirs(stack(1)) == Keys{});
    CHECK(heirs(stack(2)) == Keys{shop});
    CHECK(sources(other_shop) == Keys{});

    write(engine, [&](sdk::Transaction& transaction) {
        return store.forget_record(transaction, stack(2));
    });
    CHECK(heirs(stack(2)) == Keys{});
    CHECK(sources(shop) == Keys{});
}

}  // namespace stele::kernel::authority::testing

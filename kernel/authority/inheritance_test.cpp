#include <catch2/catch.hpp>

#include "kernel/authority/authority_store_test_fixture.hpp"

namespace stele::kernel::authority::testing {

namespace {

using sdk::Permission;
using sdk::PermissionSet;

}  // namespace

TEST_CASE("what reaches inside a record reaches those that inherit from it", "[authority]") {
    Fixture f;
    const RecordKey stack = f.stack(1);
    f.grant(stack, f.ann, "consumer", true);
    f.grant(stack, f.bob, "consumer");
    REQUIRE_FALSE(f.can_read(f.ann, f.shop));

    f.inherit(f.shop, stack);
    for (const RecordKey& record : {stack, f.shop, f.branch, f.leaf})
        CHECK(f.can_read(f.ann, record));
    CHECK_FALSE(f.can_read(f.bob, f.shop));
    CHECK_FALSE(f.can_read(f.bob, f.leaf));
    CHECK_FALSE(f.can_read(f.ann, f.root));
    REQUIRE(f.report(f.leaf, f.ann).size() == 1);
    CHECK(f.report(f.leaf, f.ann).front().inherits_from == stack);

    f.disinherit(f.shop, stack);
    CHECK_FALSE(f.can_read(f.ann, f.shop));
    CHECK_FALSE(f.can_read(f.ann, f.leaf));
}

TEST_CASE("lists of a platform's records show those that are read by inheritance", "[authority]") {
    Fixture f;
    const RecordKey other_shop = record_key(kPlatform, 2, 2);
    f.tree.containers[other_shop] = f.root;
    f.grant(f.stack(1), f.ann, "consumer", true);
    f.inherit(f.shop, f.stack(1));
    f.inherit(other_shop, f.stack(2));
    const auto shops = [&f](const RecordKey& principal) {
        return value_of(f.store.visible_records(*f.engine.snapshot(), principal, f.root,
                                                collection_prefix(kPlatform, 2)));
    };
    CHECK(shops(f.ann).only == Keys{f.shop});
    CHECK(shops(f.bob).only == Keys{});
}

TEST_CASE("a role means the same on a stack whatever other stacks define", "[authority]") {
    Fixture f;
    f.define(f.root, "picker", kConsumer);
    f.define(f.stack(2), "picker", PermissionSet::all());
    f.grant(f.stack(1), f.ann, "picker", true);
    f.inherit(f.shop, f.stack(1));
    f.inherit(f.shop, f.stack(2));
    CHECK(f.permissions(f.ann, f.shop) == kConsumer);
    CHECK(f.permissions(f.ann, f.leaf) == kConsumer);
}

TEST_CASE("a removed record takes along what it inherits and bequeaths", "[authority]") {
    for (const bool is_source : {true, false}) {
        Fixture f;
        f.grant(f.stack(1), f.ann, "consumer", true);
        f.inherit(f.shop, f.stack(1));
        write(f.engine, [&](sdk::Transaction& transaction) {
            return f.store.forget_record(transaction, is_source ? f.stack(1) : f.shop);
        });
        f.grant(f.stack(1), f.ann, "consumer", true);
        CHECK_FALSE(f.can_read(f.ann, f.shop));
    }
}

}  // namespace stele::kernel::authority::testing

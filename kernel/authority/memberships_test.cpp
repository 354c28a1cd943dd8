#include <catch2/catch.hpp>

#include "kernel/authority/authority_store_test_fixture.hpp"

namespace stele::kernel::authority::testing {

namespace {

using sdk::MemberKind;
using sdk::PrincipalKind;

}  // namespace

TEST_CASE_METHOD(StoreFixture, "members are listed in the order of joining") {
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

TEST_CASE_METHOD(StoreFixture, "groups that contain each other are harmless") {
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

TEST_CASE_METHOD(StoreFixture, "a thousand nested groups carry a right") {
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

}  // namespace stele::kernel::authority::testing

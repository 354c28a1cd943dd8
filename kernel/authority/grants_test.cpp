#include <catch2/catch.hpp>

#include "kernel/authority/authority_store_test_fixture.hpp"

namespace stele::kernel::authority::testing {

TEST_CASE_METHOD(StoreFixture, "role keys are compared without regard to case") {
    grant(leaf, ann, "COLLABORATOR");
    CHECK(has_role(ann, leaf, "Collaborator"));
    CHECK(acl(leaf).at(0).roles == std::vector<std::string>{"collaborator"});
    revoke(leaf, ann, "CollaboratoR");
    CHECK(acl(leaf).empty());
}

TEST_CASE_METHOD(StoreFixture, "granting an unknown role is refused") {
    const auto error = error_of([&](sdk::Transaction& transaction) {
        return store.grant(transaction, leaf, ann, "auditor");
    });
    CHECK(error.kind == sdk::ErrorKind::not_found);
    CHECK(error.code == "authority.role_unknown");
}

TEST_CASE_METHOD(StoreFixture, "granting twice is one grant with one id") {
    grant(leaf, ann, "consumer");
    const std::string id = report(leaf, ann).at(0).id;
    grant(leaf, ann, "Consumer");
    CHECK(report(leaf, ann).size() == 1);
    CHECK(report(leaf, ann).at(0).id == id);
    CHECK_FALSE(id.empty());
}

TEST_CASE_METHOD(StoreFixture, "a grant that was made deep stays the same grant and stays deep") {
    grant(branch, ann, "consumer");
    const std::string id = report(branch, ann).at(0).id;
    grant(branch, ann, "consumer", true);
    grant(branch, ann, "consumer");
    CHECK(can_read(ann, leaf));
    CHECK(report(branch, ann).at(0).id == id);
    revoke(branch, ann, "consumer");
    CHECK_FALSE(can_read(ann, leaf));
}

TEST_CASE_METHOD(StoreFixture, "revoking all removes every direct grant and nothing else") {
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

TEST_CASE_METHOD(StoreFixture, "revoking what is not there is harmless and writes nothing") {
    const auto transaction = engine.begin();
    expect(store.revoke(*transaction, leaf, ann, "consumer"));
    expect(store.revoke(*transaction, leaf, ann, "all"));
    expect(store.remove_member(*transaction, group(1), ann));
    CHECK_FALSE(transaction->has_writes());
}

TEST_CASE_METHOD(StoreFixture, "grants to different principals never conflict") {
    const auto first = engine.begin();
    const auto second = engine.begin();
    expect(store.grant(*first, leaf, ann, "consumer"));
    expect(store.grant(*second, leaf, bob, "consumer"));
    CHECK(sdk::commit_and_wait(*first).has_value());
    CHECK(sdk::commit_and_wait(*second).has_value());
}

TEST_CASE_METHOD(StoreFixture, "direct grants are listed by principal with sorted roles") {
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

TEST_CASE_METHOD(StoreFixture, "a report names the holder and the record that a grant lies on") {
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

}  // namespace stele::kernel::authority::testing

#include <catch2/catch.hpp>

#include "kernel/authority/authority_store_test_fixture.hpp"

namespace stele::kernel::authority::testing {

namespace {

using sdk::Permission;
using sdk::PermissionSet;

}  // namespace

TEST_CASE_METHOD(StoreFixture, "a custom role holds inside its container and keeps its spelling") {
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

TEST_CASE_METHOD(StoreFixture, "the innermost definition of a custom role counts") {
    define(root, "auditor", {Permission::read});
    define(branch, "auditor", {Permission::update});
    grant(leaf, ann, "auditor");
    grant(shop, ann, "auditor", true);
    CHECK(permissions(ann, leaf) == PermissionSet{Permission::read, Permission::update});
    CHECK(permissions(ann, shop) == PermissionSet{Permission::read});
}

TEST_CASE_METHOD(StoreFixture, "a custom role without permissions is held by its key") {
    define(shop, "badge", {});
    grant(leaf, ann, "badge");
    CHECK(permissions(ann, leaf).is_empty());
    CHECK(has_role(ann, leaf, "badge"));
    CHECK_FALSE(has_role(ann, leaf, "connector"));
}

TEST_CASE_METHOD(StoreFixture, "grants of a removed role sleep until it is defined again") {
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

TEST_CASE_METHOD(StoreFixture, "custom roles cannot be called like built-in ones or like all") {
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

TEST_CASE_METHOD(StoreFixture, "defining a role again replaces it") {
    define(shop, "auditor", {Permission::read});
    define(shop, "Auditor", {Permission::update});
    define(shop, "badge", {});
    const auto roles = value_of(store.roles(*engine.snapshot(), shop));
    REQUIRE(roles.size() == 2);
    CHECK(roles[0].key == "Auditor");
    CHECK(roles[0].permissions == PermissionSet{Permission::update});
    CHECK(roles[1].key == "badge");
}

}  // namespace stele::kernel::authority::testing

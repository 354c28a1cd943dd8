#include <catch2/catch.hpp>

#include "kernel/authority/authority_store_test_fixture.hpp"

namespace stele::kernel::authority::testing {
namespace {

const sdk::PermissionSet kEverything = sdk::PermissionSet::all();

/// A branch from which `middle` was forked, and from that `fork`; a leaf of each, seen on `fork`.
struct ForkFixture : StoreFixture {
    sdk::RecordKey middle = record_key(kPlatform, 3, 2);
    sdk::RecordKey fork = record_key(kPlatform, 3, 3);
    sdk::RecordKey own = record_key(kPlatform, 102, 1);
    sdk::RecordKey of_middle = record_key(kPlatform, 102, 2);
    sdk::RecordKey of_branch = record_key(kPlatform, 102, 3);
    sdk::RecordKey made_on_middle = record_key(kPlatform, 101, 2);
    sdk::RecordKey leaf_on_middle = record_key(kPlatform, 101, 3);

    ForkFixture() {
        tree.containers[middle] = tree.containers[fork] = shop;
        tree.containers[own] = tree.containers[of_middle] = tree.containers[of_branch] = fork;
        tree.containers[made_on_middle] = tree.containers[leaf_on_middle] = middle;
        tree.origins = {{middle, {branch}}, {fork, {middle, branch}}};
        tree.came_through = {{of_middle, 1}, {of_branch, 2}, {leaf_on_middle, 1}};
        tree.elsewhere = {{{of_middle, middle}, made_on_middle},
                          {{of_branch, middle}, leaf_on_middle},
                          {{leaf_on_middle, branch}, leaf}};
    }

    void grant(const sdk::RecordKey& record, const char* role, bool is_whole = false) {
        write(engine, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
            auto granted = store.grant(transaction, record, ann, role);
            if (!granted || !is_whole) return granted;
            return store.make_whole(transaction, record, ann, role);
        });
    }
    /// A folder of what came from `middle`, with one member that came along and one of the fork's.
    void put_into_folder() {
        tree.siblings[of_middle] = {};
        tree.siblings[of_branch] = tree.siblings[own] = {of_middle};
    }
    sdk::PermissionSet held(const sdk::RecordKey& record) {
        return value_of(store.permissions(*engine.snapshot(), ann, record));
    }
    sdk::PermissionSet inside(const sdk::RecordKey& container) {
        return value_of(store.inside_permissions(*engine.snapshot(), ann, container));
    }
    std::vector<sdk::PermissionSet> on_fork() {
        return {held(own), held(of_middle), held(of_branch)};
    }
};

using Sets = std::vector<sdk::PermissionSet>;

TEST_CASE_METHOD(ForkFixture, "the owner of a fork owns what was made on it, and nothing else") {
    grant(fork, "owner");
    CHECK(on_fork() == Sets{kEverything, {}, {}});
    CHECK(inside(fork).is_empty());
    CHECK(value_of(store.made_inside_permissions(*engine.snapshot(), ann, fork)) == kEverything);
    CHECK_FALSE(value_of(store.visible_records(*engine.snapshot(), ann, fork,
                                               collection_prefix(kPlatform, 102)))
                    .is_everything);
}

TEST_CASE_METHOD(
    ForkFixture,
    "whoever owns a fork gives what was made on it, and a whole role of others is more") {
    grant(fork, "owner");
    const auto covers = [this](const sdk::RecordKey& giver) {
        const auto snapshot = engine.snapshot();
        return value_of(store.measure(*snapshot, giver).covers_grant(fork, "owner", false));
    };
    CHECK(covers(ann));
    CHECK_FALSE(covers(bob));
    const sdk::RecordKey insiders = group(1);
    write(engine, [&](sdk::Transaction& transaction) {
        return store.grant(transaction, fork, insiders, "owner");
    });
    const auto covers_group = [&] {
        const auto snapshot = engine.snapshot();
        return value_of(store.measure(*snapshot, ann).covers_membership(insiders));
    };
    CHECK(covers_group());
    write(engine, [&](sdk::Transaction& transaction) {
        return store.make_whole(transaction, fork, insiders, "owner");
    });
    CHECK_FALSE(covers_group());
}

TEST_CASE_METHOD(ForkFixture, "what came into a fork is its owner's as far as it is there") {
    grant(branch, "owner");
    CHECK(on_fork() == Sets{{}, {}, {}});
    grant(fork, "owner");
    CHECK(on_fork() == Sets{kEverything, {}, {}});
    grant(middle, "consumer");
    CHECK(on_fork() == Sets{kEverything, {}, {}});
    grant(middle, "owner");
    CHECK(on_fork() == Sets{kEverything, kEverything, kEverything});
    CHECK(inside(fork) == kEverything);
}

TEST_CASE_METHOD(ForkFixture, "a whole grant reaches everything that the fork has") {
    grant(fork, "owner", true);
    CHECK(on_fork() == Sets{kEverything, kEverything, kEverything});
    CHECK(inside(fork) == kEverything);
    CHECK(held(leaf_on_middle).is_empty());
}

TEST_CASE_METHOD(ForkFixture, "a whole grant on the way reaches what came through there") {
    grant(middle, "owner", true);
    CHECK(on_fork() == Sets{{}, {}, {}});
    grant(fork, "owner");
    CHECK(on_fork() == Sets{kEverything, kEverything, kEverything});
    CHECK(value_of(store.inherited_permissions(*engine.snapshot(), ann, fork)) == kEverything);
}

TEST_CASE_METHOD(ForkFixture, "grants on a record count where the owner of a fork has come from") {
    grant(leaf, "consumer");
    grant(fork, "owner");
    CHECK(on_fork() == Sets{kEverything, {}, {}});
    grant(middle, "owner");
    CHECK(on_fork() == Sets{kEverything, kEverything, kConsumer});
    grant(of_branch, "editor");
    CHECK(held(of_branch).has(sdk::Permission::update));
    CHECK_FALSE(held(leaf_on_middle).has(sdk::Permission::update));
}

TEST_CASE_METHOD(ForkFixture,
                 "a folder of a fork gives on what came along as much as its holder has there") {
    put_into_folder();
    grant(of_middle, "owner");
    CHECK(on_fork() == Sets{kEverything, kEverything, {}});
    grant(leaf_on_middle, "consumer");
    CHECK(on_fork() == Sets{kEverything, kEverything, kConsumer});
    const auto snapshot = engine.snapshot();
    CHECK_FALSE(value_of(store.has_role(*snapshot, ann, of_branch, "editor")));
    CHECK(value_of(store.granted_permissions(*snapshot, ann, of_branch)) == kConsumer);
}

TEST_CASE_METHOD(ForkFixture, "who made a folder on a fork has as much on what came along") {
    put_into_folder();
    tree.siblings[of_branch] = {own};
    tree.makers[own] = ann;
    CHECK(on_fork() == Sets{kEverything, {}, {}});
    grant(leaf_on_middle, "consumer");
    CHECK(on_fork() == Sets{kEverything, {}, kConsumer});
}

TEST_CASE_METHOD(ForkFixture, "a whole grant on a folder of a fork reaches all that is in it") {
    put_into_folder();
    grant(of_middle, "consumer", true);
    CHECK(on_fork() == Sets{kConsumer, kConsumer, kConsumer});
}

TEST_CASE_METHOD(ForkFixture,
                 "who holds everything that came into a fork gives it whole by a folder, too") {
    put_into_folder();
    const auto inherited = [this] {
        return value_of(store.inherited_permissions(*engine.snapshot(), ann, of_middle));
    };
    grant(of_middle, "owner");
    CHECK(inherited() == sdk::PermissionSet());
    grant(fork, "owner", true);
    CHECK(inherited() == kEverything);
}

TEST_CASE_METHOD(ForkFixture,
                 "a group with a whole role on a folder is for those who hold what came along") {
    put_into_folder();
    const sdk::RecordKey insiders = group(1);
    write(engine, [&](sdk::Transaction& transaction) {
        return store.grant(transaction, of_middle, insiders, "consumer");
    });
    grant(of_middle, "owner");
    const auto covers_group = [&] {
        const auto snapshot = engine.snapshot();
        return value_of(store.measure(*snapshot, ann).covers_membership(insiders));
    };
    CHECK(covers_group());
    write(engine, [&](sdk::Transaction& transaction) {
        return store.make_whole(transaction, of_middle, insiders, "consumer");
    });
    CHECK_FALSE(covers_group());
    grant(fork, "owner", true);
    CHECK(covers_group());
}

TEST_CASE_METHOD(ForkFixture, "a role check and a report know what is bounded") {
    grant(fork, "owner");
    grant(made_on_middle, "editor");
    const auto snapshot = engine.snapshot();
    CHECK(value_of(store.has_role(*snapshot, ann, of_middle, "editor")));
    CHECK_FALSE(value_of(store.has_role(*snapshot, ann, of_middle, "owner")));
    CHECK_FALSE(value_of(store.has_role(*snapshot, bob, of_middle, "consumer")));
    const auto origins = value_of(store.report(*snapshot, of_middle, ann));
    REQUIRE(origins.size() == 1);
    CHECK(origins.front().role_key == "editor");
    CHECK(origins.front().permissioned == of_middle);
    CHECK(origins.front().inherits_from == made_on_middle);
}

TEST_CASE_METHOD(ForkFixture, "what reaches in from above reaches everything of a fork") {
    grant(shop, "owner");
    CHECK(on_fork() == Sets{kEverything, kEverything, kEverything});
    CHECK(inside(fork) == kEverything);
}

TEST_CASE_METHOD(ForkFixture, "a grant that was made whole stays so until it is revoked") {
    grant(fork, "owner", true);
    grant(fork, "owner");
    CHECK(held(of_branch) == kEverything);
    write(engine, [&](sdk::Transaction& transaction) {
        return store.revoke(transaction, fork, ann, "owner");
    });
    grant(fork, "owner");
    CHECK(held(of_branch).is_empty());
}

}  // namespace
}  // namespace stele::kernel::authority::testing

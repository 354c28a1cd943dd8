#include <catch2/catch.hpp>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store_test_fixture.hpp"

namespace stele::kernel::authority::testing {

namespace {

using sdk::Permission;
using sdk::PermissionSet;
using sdk::PrincipalKind;

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

TEST_CASE_METHOD(StoreFixture, "ten thousand memberships cost one scan each") {
    constexpr std::uint64_t kGroups = 10'000;
    write(engine, [&](sdk::Transaction& transaction) {
        for (std::uint64_t number = 1; number <= kGroups; ++number)
            expect(store.add_member(transaction, group(number), ann, PrincipalKind::user));
        // Of the groups one is in another one, which is what the leaf is granted to.
        expect(store.add_member(transaction, group(kGroups + 1), group(kGroups / 2),
                                PrincipalKind::group));
        return store.grant(transaction, leaf, group(kGroups + 1), "consumer");
    });
    const CountingReader reader(engine.snapshot());
    CHECK(value_of(store.permissions(reader, ann, leaf)) == kConsumer);
    // A scan and a step for each group, and little else.
    CHECK(reader.count > static_cast<int>(kGroups));
    CHECK(reader.count < 2 * static_cast<int>(kGroups) + 100);
}

TEST_CASE_METHOD(StoreFixture,
                 "whoever made thousands of records is not sought in all their groups") {
    constexpr std::uint64_t kGroups = 5'000;
    write(engine, [&](sdk::Transaction& transaction) {
        for (std::uint64_t number = 1; number <= kGroups; ++number)
            expect(store.add_member(transaction, group(number), ann, PrincipalKind::user));
        expect(store.grant(transaction, leaf, group(kGroups / 2), "consumer"));
        // Somebody else's, on the way to what the platform gives.
        expect(store.grant(transaction, branch, bob, "owner"));
        expect(store.grant(transaction, other_leaf, bob, "owner"));
        return store.grant(transaction, root, ann, "owner");
    });
    CountingReader reader(engine.snapshot());
    const auto counted = [&reader](const auto& ask) {
        reader.count = 0;
        ask();
        return reader.count;
    };
    CHECK(counted([&] {
              CHECK(value_of(store.permissions(reader, ann, leaf)) == PermissionSet::all());
          }) < 50);
    CHECK(counted([&] {
              CHECK(value_of(store.permissions(reader, ann, other_leaf)) == PermissionSet::all());
          }) < 50);
    CHECK(counted([&] {
              CHECK(value_of(store.granted_permissions(reader, ann, other_leaf)) ==
                    PermissionSet::all());
          }) < 50);
    CHECK(counted([&] {
              CHECK(value_of(store.inside_permissions(reader, ann, branch)) ==
                    PermissionSet::all());
          }) < 50);
    CHECK(counted([&] { CHECK(value_of(store.has_role(reader, ann, leaf, "consumer"))); }) < 50);
    CHECK(counted([&] { CHECK(value_of(store.reads_inside(reader, ann, branch))); }) < 50);
}

TEST_CASE_METHOD(StoreFixture,
                 "principals of a domain that is being removed have no rights and give none") {
    const auto remove = [&](std::uint64_t collection) {
        write(engine, [&](sdk::Transaction& transaction) {
            transaction.put(removal_key(kPlatform, collection), "domain");
            return sdk::Result<void>();
        });
    };
    const sdk::RecordKey outer = record_key(kPlatform, 152, 1);
    join(group(1), ann);
    join(outer, ann);
    grant(leaf, group(1), "consumer");
    grant(leaf, outer, "editor");
    grant(other_leaf, ann, "consumer");
    CHECK(has_role(ann, leaf, "editor"));
    remove(152);
    CHECK(permissions(ann, leaf) == kConsumer);
    CHECK_FALSE(has_role(ann, leaf, "editor"));
    remove(151);
    CHECK(permissions(ann, leaf).is_empty());
    CHECK(permissions(ann, other_leaf) == kConsumer);
    remove(150);
    CHECK(permissions(ann, other_leaf).is_empty());
    CHECK(visible_leaves(ann).only == Keys{});
}

TEST_CASE_METHOD(StoreFixture, "a record that is granted to many is not searched for one of them") {
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

TEST_CASE_METHOD(StoreFixture, "records that a principal may read are found by its grants") {
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

TEST_CASE_METHOD(StoreFixture, "a role defined on a record itself decides whether it is visible") {
    define(branch, "auditor", {Permission::read});
    define(leaf, "auditor", {Permission::update});
    grant(leaf, ann, "auditor");
    grant(other_leaf, ann, "auditor");
    CHECK(visible_leaves(ann).only == Keys{other_leaf});
}

TEST_CASE_METHOD(StoreFixture, "policies add rights, and their revokes take only what they gave") {
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

TEST_CASE_METHOD(StoreFixture, "roles that policies leave count in a check") {
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

TEST_CASE_METHOD(StoreFixture,
                 "where policies apply, lists ask record by record unless all is theirs") {
    store.set_policy_source(&policies);
    grant(leaf, ann, "consumer");
    CHECK(visible_leaves(ann).only.has_value());
    assign(ann, 1, false, "consumer", "red");
    CHECK_FALSE(visible_leaves(ann).only.has_value());
    CHECK_FALSE(visible_leaves(ann).is_everything);
    grant(shop, ann, "owner");
    CHECK(visible_leaves(ann).is_everything);
}

}  // namespace stele::kernel::authority::testing

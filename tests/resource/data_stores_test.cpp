// Data stores as the services keep them: counts at any depth, removal in steps, and stores that
// were written before their families declared what they declare now.

#include <set>

#include <catch2/catch.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/key_tuple.hpp>

#include "kernel/resource/consistency/data_store_count.hpp"
#include "kernel/resource/consistency/declarations.hpp"
#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/resource/registration/registration.hpp"
#include "kernel/resource/upkeep/housekeeper.hpp"
#include "kernel/storage/index/index_entries.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

using namespace std::chrono_literals;

class Family final : public sdk::Resource {
public:
    explicit Family(sdk::ResourceDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
    sdk::ResourceDescriptor describe() const override { return descriptor_; }

private:
    sdk::ResourceDescriptor descriptor_;
};

struct Declared {
    bool is_data_store = true;
    bool is_key_unique = false;
};

/// Museums hold rooms, rooms hold exhibits; only museums are data stores.
std::vector<std::unique_ptr<sdk::Resource>> museum_families(Declared declared = {}) {
    std::vector<std::unique_ptr<sdk::Resource>> families;
    const auto add = [&](const char* type, const char* container, const char* path) {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = type;
        descriptor.container = container;
        descriptor.path = path;
        descriptor.placeholder = std::string(type) + "Id";
        descriptor.capabilities.data_store =
            declared.is_data_store && descriptor.container == kPlatformType;
        if (descriptor.type == "exhibit" && declared.is_key_unique) {
            descriptor.fields = {{.name = "key", .kind = sdk::FieldKind::text, .addresses = true}};
        }
        families.push_back(std::make_unique<Family>(std::move(descriptor)));
    };
    add("museum", kPlatformType, "museums");
    add("room", "museum", "rooms");
    add("exhibit", "room", "exhibits");
    return families;
}

/// Lets several servers come after one another over one store.
class BorrowedEngine final : public sdk::Engine {
public:
    explicit BorrowedEngine(sdk::Engine& engine) : engine_(engine) {}
    std::unique_ptr<sdk::Reader> snapshot() override { return engine_.snapshot(); }
    std::unique_ptr<sdk::Transaction> begin() override { return engine_.begin(); }
    bool is_local() const override { return engine_.is_local(); }
    void observe(std::string prefix, sdk::CommitObserver observer) override {
        engine_.observe(std::move(prefix), std::move(observer));
    }
    std::uint64_t approximate_size(const sdk::KeyRange& range) override {
        return engine_.approximate_size(range);
    }

private:
    sdk::Engine& engine_;
};

/// Fails to read what has one of its keys; everything else is there.
class BrittleReader final : public sdk::Reader {
public:
    BrittleReader(std::unique_ptr<sdk::Reader> whole, const std::set<std::string>& broken)
        : whole_(std::move(whole)), broken_(broken) {}
    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        if (broken_.contains(std::string(key))) return failure();
        return whole_->get(key);
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        if (broken_.contains(std::string(key))) return failure();
        return whole_->get_into(key, value);
    }
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        return whole_->scan(std::move(range), direction);
    }

private:
    static sdk::Error failure() {
        return sdk::make_error(sdk::ErrorKind::internal, "store.damaged", "a bad block");
    }

    std::unique_ptr<sdk::Reader> whole_;
    const std::set<std::string>& broken_;
};

class BrittleEngine final : public sdk::Engine {
public:
    std::set<std::string> broken;

    std::unique_ptr<sdk::Reader> snapshot() override {
        return std::make_unique<BrittleReader>(engine_.snapshot(), broken);
    }
    std::unique_ptr<sdk::Transaction> begin() override { return engine_.begin(); }
    bool is_local() const override { return engine_.is_local(); }
    void observe(std::string prefix, sdk::CommitObserver observer) override {
        engine_.observe(std::move(prefix), std::move(observer));
    }
    std::uint64_t approximate_size(const sdk::KeyRange& range) override {
        return engine_.approximate_size(range);
    }

private:
    sdk::testing::MemoryEngine engine_;
};

/// A server of its own over a store, from its start on.
struct Server {
    Server(sdk::Engine& engine, Declared declared)
        : services(std::make_unique<BorrowedEngine>(engine),
                   sdk::Sealer(std::string(sdk::Sealer::kKeySize, 'k'))) {
        add_kernel_families(services.registry);
        for (auto& family : museum_families(declared))
            expect(add_family(services.registry, "museums", std::move(family)));
        expect(freeze(services.registry));
        if (services.platforms.root()) return;
        expect(sdk::write_with_retry(engine, [this](sdk::Transaction& transaction) {
            auto made = services.platforms.create(transaction, "Test");
            return made ? sdk::Result<void>() : sdk::Result<void>(made.error());
        }));
    }

    sdk::Result<sdk::RecordKey> create(const sdk::CollectionName& name, const sdk::Json& fields) {
        sdk::RecordKey key;
        auto made = run_as_system(services, value_of(services.platforms.root()),
                                  [&](sdk::Context& context) -> sdk::Result<void> {
                                      auto created = context.documents().create(name, fields);
                                      if (!created) return created.error();
                                      key = created->key;
                                      return {};
                                  });
        if (!made) return made.error();
        return key;
    }
    std::vector<std::string> differences() { return check_store(services); }

    Services services;
};

struct Museums : ResourceFixture {
    Museums() : ResourceFixture(museum_families()) {
        expect(apply_declarations(services));
        museum = create({"museum", ""}, {{"_doc", "m"}, {"maxsize", -1}});
    }

    sdk::RecordKey make_room(const std::string& id, int exhibits) {
        const sdk::RecordKey room = create({"room", "m", museum}, {{"_doc", id}});
        for (int i = 0; i < exhibits; ++i)
            create({"exhibit", id, room}, {{"n", i}, {"text", std::string(i % 7, 'x')}});
        return room;
    }
    sdk::DataStoreSize size() {
        return value_of(read_store_size(*services.engine->snapshot(), museum));
    }
    sdk::DataStoreSize counted() {
        return value_of(
            count_data_stores(services.records, *services.engine->snapshot(), 1))[museum];
    }
    std::vector<std::string> differences() { return check_store(services); }
    std::size_t removed() {
        return value_of(services.documents.removed_collections(*services.engine->snapshot(), 1))
            .size();
    }

    sdk::RecordKey museum;
    Housekeeper housekeeper{services, 1h};
};

}  // namespace

TEST_CASE_METHOD(Museums, "a data store counts what is in it at every depth") {
    make_room("r", 5);
    CHECK(size().objects == 6);
    CHECK(size() == counted());
    json(system(), "PUT", "/museums/m/rooms/r", {{"title", "a longer title than before"}});
    CHECK(size() == counted());
    const auto exhibit = json(system(), "GET", "/museums/m/rooms/r/exhibits")
                             .at("rows")
                             .at(0)
                             .at("_doc")
                             .get<std::string>();
    json(system(), "DELETE", "/museums/m/rooms/r/exhibits/" + exhibit);
    CHECK(size().objects == 5);
    CHECK(size() == counted());
    json(system(), "DELETE", "/museums/m/rooms/r");
    CHECK(size() == sdk::DataStoreSize{});
    CHECK(differences().empty());
}

TEST_CASE_METHOD(Museums, "what a removed container held is gone at once and erased in steps") {
    const sdk::RecordKey room = make_room("r", 450);
    make_room("other", 3);
    const auto page = json(system(), "GET", "/museums/m/rooms/r/exhibits?limit=1");
    const auto exhibit = page.at("rows").at(0).at("_doc").get<std::string>();
    sdk::RecordKey key;
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        key = value_of(context.documents().read({"exhibit", "r", room}, exhibit)).key;
        return {};
    });

    json(system(), "DELETE", "/museums/m/rooms/r");
    CHECK(removed() == 1);
    CHECK(size().objects == 4 + 450);
    CHECK(differences().empty());
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        CHECK(context.documents().read(key).error().kind == sdk::ErrorKind::not_found);
        const sdk::CollectionName inside{"exhibit", "r", room};
        CHECK(context.documents().query(inside, {}).error().kind == sdk::ErrorKind::not_found);
        CHECK(context.documents().create(inside, {}).error().kind == sdk::ErrorKind::not_found);
        return {};
    });
    create({"room", "m", museum}, {{"_doc", "r"}});
    CHECK(json(system(), "GET", "/museums/m/rooms/r/exhibits").at("total_rows") == 0);

    expect(housekeeper.empty_removed());
    CHECK(removed() == 0);
    CHECK(size().objects == 5);
    CHECK(size() == counted());
    CHECK(differences().empty());
}

TEST_CASE("what is being erased is understood by another server, whatever of it is gone") {
    sdk::testing::MemoryEngine engine;
    {
        Server first(engine, {});
        expect(apply_declarations(first.services));
        const auto museum = value_of(first.create({"museum", ""}, {{"_doc", "m"}}));
        value_of(first.create({"museum", ""}, {{"_doc", "other"}}));
        const auto room = value_of(first.create({"room", "m", museum}, {{"_doc", "r"}}));
        for (int i = 0; i < 450; ++i)
            value_of(first.create({"exhibit", "r", room}, {{"n", i}}));
        expect(run_as_system(first.services, value_of(first.services.platforms.root()),
                             [](sdk::Context& context) {
                                 return context.documents().remove({"museum", ""}, "m");
                             }));
    }
    // Each step is of a server that remembers nothing, in the order in which they were marked.
    for (int steps = 0;; ++steps) {
        REQUIRE(steps < 100);
        Server next(engine, {});
        CHECK(next.differences().empty());
        const auto removed = value_of(
            next.services.documents.removed_collections(*next.services.engine->snapshot(), 1));
        if (removed.empty()) break;
        const auto& one = removed[static_cast<std::size_t>(steps) % removed.size()];
        expect(run_as_system(next.services, value_of(next.services.platforms.root()),
                             [&](sdk::Context& context) -> sdk::Result<void> {
                                 auto& documents = WorkContext::of(context).bound_documents();
                                 const auto emptied = documents.empty_removed(one);
                                 if (!emptied) return emptied.error();
                                 return {};
                             }));
    }
}

TEST_CASE_METHOD(Museums, "one step of emptying is bounded") {
    make_room("r", 450);
    json(system(), "DELETE", "/museums/m/rooms/r");
    const auto collection =
        value_of(services.documents.removed_collections(*services.engine->snapshot(), 1)).at(0);
    std::uint64_t before = 450;
    for (int step = 0; step < 3; ++step) {
        as_system([&](sdk::Context& context) -> sdk::Result<void> {
            auto& documents = WorkContext::of(context).bound_documents();
            CHECK_FALSE(value_of(documents.empty_removed(collection)));
            return {};
        });
        const auto now =
            value_of(services.documents.count(*services.engine->snapshot(), collection.id));
        CHECK(before - now <= BoundDocuments::kMaxRemovals);
        CHECK(now < before);
        before = now;
    }
    CHECK(before == 0);
}

TEST_CASE_METHOD(Museums, "a removed data store takes its rows along, however much it held") {
    make_room("small", 2);
    make_room("large", 300);
    for (int i = 0; i < 250; ++i)
        make_room("r" + std::to_string(i), 1);
    json(system(), "DELETE", "/museums/m");
    CHECK_FALSE(value_of(read_store_state(*services.engine->snapshot(), museum)).has_value());
    CHECK(differences().empty());
    expect(housekeeper.empty_removed());
    // Rooms that held much were marked while museums were emptied.
    expect(housekeeper.empty_removed());
    CHECK(removed() == 0);
    CHECK(size() == sdk::DataStoreSize{});
    CHECK(differences().empty());
    CHECK(value_of(services.documents.collections(*services.engine->snapshot(), 1)).size() <= 4);
}

TEST_CASE_METHOD(Museums, "plugins count and guard what they keep elsewhere") {
    const auto owner = make_user("owner");
    const auto other = make_user("other");
    for (const auto& user : {owner, other})
        grant(museum, user, "manager");
    const sdk::RecordKey room = create({"room", "m", museum}, sdk::Json::object());
    const std::int64_t used = size().bytes;
    json(system(), "PUT", "/museums/m", {{"maxsize", used + 100}});

    const auto count = [&](const sdk::SessionPtr& user, sdk::DataStoreSize change) {
        WorkContext context(services, user);
        auto counted = context.data_stores().count(room, change);
        if (!counted) return counted.error().code;
        CHECK(value_of(context.data_stores().size(room)).bytes == size().bytes + change.bytes);
        expect(sdk::commit_and_wait(context.transaction()));
        return std::string();
    };
    CHECK(count(owner, {1, 60}) == "");
    CHECK(count(owner, {1, 41}) == "data_store.full");
    CHECK(count(owner, {1, 40}) == "");
    CHECK(count(owner, {0, 0}) == "");
    CHECK(count(owner, {-2, -100}) == "");
    json(owner, "POST", "/museums/m/lock");
    CHECK(count(other, {1, 1}) == "data_store.locked");
    CHECK(count(other, {-1, -1}) == "data_store.locked");
    CHECK(count(owner, {1, 1}) == "");
    CHECK(count(system(), {1, 1}) == "");
}

TEST_CASE_METHOD(Museums, "two writers that fit alone but not together are put in order") {
    make_room("r", 0);
    json(system(), "PUT", "/museums/m", {{"maxsize", size().bytes + 100}});
    std::vector<std::unique_ptr<WorkContext>> rivals;
    for (int i = 0; i < 2; ++i) {
        auto& rival = rivals.emplace_back(std::make_unique<WorkContext>(services, system()));
        expect(rival->data_stores().count(museum, {1, 60}));
    }
    CHECK(sdk::commit_and_wait(rivals[0]->transaction()).has_value());
    CHECK(sdk::commit_and_wait(rivals[1]->transaction()).error().code == "engine.conflict");
}

TEST_CASE_METHOD(Museums, "a write that was let in before a lock conflicts with it") {
    const auto writer = make_user("writer");
    grant(museum, writer, "collaborator");
    make_room("r", 0);
    const auto write = begin(writer, "POST", "/museums/m/rooms", {{"title", "late"}});
    CHECK(write->run().has_value());
    json(system(), "POST", "/museums/m/lock");
    CHECK(write->commit().error().code == "engine.conflict");
    const auto again = begin(writer, "POST", "/museums/m/rooms", {{"title", "late"}});
    CHECK(again->run().error().code == "data_store.locked");
    CHECK(again->call().work().blocked_by() == museum);
}

TEST_CASE("fields that have become unique get their rows at start") {
    sdk::testing::MemoryEngine engine;
    sdk::RecordKey museum, room;
    {
        Server before(engine, {.is_key_unique = false});
        expect(apply_declarations(before.services));
        museum = value_of(before.create({"museum", ""}, {{"_doc", "m"}}));
        room = value_of(before.create({"room", "m", museum}, {{"_doc", "r"}}));
        for (int i = 0; i < 1200; ++i) {
            value_of(before.create({"exhibit", "r", room}, {{"key", "k" + std::to_string(i)}}));
        }
    }
    const sdk::CollectionName exhibits{"exhibit", "r", room};
    {
        Server after(engine, {.is_key_unique = true});
        expect(apply_declarations(after.services));
        CHECK(after.create(exhibits, {{"key", "k7"}}).error().code == "document.value_taken");
        CHECK(after.create(exhibits, {{"key", "k1199"}}).error().code == "document.value_taken");
        value_of(after.create(exhibits, {{"key", "new"}}));
        CHECK(after.differences().empty());
    }
    {
        // While it is not declared, nobody looks after the rows.
        Server between(engine, {.is_key_unique = false});
        expect(apply_declarations(between.services));
        value_of(between.create(exhibits, {{"key", "free"}}));
        expect(run_as_system(between.services, value_of(between.services.platforms.root()),
                             [&](sdk::Context& context) -> sdk::Result<void> {
                                 auto page = context.documents().query(exhibits, {{"key", "k7"}});
                                 if (!page) return page.error();
                                 auto done = context.documents().update(
                                     exhibits, page->rows.at(0).id, {{"key", "moved"}});
                                 if (!done) return done.error();
                                 return {};
                             }));
    }
    Server last(engine, {.is_key_unique = true});
    expect(apply_declarations(last.services));
    value_of(last.create(exhibits, {{"key", "k7"}}));
    CHECK(last.create(exhibits, {{"key", "moved"}}).error().code == "document.value_taken");
    CHECK(last.create(exhibits, {{"key", "free"}}).error().code == "document.value_taken");
    CHECK(last.differences().empty());
}

TEST_CASE("a server does not start over records that a field's uniqueness does not fit") {
    sdk::testing::MemoryEngine engine;
    {
        Server before(engine, {});
        const auto museum = value_of(before.create({"museum", ""}, {{"_doc", "m"}}));
        const auto room = value_of(before.create({"room", "m", museum}, {{"_doc", "r"}}));
        for (const char* key : {"one", "same", "same"})
            value_of(before.create({"exhibit", "r", room}, {{"key", key}}));
    }
    Server after(engine, {.is_key_unique = true});
    const auto refused = apply_declarations(after.services);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == "document.value_duplicate");
    CHECK(refused.error().message.find("exhibit") != std::string::npos);
    CHECK(refused.error().message.find("key") != std::string::npos);
    CHECK(refused.error().message.find("'same'") != std::string::npos);
}

TEST_CASE("records whose family has become a data store are counted at start") {
    sdk::testing::MemoryEngine engine;
    sdk::RecordKey museum;
    {
        Server before(engine, {.is_data_store = false});
        expect(apply_declarations(before.services));
        // What a client wrote under the names of a data store's own members means nothing.
        museum = value_of(before.create(
            {"museum", ""},
            {{"_doc", "m"}, {"title", "old"}, {"locked", true}, {"lockedBy", "somebody"}}));
        value_of(before.create({"museum", ""}, {{"_doc", "empty"}}));
        const auto room = value_of(before.create({"room", "m", museum}, {{"_doc", "r"}}));
        for (int i = 0; i < 5; ++i)
            value_of(before.create({"exhibit", "r", room}, {{"n", i}}));
    }
    Server after(engine, {.is_data_store = true});
    expect(apply_declarations(after.services));
    CHECK(after.differences().empty());
    CHECK(value_of(read_store_size(*after.services.engine->snapshot(), museum)).objects == 6);
    expect(Housekeeper(after.services, 1h).take_statistics());
    storage::Record record;
    expect(after.services.records.read(*after.services.engine->snapshot(), museum, record));
    const sdk::Json fields = value_of(sdk::parse_json(record.text()));
    CHECK(fields.at("title") == "old");
    CHECK(fields.at("objectcount") == 6);
    CHECK(fields.at("datastoreTypeId") == "museum");
    CHECK(fields.at("locked") == false);
    CHECK_FALSE(fields.contains("lockedBy"));
    // Nothing is counted a second time.
    expect(apply_declarations(after.services));
    CHECK(after.differences().empty());
}

TEST_CASE("a check tells of all that cannot be read, and of what is wrong besides") {
    BrittleEngine engine;
    Server server(engine, {});
    expect(apply_declarations(server.services));
    const auto key_of = [](const sdk::RecordKey& store, char row) {
        return sdk::KeyWriter(storage::kind_prefix(1, storage::kStoreTag))
            .raw(store)
            .tag(row)
            .key();
    };
    const auto make = [&](const char* id) {
        return value_of(server.create({"museum", ""}, {{"_doc", id}}));
    };
    const sdk::RecordKey first = make("a");
    const std::string unread = key_of(first, 's');
    const std::string garbled = key_of(make("b"), 's');
    make("c");
    const std::string miscounted = key_of(make("d"), 'n');
    REQUIRE(server.differences().empty());
    expect(sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) {
        transaction.put(garbled, "?");
        transaction.add(miscounted, 2);
        return sdk::Result<void>();
    }));
    sdk::KeyReader numbers(first);
    const storage::CollectionId museums{*numbers.integer(), *numbers.integer()};
    engine.broken = {unread, storage::record_counter(museums)};
    const std::vector<std::string> told = {
        "platform 1, collection " + std::to_string(museums.number) +
            ": it cannot be checked: a bad block [store.damaged]",
        "museum a: it cannot be checked: a bad block [store.damaged]",
        "museum b: it cannot be checked: The state of a data store cannot be read. "
        "[data_store.state_broken]",
        "museum d: the objects kept are 2, counted are 0"};
    CHECK(server.differences() == told);
}

}  // namespace stele::kernel::resource::testing

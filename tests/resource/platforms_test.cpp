// Platforms beside the first one: made with what plugins install, closed, removed and erased.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/audit/audit_log.hpp"
#include "kernel/resource/registration/platform_service.hpp"
#include "kernel/resource/upkeep/housekeeper.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

const sdk::CollectionName kLibraries{"library", ""};

struct World : ResourceFixture {
    World() : service(services, installations) {
        installations.push_back(
            {"libraries", [](sdk::Context& context, const sdk::Json&) -> sdk::Result<void> {
                 auto made =
                     context.documents().create(kLibraries, {{"_doc", "town"}, {"title", "T"}});
                 return made ? sdk::Result<void>() : sdk::Result<void>(made.error());
             }});
    }

    sdk::PlatformScope make() {
        sdk::PlatformScope made;
        as_system([&](sdk::Context& context) -> sdk::Result<void> {
            auto platform = service.create(context, "Second");
            if (!platform) return platform.error();
            made = *platform;
            return {};
        });
        return made;
    }

    std::size_t keys_of(std::uint64_t platform) {
        const std::string prefix = sdk::KeyWriter().integer(platform).key();
        const auto reader = services.engine->snapshot();
        const auto cursor =
            reader->scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        std::size_t count = 0;
        for (; cursor->is_valid(); cursor->next())
            ++count;
        return count;
    }

    std::vector<Installation> installations;
    PlatformService service;
};

}  // namespace

TEST_CASE("a new platform has what plugins install, and its records are its own") {
    World world;
    const sdk::PlatformScope made = world.make();
    CHECK(made.number == 2);
    CHECK(value_of(world.services.platforms.find(2)).id == made.id);
    expect(run_as_system(world.services, made, [](sdk::Context& context) -> sdk::Result<void> {
        auto town = context.documents().read(kLibraries, "town");
        return town ? sdk::Result<void>() : sdk::Result<void>(town.error());
    }));
    world.as_system([](sdk::Context& context) -> sdk::Result<void> {
        CHECK(context.documents().read(kLibraries, "town").error().code == "document.unknown");
        return {};
    });
}

TEST_CASE("a platform that was not committed is not there") {
    World world;
    world.installations.push_back(
        {"libraries", [](sdk::Context&, const sdk::Json&) -> sdk::Result<void> {
             return sdk::make_error(sdk::ErrorKind::conflict, "test.refused", "no");
         }});
    const auto tried = run_as_system(world.services, world.platform(), [&](sdk::Context& context) {
        auto made = world.service.create(context, "Second");
        return made ? sdk::Result<void>() : sdk::Result<void>(made.error());
    });
    CHECK(tried.error().code == "test.refused");
    CHECK(world.services.platforms.find(2).error().code == "platform.unknown");
    CHECK(world.keys_of(2) == 0);
}

TEST_CASE("platforms that two servers make at once have numbers of their own") {
    World world;
    sdk::Engine& engine = *world.services.engine;
    storage::NameTable names_of_other(engine);
    storage::DocumentStore documents_of_other(engine, names_of_other);
    Platforms other(engine, documents_of_other);
    const auto here = engine.begin();
    const auto there = engine.begin();
    const auto first = value_of(world.services.platforms.create(*here, "Here"));
    const auto second = value_of(other.create(*there, "There"));
    CHECK(first.number == 2);
    CHECK(second.number == 3);
    expect(sdk::commit_and_wait(*here));
    expect(sdk::commit_and_wait(*there));
    CHECK(value_of(world.services.platforms.find(second.number)).id == second.id);
    CHECK(value_of(other.find(first.number)).id == first.id);
}

TEST_CASE("a closed platform is closed from the commit on, and open again after the next") {
    World world;
    const sdk::PlatformScope made = world.make();
    CHECK(value_of(world.services.platforms.is_open(2)));
    for (const bool is_open : {false, true}) {
        world.as_system([&](sdk::Context& context) {
            auto set = world.service.set_open(context, made, is_open);
            CHECK(value_of(world.services.platforms.is_open(2)) != is_open);
            return set;
        });
        CHECK(value_of(world.services.platforms.is_open(2)) == is_open);
        CHECK(world.services.platforms.find(2).has_value());
    }
}

TEST_CASE("the first platform is neither closed nor removed") {
    World world;
    world.as_system([&](sdk::Context& context) -> sdk::Result<void> {
        const sdk::PlatformScope first = world.platform();
        CHECK(world.service.set_open(context, first, false).error().code ==
              "platform.root_required");
        CHECK(world.service.remove(context, first).error().code == "platform.root_required");
        return {};
    });
}

TEST_CASE("a removed platform is gone with the commit, and erased in steps to its last key") {
    World world;
    const sdk::PlatformScope made = world.make();
    for (int batch = 0; batch < 5; ++batch) {
        expect(run_as_system(world.services, made, [](sdk::Context& context) -> sdk::Result<void> {
            for (int i = 0; i < 100; ++i) {
                auto one = context.documents().create(kLibraries, {{"title", "one of many"}});
                if (!one) return one.error();
            }
            return {};
        }));
    }
    const std::size_t first_keys = world.keys_of(1);
    int steps_of_plugin = 0;
    world.services.platform_removals.push_back(
        {"libraries", [&steps_of_plugin](sdk::Context& context) -> sdk::Result<bool> {
             CHECK(context.platform().number == 2);
             return ++steps_of_plugin > 1;
         }});
    world.as_system([&](sdk::Context& context) { return world.service.remove(context, made); });
    CHECK_FALSE(value_of(world.services.platforms.is_open(2)));
    CHECK(world.services.platforms.find(2).error().code == "platform.unknown");
    CHECK(value_of(world.services.platforms.all()).size() == 1);
    CHECK(value_of(world.services.platforms.removed()) == std::vector<std::uint64_t>{2});
    CHECK(world.services.documents.check(*world.services.engine->snapshot()).empty());

    int steps = 1;
    while (!value_of(empty_removed_platform(world.services, 2)))
        ++steps;
    CHECK(steps > 2);
    CHECK(world.keys_of(2) == 0);
    CHECK(world.keys_of(1) == first_keys);
    CHECK(value_of(world.services.platforms.removed()).empty());
    CHECK(world.make().number == 3);
}

TEST_CASE("what a removed container held on a closed platform stays until that is open again") {
    using namespace std::chrono_literals;
    World world;
    const sdk::PlatformScope made = world.make();
    expect(run_as_system(world.services, made, [](sdk::Context& context) -> sdk::Result<void> {
        for (int i = 0; i < 250; ++i) {
            auto shelf = context.documents().create({"shelf", "town"}, {{"title", "one of many"}});
            if (!shelf) return shelf.error();
        }
        return {};
    }));
    expect(run_as_system(world.services, made, [](sdk::Context& context) {
        return context.documents().remove(kLibraries, "town");
    }));
    const auto removed = [&] {
        const auto reader = world.services.engine->snapshot();
        return value_of(world.services.documents.removed_collections(*reader, made.number)).size();
    };
    REQUIRE(removed() == 1);
    for (const bool is_open : {false, true}) {
        world.as_system(
            [&](sdk::Context& context) { return world.service.set_open(context, made, is_open); });
        expect(Housekeeper(world.services, 1h).empty_removed());
        CHECK(removed() == (is_open ? 0U : 1U));
    }
}

TEST_CASE("what waits for the audit log of a platform is dropped when that was erased meanwhile") {
    World world;
    const sdk::PlatformScope made = world.make();
    const storage::CollectionRules rules;
    audit::AuditLog log(*world.services.engine, world.services.documents, rules,
                        {.is_enabled = true});
    audit::Activity refused;
    refused.type = "update";
    log.write_later(made, refused);
    log.write_later(world.platform(), refused);
    world.as_system([&](sdk::Context& context) { return world.service.remove(context, made); });
    while (!value_of(empty_removed_platform(world.services, made.number)))
        continue;
    const std::size_t first_keys = world.keys_of(1);
    expect(log.write_waiting());
    CHECK(world.keys_of(made.number) == 0);
    CHECK(world.keys_of(1) > first_keys);
}

TEST_CASE("what is being written on a platform when it is removed is not committed") {
    World world;
    const sdk::PlatformScope made = world.make();
    const auto session = std::make_shared<const sdk::Session>(system_session(made));
    WorkContext writer(world.services, session);
    REQUIRE(writer.documents().create(kLibraries, {{"title", "late"}}).has_value());
    expect(authority::AuthorityStore::hold_decisions(writer.transaction(), made.number));
    world.as_system([&](sdk::Context& context) { return world.service.remove(context, made); });
    CHECK(sdk::commit_and_wait(writer.transaction()).error().code == "engine.conflict");
}

}  // namespace stele::kernel::resource::testing

#include <catch2/catch.hpp>

#include "kernel/resource/operations/inner_operations.hpp"
#include "kernel/resource/work/families.hpp"
#include "tests/resource/resource_fixture.hpp"

using namespace stele;
using namespace stele::kernel::resource;
using namespace stele::kernel::resource::testing;

namespace {

/// A platform with one library in which somebody may make shelves, and somebody else may not.
class InnerWorld : public ResourceFixture {
public:
    InnerWorld() : operations(services), families(services) {
        library = create({"library", {}}, {{"title", "Town"}});
        librarian = make_user("librarian");
        stranger = make_user("stranger");
        grant(library, librarian, "manager");
    }

    sdk::Result<void> as(const sdk::SessionPtr& user,
                         const std::function<sdk::Result<void>(sdk::Context&)>& work) {
        return operations.run_as(platform(), user->principal, work);
    }
    sdk::Result<sdk::Reply> make_shelf(sdk::Context& context, sdk::Json fields) {
        return operations.on_collection(context, "shelf", library,
                                        {.method = "POST", .body = std::move(fields)});
    }
    std::size_t shelves() {
        std::size_t count = 0;
        as_system([&](sdk::Context& context) {
            return families.for_each(context, "shelf", library,
                                     [&](const sdk::RecordKey&) -> sdk::Result<bool> {
                                         ++count;
                                         return true;
                                     });
        });
        return count;
    }

    InnerOperations operations;
    Families families;
    sdk::RecordKey library;
    sdk::SessionPtr librarian;
    sdk::SessionPtr stranger;
};

sdk::Result<void> told(const sdk::Result<sdk::Reply>& reply) {
    return reply ? sdk::Result<void>() : reply.error();
}

}  // namespace

TEST_CASE("an inner operation does what the request would, and is committed with its work") {
    InnerWorld world;
    sdk::Json made;
    REQUIRE(world.as(world.librarian, [&](sdk::Context& context) -> sdk::Result<void> {
        auto reply = world.make_shelf(context, {{"title", "Maps"}});
        if (!reply) return reply.error();
        made = *sdk::parse_json(reply->body());
        // What was made shows in the same transaction, to its maker as its owner.
        auto key = context.documents().read({"shelf", {}, world.library},
                                            made.at("_doc").get<std::string>());
        if (!key) return key.error();
        return told(world.operations.on_record(context, key->key,
                                               {.method = "PUT", .body = {{"title", "Old maps"}}}));
    }));
    CHECK(made.at("title") == "Maps");
    CHECK(world.shelves() == 1);
    std::string title;
    world.as_system([&](sdk::Context& context) -> sdk::Result<void> {
        auto shelf = context.documents().read({"shelf", {}, world.library},
                                              made.at("_doc").get<std::string>());
        if (!shelf) return shelf.error();
        title = shelf->fields.at("title").get<std::string>();
        return {};
    });
    CHECK(title == "Old maps");
}

TEST_CASE("an inner operation is refused to whoever the request would be refused to") {
    InnerWorld world;
    const auto refused = world.as(world.stranger, [&](sdk::Context& context) {
        return told(world.make_shelf(context, {{"title", "Maps"}}));
    });
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == "document.unknown");
    CHECK(world.shelves() == 0);
}

TEST_CASE("what fails after an inner operation takes that back") {
    InnerWorld world;
    const auto failed = world.as(world.librarian, [&](sdk::Context& context) -> sdk::Result<void> {
        if (auto made = world.make_shelf(context, {{"title", "Maps"}}); !made) return made.error();
        return sdk::invalid_parameter("body", "is refused by the test");
    });
    REQUIRE_FALSE(failed);
    CHECK(world.shelves() == 0);
}

TEST_CASE("rights of a transaction that has written are not remembered for others") {
    InnerWorld world;
    const sdk::RecordKey shelf = world.create({"shelf", {}, world.library}, {{"title", "Maps"}});
    const auto reads = [&](const sdk::SessionPtr& user) {
        return world.as(user, [&](sdk::Context& context) {
            return told(world.operations.on_record(context, shelf, {}));
        });
    };
    REQUIRE_FALSE(reads(world.stranger));
    // Somebody gives the right, uses it in the same transaction, and gives up.
    const auto given_up = world.as(world.stranger, [&](sdk::Context& context) -> sdk::Result<void> {
        const sdk::RecordKey& taker = world.stranger->principal.key;
        sdk::Authorities& all = context.as_system().authorities();
        if (auto given = all.grant(world.library, taker, "owner", true); !given) return given;
        auto read = world.operations.on_record(context, shelf, {});
        if (!read) return read.error();
        return sdk::invalid_parameter("body", "is refused by the test");
    });
    REQUIRE_FALSE(given_up);
    REQUIRE(given_up.error().code == "request.parameter_invalid");
    CHECK_FALSE(reads(world.stranger));
}

TEST_CASE("what reads at one moment sees no later write and takes none") {
    InnerWorld world;
    std::size_t seen = 0;
    const auto count = [&](sdk::Context& context) {
        return world.families.for_each(context, "shelf", world.library,
                                       [&](const sdk::RecordKey&) -> sdk::Result<bool> {
                                           ++seen;
                                           return true;
                                       });
    };
    const auto& librarian = world.librarian->principal;
    REQUIRE(world.operations.read_as(
        world.platform(), librarian, [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto counted = count(context); !counted) return counted;
            world.create({"shelf", {}, world.library}, {{"title", "Later"}});
            return count(context);
        }));
    CHECK(seen == 0);
    const auto written =
        world.operations.read_as(world.platform(), librarian, [&](sdk::Context& context) {
            return told(world.make_shelf(context, {{"title", "Maps"}}));
        });
    REQUIRE_FALSE(written);
    CHECK(written.error().code == "engine.snapshot_written");
    CHECK(world.shelves() == 1);
}

TEST_CASE("an operation that nobody offers is told apart from one that is refused") {
    InnerWorld world;
    CHECK(world.operations.is_offered("shelf", false, {.method = "POST"}));
    CHECK(world.operations.is_offered("shelf", true, {.path = "/acl/list"}));
    CHECK_FALSE(world.operations.is_offered("shelf", true, {.method = "POST", .path = "/export"}));
    CHECK_FALSE(world.operations.is_offered("unicorn", true, {}));
    const auto unknown = world.as(world.librarian, [&](sdk::Context& context) {
        return told(world.operations.on_record(context, world.library, {.path = "/fly"}));
    });
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == "http.route_unknown");
    // A path that no client could ask for: a placeholder has no value, or a value no placeholder.
    using Values = std::vector<std::string>;
    for (const Values& values : {Values{}, Values{"consumer", "editor"}}) {
        const auto unfilled = world.as(world.librarian, [&](sdk::Context& context) {
            return told(world.operations.on_record(
                context, world.library,
                {.method = "POST", .path = "/authorities/{authorityId}/grant", .values = values}));
        });
        REQUIRE_FALSE(unfilled);
        CHECK(unfilled.error().code == "http.route_unknown");
    }
    const auto unfit = world.as(world.librarian, [&](sdk::Context& context) {
        return told(world.operations.on_collection(context, "book", world.library, {}));
    });
    REQUIRE_FALSE(unfit);
    CHECK(unfit.error().code == "resource.container_unfit");
}

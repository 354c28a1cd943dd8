#include <catch2/catch.hpp>

#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

struct Library : ResourceFixture {
    sdk::RecordKey library = create({"library", ""}, {{"_doc", "north"}, {"secret", "7"}});
    sdk::SessionPtr user = make_user("user");
    sdk::SessionPtr other = make_user("other");

    std::string code_of(const std::string& method, const std::string& path) {
        const auto reply = request(user, method, path);
        return reply ? "" : reply.error().code;
    }
};

bool is_conflict(const sdk::Result<void>& committed) {
    return !committed && committed.error().code == "engine.conflict";
}

}  // namespace

TEST_CASE_METHOD(Library, "nobody sees what was removed before the right to see was given") {
    const bool is_remembered = GENERATE(false, true);
    const auto early = begin(user, "GET", "/libraries/north");
    json(system(), "PUT", "/libraries/north", {{"secret", "removed"}});
    grant(library, user, "consumer");
    if (is_remembered) CHECK(json(user, "GET", "/libraries/north").at("secret") == "removed");
    const auto reply = early->run();
    REQUIRE_FALSE(reply.has_value());
    CHECK(reply.error().kind == sdk::ErrorKind::not_found);
    CHECK(json(user, "GET", "/libraries/north").at("secret") == "removed");
}

TEST_CASE_METHOD(Library, "a read that began before a revoke shows what was to be seen then") {
    grant(library, user, "consumer");
    const bool is_remembered = GENERATE(false, true);
    if (is_remembered) json(user, "GET", "/libraries/north");
    const auto early = begin(user, "GET", "/libraries/north");
    revoke(library, user, "consumer");
    json(system(), "PUT", "/libraries/north", {{"secret", "8"}});
    sdk::Reply reply = value_of(early->run());
    CHECK(value_of(sdk::parse_json(reply.take_body())).at("secret") == "7");
    CHECK(code_of("GET", "/libraries/north") == "document.unknown");
}

TEST_CASE_METHOD(Library, "a write conflicts with whatever takes rights away before its commit") {
    const sdk::RecordKey group = other->principal.key;
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        sdk::Authorities& authorities = context.authorities();
        expect(authorities.define_role(library, {"custodian", sdk::PermissionSet::all()}));
        expect(authorities.grant(library, group, "editor"));
        return authorities.add_member(group, user->principal.key, sdk::PrincipalKind::user);
    });
    // Every run has a fixture of its own, so the cases capture nothing.
    struct Cast {
        sdk::RecordKey library, group, user;
    };
    using Take = sdk::Result<void> (*)(sdk::Authorities&, const Cast&);
    const auto [name, role, take] = GENERATE(
        std::make_tuple("a revoke", "editor",
                        Take([](sdk::Authorities& authorities, const Cast& cast) {
                            return authorities.revoke(cast.library, cast.user, "EDITOR");
                        })),
        std::make_tuple("a revoke of all", "editor",
                        Take([](sdk::Authorities& authorities, const Cast& cast) {
                            return authorities.revoke(cast.library, cast.user, "all");
                        })),
        std::make_tuple("the end of a membership", "",
                        Take([](sdk::Authorities& authorities, const Cast& cast) {
                            return authorities.remove_member(cast.group, cast.user);
                        })),
        std::make_tuple("another meaning of a role", "custodian",
                        Take([](sdk::Authorities& authorities, const Cast& cast) {
                            return authorities.define_role(cast.library, {"custodian", {}});
                        })),
        std::make_tuple("the removal of a role", "custodian",
                        Take([](sdk::Authorities& authorities, const Cast& cast) {
                            return authorities.remove_role(cast.library, "custodian");
                        })),
        std::make_tuple("the removal of a principal", "editor",
                        Take([](sdk::Authorities& authorities, const Cast& cast) {
                            return authorities.forget_principal(cast.user);
                        })));
    const Cast cast{library, group, user->principal.key};
    INFO(name);
    if (std::string_view(role).empty()) {
        CHECK(code_of("PUT", "/libraries/north").empty());
    } else {
        as_system([&](sdk::Context& context) {
            return context.authorities().remove_member(group, user->principal.key);
        });
        grant(library, user, role);
    }
    const bool is_remembered = GENERATE(false, true);
    if (is_remembered) json(user, "GET", "/libraries/north");

    const auto write = begin(user, "PUT", "/libraries/north", {{"secret", "mine"}});
    REQUIRE(write->run().has_value());
    as_system(
        [&, &take = take](sdk::Context& context) { return take(context.authorities(), cast); });
    CHECK(is_conflict(write->commit()));
    CHECK_FALSE(code_of("PUT", "/libraries/north").empty());
    CHECK(json(system(), "GET", "/libraries/north").value("secret", "") != "mine");
}

TEST_CASE_METHOD(Library, "a write conflicts with a policy that changes before its commit") {
    grant(library, user, "editor");
    const auto write = begin(user, "PUT", "/libraries/north", {{"secret", "mine"}});
    REQUIRE(write->run().has_value());
    as_system([](sdk::Context& context) { return context.authorities().withdraw_decisions(); });
    CHECK(is_conflict(write->commit()));
}

TEST_CASE_METHOD(Library, "whoever gives rights or makes records disturbs no writer") {
    grant(library, user, "editor");
    grant(platform().root, other, "contributor");
    json(user, "GET", "/libraries/north");
    const auto write = begin(user, "PUT", "/libraries/north", {{"secret", "mine"}});
    REQUIRE(write->run().has_value());
    const std::string made = json(other, "POST", "/readers").at("_doc").get<std::string>();
    json(other, "DELETE", "/readers/" + made);
    grant(library, other, "consumer");
    revoke(library, other, "manager");  // there is none
    CHECK(write->commit().has_value());
}

TEST_CASE_METHOD(Library, "nobody but writers waits for revokes") {
    grant(library, user, "consumer");
    grant(library, other, "consumer");
    const auto read = begin(user, "GET", "/libraries/north");
    REQUIRE(read->run().has_value());
    revoke(library, other, "consumer");
    CHECK(read->commit().has_value());
}

TEST_CASE_METHOD(Library, "below a hidden container everything is as unknown as the container") {
    const sdk::RecordKey shelf = create({"shelf", "north"}, {{"_doc", "master"}});
    const sdk::RecordKey book = create({"book", "", shelf}, {{"_doc", "first"}});
    const auto message = [this](const std::string& method, const std::string& path) {
        return request(user, method, path).error().message;
    };
    const std::vector<std::pair<std::string, std::string>> below{
        {"GET", "/shelves"},
        {"POST", "/shelves"},
        {"POST", "/shelves/query"},
        {"POST", "/shelves/permissions/check"},
        {"GET", "/shelves/master"},
        {"PUT", "/shelves/master"},
        {"DELETE", "/shelves/unknown"},
        {"GET", "/shelves/master/acl/list"},
        {"GET", "/shelves/master/books"},
        {"GET", "/shelves/unknown/books/first"},
        {"GET", "/shelves/master/books/first"},
        {"POST", "/shelves/master/books/unknown/authorities/owner/grant"}};
    for (const auto& [method, path] : below) {
        INFO(method << " " << path);
        CHECK(message(method, "/libraries/north" + path) == "there is no library north");
        CHECK(message(method, "/libraries/nowhere" + path) == "there is no library nowhere");
    }
    grant(library, user, "connector");
    for (const std::string path : {"", "/first", "/unknown"}) {
        CHECK(message("GET", "/libraries/north/shelves/master/books" + path) ==
              "there is no shelf master");
    }
    grant(shelf, user, "connector");
    CHECK(message("GET", "/libraries/north/shelves/master/books/first") ==
          "there is no book first");
    revoke(library, user, "connector");
    CHECK(message("GET", "/libraries/north/shelves/master/books/first") ==
          "there is no library north");
    grant(book, user, "consumer");
    CHECK(request(user, "GET", "/libraries/north/shelves/master/books/first").has_value());
}

TEST_CASE_METHOD(Library, "an access list shows names of those only whom the caller may read") {
    grant(library, user, "consumer");
    grant(library, other, "editor");
    const sdk::Json rows = json(user, "GET", "/libraries/north/acl/list").at("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("name") == "name of user");
    CHECK(rows[0].at("domainQualifiedName") == "default/name of user");
    CHECK(rows[0].at("userEmail") == "user@example.org");
    CHECK(rows[1].at("_doc") == "other");
    CHECK(rows[1].at("domainQualifiedId") == "default/other");
    CHECK(rows[1].at("authorities") == sdk::Json::array({"editor"}));
    CHECK(rows[1].at("name") == "other");
    CHECK(rows[1].at("domainQualifiedName") == "default/other");
    CHECK(rows[1].at("userEmail") == "");

    grant(other->principal.key, user, "consumer");
    CHECK(json(user, "GET", "/libraries/north/acl/list").at("rows").at(1).at("userEmail") ==
          "other@example.org");
    CHECK(json(system(), "GET", "/libraries/north/acl/list").at("rows").at(1).at("name") ==
          "name of other");
}

TEST_CASE_METHOD(Library, "a call knows the stage that it ended in") {
    const auto ended_in = [&](const std::string& method, const std::string& path,
                              const std::string& body) {
        const auto request = begin(user, method, path);
        if (!body.empty()) request->send(body, "application/json");
        (void)request->run();
        return std::string(request->call().input().stage);
    };
    CHECK(ended_in("GET", "/libraries/south", "") == "find the record");
    CHECK(ended_in("GET", "/libraries/north", "") == "authorize");
    grant(library, user, "manager");
    CHECK(ended_in("PUT", "/libraries/north", "{") == "decode");
    CHECK(ended_in("GET", "/libraries/north", "") == "audit");
}

}  // namespace stele::kernel::resource::testing

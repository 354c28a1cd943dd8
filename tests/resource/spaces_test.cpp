#include <algorithm>
#include <catch2/catch.hpp>

#include "kernel/resource/consistency/data_store_count.hpp"
#include "kernel/resource/description/openapi.hpp"
#include "kernel/resource/upkeep/housekeeper.hpp"
#include "plugins/access_policies/access_policy.hpp"
#include "plugins/access_policies/policy_evaluator.hpp"
#include "tests/resource/resource_fixture.hpp"
#include "tests/resource/space_family.hpp"

namespace stele::kernel::resource::testing {

namespace {

using namespace std::chrono_literals;

/// Wanted ids of records in spaces are ids as the server makes them.
const std::string kHome = "01a20000000000000001";
const std::string kHomePath = "/branches/main/nodes/" + kHome;

/// What the family of policies works with; made before the services, and outlives them.
struct SpaceParts {
    access_policies::PolicyEvaluator evaluator;
    TestDirectory people;
};

std::vector<std::unique_ptr<sdk::Resource>> space_world(SpaceParts& parts) {
    auto families = space_families();
    families.push_back(
        std::make_unique<access_policies::AccessPolicy>(parts.evaluator, parts.people));
    return families;
}

struct Spaces : SpaceParts, ResourceFixture {
    Spaces() : ResourceFixture(space_world(*this)) {}

    sdk::Json ask(std::string_view method, const std::string& path,
                  sdk::Json body = sdk::Json::object()) {
        return json(system(), method, path, std::move(body));
    }
    std::string node(sdk::Json fields) {
        return ask("POST", "/branches/main/nodes", std::move(fields)).at("_doc").get<std::string>();
    }
    sdk::SpaceCollection collection() {
        const auto reader = services.engine->snapshot();
        const auto place =
            value_of(services.records.collection(*reader, platform(), {"node", "main"}));
        REQUIRE(place.id.has_value());
        return {place.id->platform, place.id->number, "node", branch};
    }
    /// Keys of the collection's contents in the store itself, or in the space.
    std::size_t keys_below(const std::string& prefix) {
        const auto reader = services.engine->snapshot();
        std::size_t count = 0;
        for (const char tag : std::string("dkxybuaAi")) {
            const std::string begin = prefix + sdk::space_key(collection(), tag, "");
            const auto cursor =
                reader->scan({begin, sdk::prefix_end(begin)}, sdk::ScanDirection::forward);
            for (; cursor->is_valid(); cursor->next())
                ++count;
        }
        return count;
    }
    bool may(const sdk::SessionPtr& user, std::string_view method, const std::string& path) {
        return request(user, method, path).has_value();
    }
    std::string author(const sdk::SessionPtr& user) {
        return sdk::space_record_id(user->principal.key);
    }
    sdk::RecordKey key_of(const std::string& id) {
        return *sdk::space_record_key(collection(), id);
    }

    sdk::RecordKey branch = create({"branch", ""}, {{"_doc", "main"}});
};

}  // namespace

TEST_CASE_METHOD(Spaces, "standard operations work on a space and leave the store alone") {
    const std::string id = node({{"_doc", kHome}, {"name", "Home"}, {"size", 3}, {"heavy", "x"}});
    node({{"name", "Away"}, {"size", 4}});
    const auto refused = request(system(), "POST", "/branches/main/nodes", {{"_doc", "home"}});
    CHECK(refused.error().violations.at(0).path == "_doc");
    CHECK(keys_below("") == 0);
    CHECK(keys_below(space_prefix()) > 0);

    const std::string nodes = "/branches/main/nodes";
    CHECK(ask("GET", nodes + "/" + kHome).at("size") == 3);
    CHECK(ask("GET", nodes + "/Away").at("size") == 4);
    ask("PUT", nodes + "/" + kHome, {{"name", "Home"}, {"size", 5}});
    CHECK(ask("GET", nodes + "/Home").at("size") == 5);
    CHECK(ask("POST", nodes + "/query", {{"size", 5}}).at("total_rows") == 1);
    CHECK(ask("POST", nodes + "/query", {{"size", 3}}).at("total_rows") == 0);
    CHECK(ask("GET", nodes + "?limit=1").at("total_rows") == 2);
    const auto taken = request(system(), "POST", nodes, {{"name", "Away"}});
    CHECK(taken.error().code == "document.value_taken");
    as_system([](sdk::Context& context) {
        return context.documents().set_alias({"node", "main"}, "house", kHome);
    });
    CHECK(ask("GET", nodes + "/house").at("_doc") == kHome);
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        CHECK(value_of(context.documents().query({"node", "main"}, {{"size", 4}}, {})).total_rows ==
              1);
        CHECK(value_of(context.documents().read({"node", "main"}, "house")).id == kHome);
        return {};
    });

    ask("DELETE", nodes + "/" + kHome);
    CHECK(request(system(), "GET", nodes + "/house").error().code == "document.unknown");
    CHECK(ask("GET", nodes).at("total_rows") == 1);
    CHECK(keys_below("") == 0);
    CHECK(check_store(services).empty());
}

TEST_CASE_METHOD(Spaces, "a collection in a space has its number as soon as its container is") {
    CHECK(collection().number > 0);
    CHECK(ask("GET", "/branches/main/nodes").at("total_rows") == 0);
}

TEST_CASE_METHOD(Spaces, "a container goes without its space, and takes the grants along") {
    const std::string id = node({{"size", 1}});
    const auto reader = make_user("reader");
    const auto before = collection();
    grant(key_of(id), reader, "consumer");
    const std::size_t kept = keys_below(space_prefix());
    ask("DELETE", "/branches/main");
    expect(Housekeeper(services, 1h).empty_removed());
    const auto snapshot = services.engine->snapshot();
    for (const auto& one : value_of(services.documents.collections(*snapshot, 1)))
        CHECK(one.number != before.number);
    const std::string left = space_prefix() + sdk::space_key(before, 'd', "");
    CHECK(snapshot->scan({left, sdk::prefix_end(left)}, sdk::ScanDirection::forward)->is_valid());
    CHECK(kept > 0);
    const sdk::RecordKey key = *sdk::space_record_key(before, id);
    CHECK(value_of(services.authorities.acl(*snapshot, key)).empty());
}

TEST_CASE_METHOD(Spaces, "a family completes what the server says of a record") {
    const sdk::Json made = ask("POST", "/branches/main/nodes", {{"_doc", kHome}});
    CHECK(made.at("_system").at("kind") == "made");
    CHECK(made.at("_system").contains("created_on"));
    const sdk::Json changed = ask("PUT", kHomePath, {{"size", 1}});
    CHECK(changed.at("_system").at("kind") == "changed");
    const auto stored = value_of(services.records.collection(
        *services.engine->snapshot(), platform(), sdk::CollectionName{"node", "main"}));
    storage::Record record;
    expect(services.records.read(*services.engine->snapshot(), stored, kHome, record));
    CHECK(value_of(sdk::parse_json(record.text())).back().at("kind") == "changed");
}

TEST_CASE_METHOD(Spaces, "what a context keeps finishes before the commit and completes after it") {
    const std::string finished = space_prefix() + "finished";
    CHECK_FALSE(value_of(services.engine->snapshot()->get(finished)).has_value());
    const sdk::Json first = ask("POST", "/branches/main/nodes", {{"size", 1}});
    const sdk::Json second = ask("POST", "/branches/main/nodes", {{"size", 2}});
    CHECK(value_of(services.engine->snapshot()->get(finished)).has_value());
    CHECK(first.at("_system").at("stamp") == 1);
    CHECK(second.at("_system").at("stamp") == 2);
    as_system([](sdk::Context& context) -> sdk::Result<void> {
        auto made = context.documents().create({"node", "main"}, {{"size", 3}});
        return made ? sdk::Result<void>() : sdk::Result<void>(made.error());
    });
    const sdk::Json fourth = ask("POST", "/branches/main/nodes", {{"size", 4}});
    CHECK(fourth.at("_system").at("stamp") == 4);
}

TEST_CASE_METHOD(Spaces, "whoever acts, contexts of one transaction share their parts") {
    WorkContext context(services, make_user("user"));
    struct Part : sdk::ContextPart {};
    context.as_system().keep("more.part", std::make_unique<Part>());
    CHECK(context.part("more.part") != nullptr);
    CHECK(context.part("more.part") == context.as_system().part("more.part"));
    CHECK(context.part("more.other") == nullptr);
}

TEST_CASE_METHOD(Spaces, "a part that cannot finish makes the operation fail") {
    struct Refusing : sdk::ContextPart {
        sdk::Result<void> finish(sdk::Context&) override {
            return sdk::make_error(sdk::ErrorKind::conflict, "document.id_taken", "refused");
        }
    };
    const auto done = run_as_system(services, platform(), [](sdk::Context& context) {
        context.keep("more.refusing", std::make_unique<Refusing>());
        auto made = context.documents().create({"node", "main"}, {{"_doc", kHome}});
        return made ? sdk::Result<void>() : sdk::Result<void>(made.error());
    });
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().message == "refused");
    CHECK_FALSE(request(system(), "GET", kHomePath).has_value());
}

TEST_CASE_METHOD(Spaces, "families are reached by the other words for their paths") {
    node({{"_doc", kHome}, {"size", 1}});
    for (const std::string branches : {"branches", "b"}) {
        for (const std::string nodes : {"nodes", "n"}) {
            const std::string path = "/" + branches + "/main/" + nodes;
            CHECK(ask("GET", path + "/" + kHome).at("size") == 1);
            CHECK(ask("POST", path + "/query", {{"size", 1}}).at("total_rows") == 1);
        }
    }
    CHECK(ask("GET", "/b/main").at("_doc") == "main");
    const sdk::Json document = value_of(sdk::parse_json(openapi_document(services.registry, {})));
    const auto has_alias = [&document](const char* path, const char* method, const char* alias) {
        const sdk::Json& operation = document.at("paths").at(path).at(method);
        const sdk::Json& aliases = operation.at("x-stele-aliases");
        return std::find(aliases.begin(), aliases.end(), alias) != aliases.end();
    };
    CHECK(has_alias("/branches/{branchId}/nodes/{nodeId}", "get", "/b/{branchId}/n/{nodeId}"));
    CHECK(has_alias("/branches/{branchId}/nodes/query", "post", "/b/{branchId}/nodes/query"));
    CHECK_FALSE(document.at("paths").contains("/b/{branchId}/nodes/query"));
}

TEST_CASE_METHOD(Spaces, "every reply with a record of such a family is presented") {
    CHECK(ask("POST", "/branches/main/nodes", {{"_doc", kHome}}).at("shown") == true);
    CHECK(ask("PUT", kHomePath, {{"size", 1}}).at("shown") == true);
    const auto read = value_of(request(system(), "GET", kHomePath));
    CHECK(value_of(sdk::parse_json(read.body())).at("shown") == true);
    // What is added may change without the record: its tag is not that of the reply.
    CHECK(read.etag_value().empty());
    REQUIRE(read.headers().size() == 1);
    CHECK(read.headers()[0].first == "ETag");
    CHECK_FALSE(read.headers()[0].second.empty());
    CHECK(ask("GET", "/branches/main/nodes").at("rows").at(0).at("shown") == true);
    const sdk::Json rows =
        ask("POST", "/branches/main/nodes/query", {{"size", 1}, {"_fields", {{"shown", 1}}}})
            .at("rows");
    CHECK(rows.at(0).at("shown") == true);
    CHECK_FALSE(rows.at(0).contains("size"));
}

TEST_CASE_METHOD(Spaces, "actions without a name lie at the path itself, and bodies may be lists") {
    node({{"_doc", kHome}});
    const sdk::Json patch = {{{"op", "add"}}};
    CHECK(ask("PATCH", kHomePath, patch).at("body") == patch);
    CHECK(ask("DELETE", "/b/main/n", {kHome}).at("body") == sdk::Json{kHome});
}

TEST_CASE_METHOD(Spaces, "of raw bodies only JSON is decoded") {
    const auto told = [&](const std::string& body, const std::string& type) {
        const auto asked = begin(system(), "DELETE", "/branches/main/nodes");
        asked->send(body, type);
        return asked->run();
    };
    const auto body = [&](const std::string& sent, const std::string& type) {
        const sdk::Json all = value_of(sdk::parse_json(value_of(told(sent, type)).body()));
        CHECK(all.at("raw") == sent);
        return all.at("body");
    };
    const sdk::Json list = {1, 2};
    const sdk::Json none = sdk::Json::object();
    CHECK(body("[1,2]", "application/json; charset=utf-8") == list);
    CHECK(body("[1,2]", "text/plain") == list);
    CHECK(body("[1,2]", "") == list);
    CHECK(body("[1,2]", "multipart/form-data; boundary=x") == none);
    CHECK(body("[1,2]", "image/png") == none);
    CHECK(body("7", "text/plain") == none);
    CHECK(body("no JSON", "text/plain") == none);
    CHECK(told("no JSON", "application/json").error().kind == sdk::ErrorKind::invalid);
}

TEST_CASE_METHOD(Spaces, "records give roles by what they say") {
    const auto author = make_user("author");
    const auto other = make_user("other");
    grant(branch, author, "contributor");
    grant(branch, other, "contributor");
    const sdk::Json made = json(author, "POST", "/branches/main/nodes", {{"size", 1}});
    const std::string mine = "/branches/main/nodes/" + made.at("_doc").get<std::string>();
    CHECK_FALSE(may(author, "GET", mine));

    const std::string id = node({{"_doc", kHome}, {"author", this->author(author)}});
    const std::string home = kHomePath;
    CHECK(may(author, "GET", home));
    CHECK(may(author, "DELETE", home + "?test=1") == true);
    node({{"_doc", kHome}, {"author", this->author(author)}});
    CHECK_FALSE(may(other, "GET", home));
    CHECK(json(author, "GET", "/branches/main/nodes").at("total_rows") == 1);
    CHECK(
        json(author, "POST", "/branches/main/nodes/query", sdk::Json::object()).at("total_rows") ==
        1);
    CHECK(json(other, "GET", "/branches/main/nodes").at("total_rows") == 0);
    // A decision that was made once does not outlive what it was made by.
    ask("PUT", home, {{"author", this->author(other)}});
    CHECK_FALSE(may(author, "GET", home));
    CHECK(may(other, "GET", home));
}

TEST_CASE_METHOD(Spaces, "roles of a record show in checks and reports under a lasting id") {
    const auto author = make_user("author");
    const std::string id = node({{"author", this->author(author)}});
    const auto reader = services.engine->snapshot();
    const sdk::RecordKey& principal = author->principal.key;
    CHECK(value_of(services.authorities.has_role(*reader, principal, key_of(id), "owner")));
    const auto report = value_of(services.authorities.report(*reader, key_of(id), principal));
    REQUIRE(report.size() == 1);
    CHECK(report.front().role_key == "owner");
    CHECK(report.front().id ==
          value_of(services.authorities.report(*reader, key_of(id), principal)).front().id);
    CHECK(ask("GET", "/branches/main/nodes/" + id + "/acl?id=author").at("rows") ==
          sdk::Json{"owner"});
}

TEST_CASE_METHOD(Spaces, "rights on a folder reach what lies in it, however deep") {
    const auto reader = make_user("reader");
    grant(branch, reader, "connector");
    const std::string top = node({{"_doc", kHome}});
    const sdk::RecordKey top_key = value_of(services.references.find(
        *services.engine->snapshot(), platform(), "node://" + platform().id + "/main/" + kHome));
    const std::string sub = node({{"folder", sdk::space_record_id(top_key)}, {"size", 1}});
    const std::string leaf = node({{"folder", sub}, {"size", 2}});
    const std::string nodes = "/branches/main/nodes/";
    CHECK_FALSE(may(reader, "GET", nodes + leaf));
    grant(top_key, reader, "consumer");
    CHECK(may(reader, "GET", nodes + leaf));
    CHECK(may(reader, "GET", nodes + sub));
    CHECK_FALSE(may(reader, "PUT", nodes + leaf));
    CHECK(json(reader, "GET", "/branches/main/nodes").at("total_rows") == 3);
    const auto report = value_of(services.authorities.report(*services.engine->snapshot(),
                                                             key_of(leaf), reader->principal.key));
    REQUIRE_FALSE(report.empty());
    CHECK(report.front().inherits_from == top_key);
    revoke(top_key, reader, "consumer");
    CHECK_FALSE(may(reader, "GET", nodes + leaf));
}

TEST_CASE_METHOD(Spaces, "rights that reach into the container decide for all its records") {
    const auto owner = make_user("owner");
    const std::string id = node({{"size", 1}});
    const std::string path = "/branches/main/nodes/" + id;
    CHECK_FALSE(may(owner, "GET", path));
    grant(branch, owner, "owner");
    CHECK(may(owner, "GET", path));
    CHECK(json(owner, "GET", "/branches/main/nodes").at("total_rows") == 1);
    revoke(branch, owner, "owner");
    CHECK_FALSE(may(owner, "GET", path));
}

TEST_CASE_METHOD(Spaces, "policies decide about records in a space") {
    services.authorities.set_policy_source(&evaluator);
    services.authority_cache.watch(evaluator);
    const auto user = make_user("user");
    grant(branch, user, "connector");
    const std::string path = "/branches/main/nodes/" + node({{"size", 1}});
    CHECK_FALSE(may(user, "GET", path));
    const sdk::Json statements = {{{"action", "grant"}, {"roles", {"consumer"}}}};
    const std::string policy =
        ask("POST", "/access/policies", {{"statements", statements}}).at("_doc").get<std::string>();
    ask("POST", "/access/policies/" + policy + "/assign?ref=reader://" + platform().id + "/user");
    CHECK(may(user, "GET", path));
    CHECK(json(user, "GET", "/branches/main/nodes").at("total_rows") == 1);
    services.authorities.set_policy_source(nullptr);
}

}  // namespace stele::kernel::resource::testing

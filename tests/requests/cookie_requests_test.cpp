// What a request with nothing but a cookie may do, whatever a family's handlers do.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/services/authenticator.hpp>

#include "kernel/http/connection/server.hpp"
#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/job/worker_pool.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace {

using namespace stele;
using kernel::http::error_of;
using kernel::http::TestClient;
using kernel::resource::testing::ResourceFixture;

/// Has a GET that writes, as none should.
class Marks final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = "mark";
        descriptor.container = "platform";
        descriptor.path = "marks";
        descriptor.placeholder = "markId";
        for (const char* method : {"GET", "POST"}) {
            descriptor.actions.push_back({.name = "set",
                                          .method = method,
                                          .scope = sdk::ActionScope::collection,
                                          .permission = sdk::Permission::connect,
                                          .run = sdk::action<&Marks::set>()});
        }
        descriptor.actions.push_back({.name = "look",
                                      .method = "GET",
                                      .scope = sdk::ActionScope::collection,
                                      .permission = sdk::Permission::connect,
                                      .run = sdk::action<&Marks::look>()});
        return descriptor;
    }

    sdk::Result<sdk::Reply> set(const sdk::Call& call) {
        call.context().transaction().put(call.context().key_space("marks"), "set");
        return sdk::Reply::status();
    }
    sdk::Result<sdk::Reply> look(const sdk::Call& call) {
        auto mark = call.context().transaction().get(call.context().key_space("marks"));
        if (!mark) return mark.error();
        return sdk::Reply::json({{"isSet", mark->has_value()}});
    }
};

/// The same user by bearer and by cookie.
class AnyWay final : public sdk::Authenticator {
public:
    std::vector<sdk::CredentialPart> credential_parts() const override {
        using enum sdk::CredentialPart::Place;
        return {{parameter, "pass"}, {authorization, "Bearer"}, {cookie, "PASS", true}};
    }
    sdk::Result<sdk::SessionPtr> authenticate(const sdk::Credential& credential) override {
        if (credential.value == "good") return session;
        return sdk::make_error(sdk::ErrorKind::unauthenticated, "test.token_invalid", "no");
    }
    sdk::SessionPtr session;
};

class MarkServer {
public:
    MarkServer() : fixture_(families()), pipeline_(fixture_.services, workers_, &authenticator_) {
        authenticator_.session = fixture_.make_user("u");
        kernel::resource::testing::expect(pipeline_.build_routes());
        pipeline_.set_origins({"https://app.example"});
        kernel::http::ServerOptions options;
        options.port = 0;
        options.threads = 1;
        options.upload_folder = folder_.path() / "uploads";
        server_ = std::make_unique<kernel::http::Server>(options, pipeline_, workers_);
        kernel::resource::testing::expect(server_->start());
    }
    ~MarkServer() {
        server_->drain(std::chrono::milliseconds(0));
        workers_.stop();
        pipeline_.wait_for_commits();
    }
    MarkServer(const MarkServer&) = delete;
    MarkServer& operator=(const MarkServer&) = delete;

    auto ask(const std::string& method, const std::string& path, const std::string& lines) {
        TestClient client(server_->port());
        return client.ask(method + " /marks/" + path +
                          " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n" + lines + "\r\n");
    }
    bool is_set() {
        const auto reply = ask("GET", "look", "Cookie: PASS=good\r\n");
        REQUIRE(reply);
        REQUIRE(reply->status == 200);
        return nlohmann::json::parse(reply->body)["isSet"].get<bool>();
    }

private:
    static std::vector<std::unique_ptr<sdk::Resource>> families() {
        std::vector<std::unique_ptr<sdk::Resource>> families;
        families.push_back(std::make_unique<Marks>());
        return families;
    }

    testing::TemporaryFolder folder_;
    ResourceFixture fixture_;
    AnyWay authenticator_;
    kernel::job::WorkerPool workers_{2, 100};
    kernel::http::RequestPipeline pipeline_;
    std::unique_ptr<kernel::http::Server> server_;
};

const std::string kCookie = "Cookie: a=b; PASS=good\r\n";

}  // namespace

TEST_CASE("a GET with nothing but a cookie does not write, whatever its handler does") {
    MarkServer server;
    for (const char* lines : {"", "Sec-Fetch-Site: same-origin\r\n", "Origin: http://h\r\n"}) {
        const auto refused = server.ask("GET", "set", kCookie + lines);
        REQUIRE(refused);
        CHECK(refused->status == 403);
        CHECK(error_of(refused)["code"] == "http.cookie_reads_only");
        CHECK_FALSE(server.is_set());
    }
    const auto set = server.ask("GET", "set", kCookie + "Authorization: Bearer good\r\n");
    REQUIRE(set);
    CHECK(set->status == 200);
    CHECK(server.is_set());
}

TEST_CASE("a write with nothing but a cookie comes from the own site or a configured one") {
    MarkServer server;
    for (const char* lines :
         {"", "Origin: http://other\r\n", "Origin: http://h.other\r\n", "Origin: null\r\n",
          "Sec-Fetch-Site: cross-site\r\n", "Origin: http://h\r\nSec-Fetch-Site: cross-site\r\n"}) {
        CAPTURE(lines);
        const auto refused = server.ask("POST", "set", kCookie + lines);
        REQUIRE(refused);
        CHECK(refused->status == 403);
        CHECK(error_of(refused)["code"] == "http.origin_foreign");
        CHECK_FALSE(server.is_set());
    }
    for (const char* lines :
         {"Origin: http://h\r\n", "Origin: https://H\r\n", "Sec-Fetch-Site: same-origin\r\n",
          "Origin: https://app.example\r\nSec-Fetch-Site: cross-site\r\n"}) {
        CAPTURE(lines);
        const auto set = server.ask("POST", "set", kCookie + lines);
        REQUIRE(set);
        CHECK(set->status == 200);
    }
    CHECK(server.is_set());
}

TEST_CASE("the first of the parts that the authenticator names, and that says something, counts") {
    MarkServer server;
    const std::string bearer = "Authorization: Bearer good\r\n";
    const auto status = [&](const std::string& path, const std::string& lines) {
        const auto reply = server.ask("POST", path, lines);
        REQUIRE(reply);
        return reply->status;
    };
    CHECK(status("set?pass=good", "") == 200);
    CHECK(status("set?pass=bad", bearer) == 401);
    CHECK(status("set?pass=", bearer) == 200);
    CHECK(status("set?pass=bad&pass=good", "") == 200);
    CHECK(status("set", "Authorization: Bearer bad\r\nOrigin: http://h\r\n" + kCookie) == 401);
    // What browsers do not add wins, so the page does not matter.
    CHECK(status("set?pass=good", kCookie) == 200);
    CHECK(status("set", "pass: good\r\n") == 401);
}

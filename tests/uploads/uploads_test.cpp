// Actions that take and give files, through all stages of a request.

#include <atomic>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/multipart.hpp>
#include <stele/sdk/services/authenticator.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/http/connection/server.hpp"
#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/job/worker_pool.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace {

using namespace stele;
using kernel::http::error_of;
using kernel::http::TestClient;
using kernel::resource::testing::ResourceFixture;

/// Tells of the forms that it gets, and gives 26 letters.
class Parcels final : public sdk::Resource {
public:
    explicit Parcels(std::atomic<int>& runs) : runs_(runs) {}

    sdk::ResourceDescriptor describe() const override {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = "parcel";
        descriptor.container = "platform";
        descriptor.path = "parcels";
        descriptor.placeholder = "parcelId";
        descriptor.actions = {{.name = "contents",
                               .scope = sdk::ActionScope::collection,
                               .permission = sdk::Permission::connect,
                               .run = sdk::action<&Parcels::put>(),
                               .streamed_body = true},
                              {.name = "letters",
                               .method = "GET",
                               .scope = sdk::ActionScope::collection,
                               .permission = sdk::Permission::connect,
                               .run = sdk::action<&Parcels::letters>()}};
        return descriptor;
    }

    sdk::Result<sdk::Reply> put(const sdk::Call& call) {
        ++runs_;
        CHECK(call.raw_body().empty());
        CHECK(call.body().empty());
        auto form =
            sdk::MultipartReader::open(call.upload(), call.header("Content-Type").value_or(""), 10);
        if (!form) return form.error();
        sdk::Json parts = sdk::Json::array();
        while (true) {
            auto part = form->next();
            if (!part) return part.error();
            if (!*part) break;
            std::uint64_t size = 0;
            std::string piece;
            do {
                if (auto read = form->read(piece); !read) return read.error();
                size += piece.size();
            } while (!piece.empty());
            parts.push_back({{"name", (*part)->name}, {"size", size}});
        }
        kernel::resource::WorkContext::of(call.context()).keep_binaries();
        if (auto conflicting = get_in_the_way(call.context()); !conflicting) {
            return conflicting.error();
        }
        return sdk::Reply::json({{"parts", parts}});
    }

    static sdk::Result<sdk::Reply> send_letters() {
        auto open = [](std::uint64_t first, std::uint64_t end) -> sdk::BodySource {
            return [first, end](std::string& out) -> sdk::Result<bool> {
                out += std::string("abcdefghijklmnopqrstuvwxyz").substr(first, end - first);
                return false;
            };
        };
        sdk::Reply reply = sdk::Reply::download(open, 26, "text/plain");
        reply.etag("\"v1\"").header("Content-Disposition", "attachment");
        return reply;
    }
    sdk::Result<sdk::Reply> letters(const sdk::Call&) { return send_letters(); }

    /// While it is set, each first run meets somebody else who writes the same.
    sdk::Engine* rival = nullptr;

private:
    sdk::Result<void> get_in_the_way(sdk::Context& context) {
        const std::string key = context.key_space("count");
        auto present = context.transaction().get(key);
        if (!present) return present.error();
        context.transaction().put(key, "mine");
        if (!rival || *present) return {};
        return sdk::write_with_retry(*rival, [&](sdk::Transaction& other) -> sdk::Result<void> {
            other.put(key, "theirs");
            return {};
        });
    }

    std::atomic<int>& runs_;
};

class OneToken final : public sdk::Authenticator {
public:
    std::vector<sdk::CredentialPart> credential_parts() const override {
        return {{sdk::CredentialPart::Place::authorization, "Bearer"}};
    }
    sdk::Result<sdk::SessionPtr> authenticate(const sdk::Credential& credential) override {
        if (credential.value == "good") return session;
        return sdk::make_error(sdk::ErrorKind::unauthenticated, "test.token_invalid", "no");
    }
    sdk::SessionPtr session;
};

/// A server with the families of the fixture and parcels.
class ParcelServer {
public:
    explicit ParcelServer(kernel::http::RateLimits limits = {})
        : fixture_(families()), pipeline_(fixture_.services, workers_, &authenticator_) {
        authenticator_.session = fixture_.make_user("u");
        kernel::resource::testing::expect(pipeline_.build_routes());
        pipeline_.set_limits(std::move(limits));
        kernel::http::ServerOptions options;
        options.port = 0;
        options.threads = 1;
        options.upload_folder = folder_.path() / "uploads";
        server_ = std::make_unique<kernel::http::Server>(options, pipeline_, workers_);
        kernel::resource::testing::expect(server_->start());
    }
    ~ParcelServer() {
        server_->drain(std::chrono::milliseconds(0));
        workers_.stop();
        pipeline_.wait_for_commits();
    }
    ParcelServer(const ParcelServer&) = delete;
    ParcelServer& operator=(const ParcelServer&) = delete;

    std::uint16_t port() const { return server_->port(); }
    int runs() const { return runs_; }
    kernel::resource::Services& services() { return fixture_.services; }
    void meet_a_rival() { parcels_->rival = fixture_.services.engine.get(); }

private:
    std::vector<std::unique_ptr<sdk::Resource>> families() {
        auto parcels = std::make_unique<Parcels>(runs_);
        parcels_ = parcels.get();
        std::vector<std::unique_ptr<sdk::Resource>> families;
        families.push_back(std::move(parcels));
        return families;
    }

    testing::TemporaryFolder folder_;
    std::atomic<int> runs_{0};
    Parcels* parcels_ = nullptr;
    ResourceFixture fixture_;
    OneToken authenticator_;
    kernel::job::WorkerPool workers_{2, 100};
    kernel::http::RequestPipeline pipeline_;
    std::unique_ptr<kernel::http::Server> server_;
};

std::string form_of(std::size_t size) {
    return "--b1\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f\"\r\n\r\n" +
           std::string(size, 'x') +
           "\r\n--b1\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\nyes\r\n--b1--\r\n";
}

std::string post(const std::string& token, const std::string& body, std::string_view more = {}) {
    return "POST /parcels/contents HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token +
           "\r\nContent-Type: multipart/form-data; boundary=b1\r\n" + std::string(more) +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

nlohmann::json told_of(const std::optional<kernel::http::ClientReply>& reply) {
    REQUIRE(reply);
    INFO(reply->body);
    REQUIRE(reply->status == 200);
    return nlohmann::json::parse(reply->body)["parts"];
}

nlohmann::json expected(std::size_t size) {
    return {{{"name", "a"}, {"size", size}}, {{"name", "b"}, {"size", 3}}};
}

}  // namespace

TEST_CASE("an action reads its upload, large or small or none") {
    ParcelServer server;
    TestClient client(server.port());
    for (const std::size_t size : {0, 100, 1'000'000})
        CHECK(told_of(client.ask(post("good", form_of(size)))) == expected(size));
    CHECK(error_of(client.ask(post("good", "")))["code"] == "http.multipart_malformed");
}

TEST_CASE("an action that is repeated after a conflict reads its upload again") {
    for (const std::size_t size : {100, 1'000'000}) {
        ParcelServer server;
        server.meet_a_rival();
        TestClient client(server.port());
        CHECK(told_of(client.ask(post("good", form_of(size)))) == expected(size));
        CHECK(server.runs() == 2);
    }
}

TEST_CASE(
    "what a request has written is waited for when nobody knows whether its commit is stored") {
    ParcelServer server;
    kernel::storage::BlobWriters& writers = server.services().blob_writers;
    const std::int64_t nobody = writers.oldest_ms();
    TestClient client(server.port());
    auto& engine = dynamic_cast<sdk::testing::MemoryEngine&>(*server.services().engine);
    const auto refuse = [&engine](const char* code) {
        engine.refuse_commits(1, sdk::make_error(sdk::ErrorKind::unavailable, code, "refused"));
    };
    refuse("engine.conflict");
    CHECK(client.ask(post("good", form_of(100)))->status == 200);
    CHECK(server.runs() == 2);
    CHECK(writers.oldest_ms() == nobody);
    refuse("engine.write_failed");
    CHECK(client.ask(post("good", form_of(100)))->status == 503);
    CHECK(writers.oldest_ms() <= sdk::now_ms());
    writers.settle(engine);
    CHECK(writers.oldest_ms() == nobody);
}

TEST_CASE("a large upload without a good token is not waited for") {
    ParcelServer server;
    TestClient client(server.port());
    const std::string wire = post("bad", form_of(1'000'000), "Expect: 100-continue\r\n");
    const auto reply = client.ask(wire.substr(0, wire.find("\r\n\r\n") + 4));
    REQUIRE(reply);
    CHECK(reply->status == 401);
    CHECK(error_of(reply)["code"] == "test.token_invalid");
    CHECK(client.is_at_end());
    CHECK(server.runs() == 0);
}

TEST_CASE("a large upload counts once against the rate of its caller") {
    kernel::http::RateLimits limits;
    limits.requests =
        std::make_unique<kernel::http::RateLimiter>(kernel::http::Rate{0.001, 2}, std::size_t{10});
    ParcelServer server(std::move(limits));
    TestClient client(server.port());
    CHECK(client.ask(post("good", form_of(1'000'000)))->status == 200);
    CHECK(client.ask(post("good", form_of(1'000'000)))->status == 200);
    const std::string wire = post("good", form_of(1'000'000));
    CHECK(client.ask(wire.substr(0, wire.find("\r\n\r\n") + 4))->status == 429);
}

TEST_CASE("an action gives a part of a download") {
    ParcelServer server;
    TestClient client(server.port());
    const std::string head =
        "GET /parcels/letters HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer good\r\n";
    const auto whole = client.ask(head + "\r\n");
    REQUIRE(whole);
    CHECK(whole->status == 200);
    CHECK(whole->body == "abcdefghijklmnopqrstuvwxyz");
    CHECK(whole->header("content-disposition") == "attachment");
    const auto part = client.ask(head + "Range: bytes=2-4\r\nIf-Range: \"v1\"\r\n\r\n");
    REQUIRE(part);
    CHECK(part->status == 206);
    CHECK(part->body == "cde");
    CHECK(part->header("content-range") == "bytes 2-4/26");
}

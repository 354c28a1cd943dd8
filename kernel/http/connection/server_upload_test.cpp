#include <chrono>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/connection/server_test_handler.hpp"
#include "kernel/http/message/upload_spool.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::kernel::http {

namespace {

using namespace std::chrono_literals;

constexpr const char* kToken = "Authorization: Bearer t\r\n";

/// A server that keeps uploads in a folder of the test.
class UploadServer {
public:
    explicit UploadServer(ServerOptions options = {}) {
        options.upload_folder = folder_.path() / "uploads";
        server_ = std::make_unique<TestServer>(options);
    }

    TestServer& operator*() { return *server_; }
    TestServer* operator->() { return server_.get(); }
    bool has_files() const { return !std::filesystem::is_empty(folder_.path() / "uploads"); }

private:
    testing::TemporaryFolder folder_;
    std::unique_ptr<TestServer> server_;
};

std::string numbered(std::size_t size) {
    std::string text;
    for (std::size_t i = 0; text.size() < size; ++i)
        text += std::to_string(i) + ' ';
    text.resize(size);
    return text;
}

std::string chunked_head(std::string_view path = "/upload") {
    return "POST " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n" + kToken +
           "Transfer-Encoding: chunked\r\n\r\n";
}

/// The empty one is the end.
std::string chunk(std::string_view piece) {
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    return size + std::string(piece) + "\r\n";
}

std::string chunked(std::string_view path, std::string_view body, std::size_t most) {
    std::string wire = chunked_head(path);
    for (std::size_t at = 0; at < body.size(); at += most)
        wire += chunk(body.substr(at, most));
    return wire + chunk("");
}

std::string head_of_upload(std::string_view size, std::string_view more = {}) {
    return "POST /upload HTTP/1.1\r\nHost: h\r\n" + std::string(more) +
           "Content-Length: " + std::string(size) + "\r\n\r\n";
}

void wait_until_closed(TestServer& server) {
    while (server.get().counts().connections_open > 0)
        std::this_thread::sleep_for(1ms);
}

/// Until the server has read so many bytes, of all connections together.
void wait_until_received(TestServer& server, std::uint64_t bytes) {
    while (server.get().counts().bytes_received < bytes)
        std::this_thread::sleep_for(1ms);
}

}  // namespace

TEST_CASE("uploads of every size arrive whole, with a length and in chunks") {
    UploadServer server;
    TestClient client(server->port());
    for (const std::size_t size :
         {0, 1, 3'000, 65'535, 65'536, 65'537, 131'072, 200'000, 3'000'000}) {
        const std::string body = numbered(size);
        for (const auto* const path : {"/upload", "/upload-later"}) {
            INFO(path << ' ' << size);
            const auto plain = client.ask(request_to("POST", path, body, kToken));
            REQUIRE(plain);
            CHECK((plain->body == body));
            CHECK(plain->header("x-repeats") == "yes");
            CHECK(plain->header("x-admitted") == (size > 65'536 ? "yes" : "no"));
            const auto in_chunks = client.ask(chunked(path, body, 10'000));
            REQUIRE(in_chunks);
            CHECK((in_chunks->body == body));
            CHECK(in_chunks->header("x-repeats") == "yes");
        }
    }
    CHECK_FALSE(server.has_files());
    // Other bodies come as ever.
    CHECK(nlohmann::json::parse(client.ask(request_to("POST", "/echo", "abc"))->body)["body"] ==
          "abc");
}

TEST_CASE("an upload and what is pipelined behind it do not mix") {
    UploadServer server;
    TestClient client(server->port());
    for (const std::size_t size : {5, 70'000}) {
        const std::string body = numbered(size);
        REQUIRE(client.send(request_to("POST", "/upload", body, kToken) +
                            chunked("/upload", body, 999) + request_to("GET", "/fixed")));
        CHECK((client.receive()->body == body));
        CHECK((client.receive()->body == body));
        CHECK(client.receive()->body == "{\"fixed\":\"body\"}");
    }
}

TEST_CASE("an upload that comes byte by byte is the same upload") {
    UploadServer server;
    TestClient client(server->port());
    for (const char c :
         request_to("POST", "/upload", "hello", kToken) + chunked("/upload", "abcde", 2))
        REQUIRE(client.send({&c, 1}));
    CHECK(client.receive()->body == "hello");
    CHECK(client.receive()->body == "abcde");
}

TEST_CASE("an upload that says it is too large is refused before it is asked for") {
    ServerOptions options;
    options.limits.upload_bytes = 100'000;
    UploadServer server(options);
    for (const char* const size : {"100001", "18446744073709551615"}) {
        TestClient client(server->port());
        const auto reply =
            client.ask(head_of_upload(size, std::string(kToken) + "Expect: 100-continue\r\n"));
        CHECK(error_of(reply)["code"] == "http.body_too_large");
        CHECK(reply->status == 413);
        CHECK(client.is_at_end());
    }
    TestClient client(server->port());
    CHECK(client.ask(request_to("POST", "/upload", numbered(100'000), kToken))->status == 200);
    CHECK(client.ask(chunked("/upload", numbered(100'000), 7'000))->status == 200);
    const auto counted = client.ask(chunked("/upload", numbered(100'001), 7'000));
    CHECK(error_of(counted)["code"] == "http.body_too_large");
    CHECK(server->handler().uploads() == 2);
}

TEST_CASE("the limit of other bodies is not that of uploads") {
    ServerOptions options;
    options.limits.body_bytes = 1'000;
    options.limits.upload_bytes = 10'000;
    UploadServer server(options);
    TestClient client(server->port());
    CHECK(client.ask(request_to("POST", "/upload", numbered(10'000), kToken))->status == 200);
    const auto refused = client.ask(request_to("POST", "/echo", numbered(1'001)));
    CHECK(error_of(refused)["code"] == "http.body_too_large");
    TestClient other(server->port());
    CHECK(error_of(other.ask(chunked("/echo", numbered(1'001), 500)))["code"] ==
          "http.body_too_large");
    ServerOptions closed;
    closed.limits.upload_bytes = 0;
    UploadServer without(closed);
    TestClient third(without->port());
    CHECK(error_of(third.ask(request_to("POST", "/upload", "x", kToken)))["code"] ==
          "http.body_too_large");
}

TEST_CASE("who is not admitted is refused before a large upload comes") {
    UploadServer server;
    for (const char* const path : {"/upload", "/upload-later"}) {
        for (const char* const framing : {"Content-Length: 65537", "Transfer-Encoding: chunked"}) {
            INFO(path << ' ' << framing);
            TestClient client(server->port());
            const auto reply = client.ask("POST " + std::string(path) +
                                          " HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n" +
                                          framing + "\r\n\r\n");
            REQUIRE(reply);
            CHECK(reply->status == 401);
            CHECK(error_of(reply)["code"] == "test.no_token");
            CHECK(error_of(reply)["requestId"] == reply->header("x-request-id"));
            CHECK(reply->header("connection") == "close");
            CHECK(client.is_at_end());
        }
    }
    CHECK(server->handler().uploads() == 0);
    // A small one disturbs nobody, and is the handler's matter.
    TestClient client(server->port());
    CHECK(client.ask(request_to("POST", "/upload", "small"))->header("x-admitted") == "no");
}

TEST_CASE("100-continue asks for an upload once it is admitted") {
    UploadServer server;
    for (const char* const path : {"/upload", "/upload-later"}) {
        for (const std::size_t size : {5, 100'000}) {
            TestClient client(server->port());
            const std::string body = numbered(size);
            REQUIRE(client.send("POST " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n" + kToken +
                                "Expect: 100-continue\r\nContent-Length: " + std::to_string(size) +
                                "\r\n\r\n"));
            const auto interim = client.receive(false);
            REQUIRE(interim);
            CHECK(interim->status == 100);
            REQUIRE(client.send(body));
            CHECK((client.receive()->body == body));
        }
    }
}

TEST_CASE("an upload that breaks off reaches no handler and leaves no file") {
    UploadServer server;
    std::uint64_t received = 0;
    for (const std::size_t sent : {0, 10, 70'000, 500'000}) {
        TestClient client(server->port());
        const std::string bytes = head_of_upload("1000000", kToken) + numbered(sent);
        REQUIRE(client.send(bytes));
        received += bytes.size();
        wait_until_received(*server, received);
        client.end_sending();
        CHECK(client.is_at_end());
    }
    wait_until_closed(*server);
    CHECK(server->handler().uploads() == 0);
    CHECK_FALSE(server.has_files());
    TestClient client(server->port());
    CHECK(client.ask(request_to("POST", "/upload", "x", kToken))->status == 200);
}

TEST_CASE("an upload has time for each of its pieces") {
    constexpr auto kBodyTime = 1000ms;
    ServerOptions options;
    options.limits.body_time = kBodyTime;
    UploadServer server(options);
    {
        TestClient client(server->port());
        REQUIRE(client.send(chunked_head()));
        const auto begun = std::chrono::steady_clock::now();
        std::size_t sent = 0;
        // All of them take longer than one may.
        while (std::chrono::steady_clock::now() - begun < kBodyTime * 3 / 2) {
            std::this_thread::sleep_for(20ms);
            REQUIRE(client.send(chunk(std::string(40'000, 'x'))));
            sent += 40'000;
        }
        REQUIRE(client.send(chunk("")));
        const auto reply = client.receive();
        REQUIRE(reply);
        CHECK(reply->status == 200);
        CHECK(reply->body.size() == sent);
    }
    for (const std::size_t sent : {10, 100'000}) {
        TestClient client(server->port());
        REQUIRE(client.send(head_of_upload("400000", kToken) + numbered(sent)));
        const auto reply = client.receive();
        CHECK(error_of(reply)["code"] == "http.body_timeout");
        CHECK(reply->status == 408);
    }
    CHECK(server->handler().uploads() == 1);
    CHECK_FALSE(server.has_files());
}

TEST_CASE("an upload that comes more slowly than the lowest rate is refused, and holds nothing") {
    ServerOptions options;
    options.limits.body_time = 300ms;
    // A piece of 64 KiB earns a sixteenth of a second.
    options.limits.upload_rate = 1024 * 1024;
    UploadServer server(options);
    constexpr int kPieces = 20;
    constexpr std::size_t kPiece = 65'536;
    {
        TestClient client(server->port());
        REQUIRE(client.send(head_of_upload(std::to_string(kPieces * kPiece), kToken)));
        // Each in its time, but all of them far too slow.
        bool is_taken = true;
        for (int i = 0; i < kPieces && is_taken; ++i) {
            std::this_thread::sleep_for(150ms);
            is_taken = client.send(std::string(kPiece, 'x'));
        }
        const auto reply = client.receive();
        REQUIRE(reply);
        CHECK(reply->status == 408);
        CHECK(error_of(reply)["code"] == "http.body_timeout");
    }
    {
        TestClient client(server->port());
        REQUIRE(client.send(head_of_upload(std::to_string(kPieces * kPiece), kToken)));
        for (int i = 0; i < kPieces; ++i)
            REQUIRE(client.send(std::string(kPiece, 'x')));
        const auto reply = client.receive();
        REQUIRE(reply);
        CHECK(reply->status == 200);
    }
    CHECK(server->handler().uploads() == 1);
    CHECK_FALSE(server.has_files());
}

TEST_CASE("a full disk refuses an upload with 507 and goes on") {
    ServerOptions options;
    options.upload_reserve = std::uint64_t{1} << 60;
    UploadServer server(options);
    TestClient client(server->port());
    REQUIRE(client.send(head_of_upload("3000000", kToken) + numbered(200'000)));
    const auto reply = client.receive();
    REQUIRE(reply);
    CHECK(reply->status == 507);
    CHECK(error_of(reply)["code"] == "http.upload_disk_full");
    TestClient small(server->port());
    CHECK(small.ask(request_to("POST", "/upload", numbered(60'000), kToken))->status == 200);
    CHECK(server->handler().uploads() == 1);
}

TEST_CASE("an upload of a known size waits for no disk where memory has plenty of room") {
    ServerOptions options;
    // No file would find room.
    options.upload_reserve = std::uint64_t{1} << 60;
    const std::string body = numbered(300'000);
    SECTION("plenty") {
        UploadServer server(options);
        TestClient client(server->port());
        const auto reply = client.ask(request_to("POST", "/upload", body, kToken));
        REQUIRE(reply);
        CHECK(reply->status == 200);
        CHECK((reply->body == body));
    }
    SECTION("little") {
        options.limits.body_memory = 1'000'000;
        UploadServer server(options);
        TestClient client(server->port());
        REQUIRE(client.send(head_of_upload("300000", kToken) + body));
        const auto reply = client.receive();
        REQUIRE(reply);
        CHECK(reply->status == 507);
    }
    SECTION("of unknown size") {
        UploadServer server(options);
        TestClient client(server->port());
        client.send(chunked("/upload", body, 50'000));
        const auto reply = client.receive();
        REQUIRE(reply);
        CHECK(reply->status == 507);
    }
}

TEST_CASE("an upload waits for a worker, and other requests do not wait for it") {
    UploadServer server;
    std::mutex gate;
    std::unique_lock held(gate);
    for (int i = 0; i < 2; ++i)
        server->workers().post([&gate] { const std::lock_guard lock(gate); });
    TestClient uploading(server->port());
    const std::string body = numbered(3'000'000);
    REQUIRE(uploading.send(head_of_upload("3000000", kToken)));
    std::thread sender([&] { uploading.send(body); });
    TestClient other(server->port());
    for (int i = 0; i < 20; ++i)
        CHECK(other.ask(request_to("GET", "/fixed"))->status == 200);
    // What does not wait for the disk has come.
    wait_until_received(*server, UploadSpool::kInMemory);
    CHECK(server->handler().uploads() == 0);
    held.unlock();
    sender.join();
    const auto reply = uploading.receive();
    REQUIRE(reply);
    CHECK((reply->body == body));
}

TEST_CASE("a server that stops in the middle of uploads lets go of them") {
    UploadServer server;
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 10; ++i) {
        clients.push_back(std::make_unique<TestClient>(server->port()));
        REQUIRE(clients.back()->send(head_of_upload("1000000", kToken) + numbered(150'000)));
    }
    server->get().drain(0ms);
    CHECK(server->handler().uploads() == 0);
    CHECK_FALSE(server.has_files());
}

}  // namespace stele::kernel::http

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include <stele/sdk/file_reader.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/connection/server_test_handler.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::kernel::http {

namespace {

/// More than the buffers of two sockets hold.
constexpr std::size_t kLarge = 24 * 1024 * 1024;

std::string some_bytes(std::size_t size) {
    std::string bytes(size, ' ');
    std::uint32_t state = 1;
    for (char& byte : bytes) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<char>(state >> 24U);
    }
    return bytes;
}

sdk::Error damaged() {
    return sdk::make_error(sdk::ErrorKind::internal, "store.damaged", "damaged", "by the test");
}

/// A file, and what the store says of it; the server's threads ask.
struct ServedFile {
    explicit ServedFile(std::size_t size) : bytes(some_bytes(size)) {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    testing::TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "file";
    const std::string bytes;
    std::atomic<bool> is_known{true};     ///< sendable without waiting
    std::atomic<bool> is_sendable{true};  ///< sendable at all
    std::atomic<bool> is_damaged{false};
    std::atomic<bool> is_changed{false};
    std::atomic<int> looks{0};           ///< that may wait
    std::atomic<int> sources_opened{0};  ///< reads in place of the file
    std::mutex mutex;
    std::condition_variable changed;
    int open_readers = 0;

    void note_reader(int more) {
        const std::lock_guard lock(mutex);
        open_readers += more;
        changed.notify_all();
    }
    bool all_closed() {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, std::chrono::seconds(20), [&] { return open_readers == 0; });
    }
    void serve(TestServer& server);
};

class ServedReader final : public sdk::FileReader {
public:
    explicit ServedReader(ServedFile& served) : served_(served), file_(served.path, O_RDONLY) {
        served_.note_reader(1);
    }
    ~ServedReader() override { served_.note_reader(-1); }
    std::uint64_t size() const override { return served_.bytes.size(); }
    sdk::Result<void> read(std::uint64_t, std::size_t, std::string&) override { return {}; }
    int descriptor() const override { return file_.descriptor(); }
    sdk::Result<bool> is_sendable(std::uint64_t, std::uint64_t, bool may_wait) override {
        if (!may_wait) return served_.is_known.load();
        ++served_.looks;
        if (served_.is_damaged) return damaged();
        served_.is_changed = false;
        return served_.is_sendable.load();
    }
    bool is_unchanged() const override { return !served_.is_changed; }

private:
    ServedFile& served_;
    file::PosixFile file_;
};

void ServedFile::serve(TestServer& server) {
    const auto open = [this](bool) -> sdk::Result<std::shared_ptr<sdk::FileReader>> {
        return std::shared_ptr<sdk::FileReader>(std::make_shared<ServedReader>(*this));
    };
    const auto ranges = [this](std::uint64_t first, std::uint64_t end) -> sdk::BodySource {
        ++sources_opened;
        return [this, at = first, end](std::string& out) mutable -> sdk::Result<bool> {
            if (is_damaged) return damaged();
            const std::uint64_t next = std::min<std::uint64_t>(end, at + 64 * 1024);
            out += bytes.substr(at, next - at);
            at = next;
            return at < end;
        };
    };
    server.handler().serve_file(open, ranges, bytes.size());
}

std::string ask_for_file(std::string_view headers = {}) {
    return request_to("GET", "/file", "", headers);
}

}  // namespace

TEST_CASE("a download comes from its file, whole and in parts, as from anywhere else") {
    for (const std::size_t size : {std::size_t{1}, std::size_t{70'000}, kLarge}) {
        for (const bool is_known : {true, false}) {
            INFO(size << ' ' << is_known);
            ServedFile served(size);
            served.is_known = is_known;
            TestServer server;
            served.serve(server);
            TestClient client(server.port());
            const auto all = client.ask(ask_for_file());
            REQUIRE(all);
            CHECK(all->status == 200);
            CHECK(all->header("content-length") == std::to_string(size));
            CHECK(all->body == served.bytes);
            const auto part = client.ask(ask_for_file("Range: bytes=" + std::to_string(size / 2) +
                                                      "-" + std::to_string(size - 1) + "\r\n"));
            REQUIRE(part);
            CHECK(part->status == 206);
            CHECK(part->body == served.bytes.substr(size / 2));
            const auto beyond =
                client.ask(ask_for_file("Range: bytes=" + std::to_string(size) + "-\r\n"));
            REQUIRE(beyond);
            CHECK(beyond->status == 416);
            REQUIRE(client.send(request_to("HEAD", "/file")));
            const auto head = client.receive(false);
            REQUIRE(head);
            CHECK(head->header("content-length") == std::to_string(size));
            // The connection serves on, and nothing was read by pieces.
            CHECK(client.ask(request_to("GET", "/fixed"))->body == "{\"fixed\":\"body\"}");
            CHECK(served.sources_opened == 0);
            CHECK(served.all_closed());
        }
    }
}

TEST_CASE("files that are asked for at once come in order") {
    ServedFile served(300'000);
    TestServer server;
    served.serve(server);
    TestClient client(server.port());
    REQUIRE(client.send(request_to("GET", "/fixed") + ask_for_file() + request_to("GET", "/fixed") +
                        ask_for_file("Range: bytes=1-3\r\n") + request_to("GET", "/fixed")));
    for (const std::string& body :
         {std::string("{\"fixed\":\"body\"}"), served.bytes, std::string("{\"fixed\":\"body\"}"),
          served.bytes.substr(1, 3), std::string("{\"fixed\":\"body\"}")}) {
        const auto reply = client.receive();
        REQUIRE(reply);
        CHECK(reply->body == body);
    }
}

TEST_CASE("what may not be sent from its file is read") {
    ServedFile served(300'000);
    served.is_known = served.is_sendable = false;
    TestServer server;
    served.serve(server);
    TestClient client(server.port());
    CHECK(client.ask(ask_for_file())->body == served.bytes);
    CHECK(served.sources_opened == 1);
}

TEST_CASE("a file that is found damaged before its first byte is an error") {
    ServedFile served(300'000);
    served.is_known = false;
    served.is_damaged = true;
    TestServer server;
    served.serve(server);
    TestClient client(server.port());
    const auto reply = client.ask(ask_for_file());
    REQUIRE(reply);
    CHECK(reply->status == 500);
    CHECK(client.ask(request_to("GET", "/fixed"))->status == 200);
}

TEST_CASE("a reply breaks off when its file was written to, whatever it has now") {
    ServedFile served(kLarge);
    TestServer server;
    served.serve(server);
    SECTION("sound") {
        served.is_changed = true;
        TestClient client(server.port());
        REQUIRE(client.send(ask_for_file()));
        // Whole when it was looked at before its first byte.
        const auto reply = client.receive();
        CHECK((!reply || reply->body == served.bytes));
        CHECK(served.looks == 1);
    }
    SECTION("not to be sent any more") {
        served.is_changed = true;
        served.is_sendable = false;
        TestClient client(server.port());
        REQUIRE(client.send(ask_for_file()));
        const auto reply = client.receive();
        CHECK((!reply || reply->body == served.bytes));
        CHECK(served.sources_opened == (reply ? 1 : 0));
    }
    SECTION("written to behind its beginning") {
        TestClient client(server.port(), 4096);
        REQUIRE(client.send(ask_for_file()));
        TestClient other(server.port());
        while (server.get().counts().bytes_sent == 0)
            REQUIRE(other.ask(request_to("GET", "/fixed")));
        served.is_changed = true;
        CHECK_FALSE(client.receive());
    }
    SECTION("damaged") {
        served.is_changed = true;
        served.is_damaged = true;
        TestClient client(server.port());
        REQUIRE(client.send(ask_for_file()));
        // Before its first byte when the beginning had to be waited for, too.
        const auto reply = client.receive();
        CHECK((!reply || reply->status == 500));
    }
}

TEST_CASE("a file that is shorter than it was is never taken for the whole") {
    ServedFile served(kLarge);
    std::filesystem::resize_file(served.path, kLarge / 2);
    TestServer server;
    served.serve(server);
    TestClient client(server.port());
    SECTION("its bytes are elsewhere") {
        const auto reply = client.ask(ask_for_file());
        REQUIRE(reply);
        CHECK(reply->body == served.bytes);
        CHECK(served.sources_opened == 1);
    }
    SECTION("they are gone") {
        served.is_damaged = true;
        REQUIRE(client.send(ask_for_file()));
        CHECK_FALSE(client.receive());
    }
    CHECK(served.all_closed());
}

TEST_CASE("a file goes on to whoever takes it slowly after it has lost its name") {
    ServedFile served(kLarge);
    TestServer server;
    served.serve(server);
    TestClient client(server.port(), 64 * 1024);
    REQUIRE(client.send(ask_for_file()));
    // The server has begun, and cannot have finished.
    TestClient other(server.port());
    while (server.get().counts().bytes_sent == 0)
        REQUIRE(other.ask(request_to("GET", "/fixed")));
    std::filesystem::remove(served.path);
    const auto reply = client.receive();
    REQUIRE(reply);
    CHECK(reply->body == served.bytes);
}

TEST_CASE("a file is closed when its reader goes, and when it takes nothing for too long") {
    ServedFile served(kLarge);
    ServerOptions options;
    SECTION("gone") {
        TestServer server;
        served.serve(server);
        {
            TestClient client(server.port(), 4096);
            REQUIRE(client.send(ask_for_file()));
            while (server.get().counts().bytes_sent == 0)
                std::this_thread::yield();
        }
        CHECK(served.all_closed());
    }
    SECTION("idle") {
        options.limits.write_time = std::chrono::milliseconds(50);
        TestServer server(options);
        served.serve(server);
        TestClient client(server.port(), 4096);
        REQUIRE(client.send(ask_for_file()));
        while (server.get().counts().bytes_sent == 0)
            std::this_thread::yield();
        CHECK(served.all_closed());
    }
}

}  // namespace stele::kernel::http

#include "kernel/http/log/access_log.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/connection/server_test_handler.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::kernel::http {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class LogFolder {
public:
    fs::path file() const { return folder_.path() / "access.log"; }

private:
    testing::TemporaryFolder folder_;
};

std::vector<json> lines_of(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<json> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(json::parse(line));
    return lines;
}

/// Waits until the file has as many lines.
std::vector<json> wait_for_lines(const fs::path& file, std::size_t count) {
    for (int tries = 0; tries < 500; ++tries) {
        auto lines = lines_of(file);
        if (lines.size() >= count) return lines;
        ::usleep(10'000);
    }
    return lines_of(file);
}

std::unique_ptr<AccessLog> open_log(const fs::path& file, std::size_t lane_bytes = 1024 * 1024) {
    auto log = AccessLog::open({file.string(), lane_bytes});
    REQUIRE(log);
    return std::move(*log);
}

AccessEntry some_entry() {
    AccessEntry entry;
    entry.request_id = "0123456789abcdef0123";
    entry.remote_address = "192.0.2.1";
    entry.method = "GET";
    entry.path = "/things/1";
    entry.status = 200;
    return entry;
}

}  // namespace

TEST_CASE("a line says everything that is known of a request") {
    const LogFolder folder;
    sdk::Session session;
    session.platform.id = "p1";
    session.principal.id = "u1";
    session.principal.domain_id = "d1";
    const std::int64_t before =
        std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
    {
        auto log = open_log(folder.file());
        AccessEntry entry = some_entry();
        entry.route = "/things/{thingId}";
        entry.bytes = 1234;
        entry.duration_us = 567;
        entry.session = &session;
        log->add_lane().add(entry);
    }
    const auto lines = lines_of(folder.file());
    REQUIRE(lines.size() == 1);
    json line = lines.front();
    const auto time = line["time"].get<std::string>();
    CHECK(time.size() == std::string("2025-01-31T10:11:12.345Z").size());
    std::tm parts{};
    std::istringstream(time) >> std::get_time(&parts, "%Y-%m-%dT%H:%M:%S");
    CHECK(std::abs(timegm(&parts) - before / 1000) <= 2);
    line.erase("time");
    CHECK(line == json{{"requestId", "0123456789abcdef0123"},
                       {"remote", "192.0.2.1"},
                       {"method", "GET"},
                       {"path", "/things/1"},
                       {"route", "/things/{thingId}"},
                       {"status", 200},
                       {"bytes", 1234},
                       {"us", 567},
                       {"platform", "p1"},
                       {"domain", "d1"},
                       {"principal", "u1"}});
}

TEST_CASE("no path can end a line or forge a member") {
    const LogFolder folder;
    const std::string path = "/a\"b\\c\nd\x01\xff\xc3\xa4";
    {
        auto log = open_log(folder.file());
        AccessEntry entry = some_entry();
        entry.path = path;
        entry.method = "GE\"T";
        log->add_lane().add(entry);
    }
    const auto lines = lines_of(folder.file());
    REQUIRE(lines.size() == 1);
    CHECK(lines.front()["path"] == "/a\"b\\c\nd\x01\xef\xbf\xbd\xc3\xa4");
    CHECK(lines.front()["method"] == "GE\"T");
}

TEST_CASE("when the buffer is full, lines are dropped, counted, and their number is in the log") {
    const LogFolder folder;
    std::uint64_t written = 0;
    std::uint64_t dropped = 0;
    constexpr std::uint64_t kLines = 100'000;
    {
        auto log = open_log(folder.file(), 8192);
        AccessLane& lane = log->add_lane();
        for (std::uint64_t i = 0; i < kLines; ++i)
            lane.add(some_entry());
        dropped = log->dropped();
    }
    std::uint64_t noted = 0;
    for (const json& line : lines_of(folder.file())) {
        if (line.contains("dropped")) {
            noted += line["dropped"].get<std::uint64_t>();
        } else {
            ++written;
        }
    }
    CHECK(dropped > 0);
    CHECK(noted == dropped);
    CHECK(written + dropped == kLines);
}

TEST_CASE("a file that was moved away is opened anew") {
    const LogFolder folder;
    auto log = open_log(folder.file());
    AccessLane& lane = log->add_lane();
    lane.add(some_entry());
    CHECK(wait_for_lines(folder.file(), 1).size() == 1);
    const fs::path old = folder.file().string() + ".1";
    fs::rename(folder.file(), old);
    AccessEntry second = some_entry();
    second.path = "/second";
    // What was taken before the move is noticed may still go to the old file.
    for (int tries = 0; tries < 100 && !fs::exists(folder.file()); ++tries)
        ::usleep(50'000);
    lane.add(second);
    const auto fresh = wait_for_lines(folder.file(), 1);
    REQUIRE(fresh.size() == 1);
    CHECK(fresh.front()["path"] == "/second");
    CHECK(lines_of(old).size() == 1);
}

TEST_CASE("several threads lose and mix up nothing") {
    const LogFolder folder;
    constexpr int kThreads = 3;
    constexpr int kLines = 2000;
    {
        auto log = open_log(folder.file());
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&lane = log->add_lane()] {
                for (int line = 0; line < kLines; ++line)
                    lane.add(some_entry());
            });
        }
        for (std::thread& thread : threads)
            thread.join();
    }
    CHECK(lines_of(folder.file()).size() == kThreads * kLines);
}

TEST_CASE("a log that cannot be opened stops the start") {
    const auto log = AccessLog::open({"/no/such/folder/access.log", 4096});
    REQUIRE(log.has_error());
    CHECK(log.error().code == "http.access_log_unusable");
}

TEST_CASE("replies of every kind are logged with their size on the wire") {
    const LogFolder folder;
    auto log = open_log(folder.file());
    ServerOptions options;
    options.access_log = log.get();
    options.trusted_proxies = {"127.0.0.1"};
    struct Asked {
        std::string method, path;
        int status = 0;
        std::size_t body = 0;
    };
    std::vector<Asked> asked;
    {
        TestServer server(options);
        TestClient client(server.port());
        for (const auto* path : {"/fixed?access_token=secret", "/text-large", "/stream", "/echo"}) {
            const auto reply =
                client.ask(request_to("GET", path, "", "X-Forwarded-For: 198.51.100.7\r\n"));
            REQUIRE(reply);
            asked.push_back({"GET", path, reply->status, reply->body.size()});
        }
        REQUIRE(client.send("BROKEN\r\n\r\n"));
        const auto broken = client.receive();
        REQUIRE(broken);
        asked.push_back({"", "", broken->status, broken->body.size()});
    }
    const auto lines = wait_for_lines(folder.file(), asked.size());
    REQUIRE(lines.size() == asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
        INFO(lines[i].dump());
        const auto path = asked[i].path.substr(0, asked[i].path.find('?'));
        CHECK(lines[i]["method"] == asked[i].method);
        CHECK(lines[i]["path"] == path);
        CHECK(lines[i]["status"] == asked[i].status);
        CHECK(lines[i]["bytes"].get<std::size_t>() > asked[i].body);
        CHECK(lines[i]["bytes"].get<std::size_t>() < asked[i].body + asked[i].body / 50 + 600);
        CHECK(lines[i]["remote"] == (i + 1 < asked.size() ? "198.51.100.7" : "127.0.0.1"));
        CHECK_FALSE(lines[i].contains("aborted"));
    }
}

TEST_CASE("a caller who leaves before the end is logged as one who did") {
    const LogFolder folder;
    auto log = open_log(folder.file());
    ServerOptions options;
    options.access_log = log.get();
    TestServer server(options);
    {
        TestClient client(server.port());
        REQUIRE(client.send(request_to("GET", "/endless")));
    }
    server.handler().wait_until_source_gone();
    const auto lines = wait_for_lines(folder.file(), 1);
    REQUIRE(lines.size() == 1);
    CHECK(lines.front()["path"] == "/endless");
    CHECK(lines.front()["aborted"] == true);
}

}  // namespace stele::kernel::http

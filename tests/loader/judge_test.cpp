#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <random>

#include <stele/sdk/plugin.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "loader_fixture.hpp"

namespace stele::loader_test {

using kernel::plugin::judge;
using kernel::plugin::scan;

TEST_CASE("a sound plugin is judged without being opened") {
    const auto judged = judge(sound());
    REQUIRE(judged.has_value());
    CHECK(judged->file == sound());
    CHECK(judged->id == "note");
    CHECK(judged->version == "1.0.0");
    CHECK(judged->status == "draft");
    CHECK(judged->requirements.empty());
}

TEST_CASE("each broken manifest is refused with file, found and wanted") {
    struct Row {
        std::string failure;
        std::string code;
        std::vector<std::string> words;
    };
    const std::string wanted_sdk = std::to_string(sdk::kSdkMajor) + ".0";
    const auto row = GENERATE_COPY(values<Row>({
        {"no_manifest", "plugin.manifest_missing", {"stele_plugin", "wanted"}},
        {"wrong_magic", "plugin.manifest_malformed", {"magic"}},
        {"wrong_sdk_version", "plugin.sdk_mismatch", {"found a plugin for SDK 2.0", wanted_sdk}},
        {"wrong_fingerprint",
         "plugin.build_mismatch",
         {"found build '?", "wanted '" + std::string(sdk::kFingerprint) + "'"}},
        {"id_mismatch", "plugin.id_mismatch", {"found plugin id another_id", "wanted id_mismatch"}},
        {"endless_text", "plugin.manifest_malformed", {"has no end"}},
    }));
    CAPTURE(row.failure);
    const auto judged = judge(broken(row.failure));
    REQUIRE_FALSE(judged.has_value());
    CHECK(judged.error().code == row.code);
    CHECK(judged.error().kind == sdk::ErrorKind::invalid);
    CHECK_THAT(judged.error().message, Catch::StartsWith(broken(row.failure).string() + ": "));
    for (const std::string& word : row.words) {
        CHECK_THAT(judged.error().message, Catch::Contains(word));
    }
}

TEST_CASE("requirements are read from the manifest") {
    const auto judged = judge(broken("missing_requirement"));
    REQUIRE(judged.has_value());
    CHECK(judged->requirements == std::vector<std::string>{"nowhere"});
}

TEST_CASE("a file that is no library is refused") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "text.so";

    SECTION("absent") {
        const auto judged = judge(file);
        REQUIRE_FALSE(judged.has_value());
        CHECK(judged.error().code == "plugin.file_unreadable");
    }
    SECTION("empty") {
        write_bytes(file, "");
        CHECK(judge(file).error().code == "plugin.manifest_missing");
    }
    SECTION("text") {
        write_bytes(file, std::string(4096, 'x'));
        CHECK(judge(file).error().code == "plugin.manifest_missing");
    }
    SECTION("a folder") {
        std::filesystem::create_directory(file);
        CHECK(judge(file).error().code == "plugin.manifest_missing");
    }
    SECTION("a library for another machine") {
        std::string bytes = read_bytes(sound());
        bytes[18] = 8;  // e_machine: MIPS
        bytes[19] = 0;
        write_bytes(file, bytes);
        CHECK(judge(file).error().code == "plugin.build_mismatch");
    }
}

TEST_CASE("a library that is cut off anywhere is refused or judged, never followed outside") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "note.so";
    const std::string bytes = read_bytes(sound());
    REQUIRE(bytes.size() > 1000);
    for (std::size_t i = 0; i < 200; ++i) {
        write_bytes(file, bytes.substr(0, bytes.size() * i / 200));
        const auto judged = judge(file);
        if (i < 10) CHECK_FALSE(judged.has_value());
    }
}

TEST_CASE("a library with damaged bytes is refused or judged, never followed outside") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "note.so";
    const std::string bytes = read_bytes(sound());
    std::mt19937 random(20240229);
    // The headers, the dynamic section's tables at the front, and the tables behind the code.
    std::uniform_int_distribution<std::size_t> front(0,
                                                     std::min<std::size_t>(8192, bytes.size()) - 1);
    std::uniform_int_distribution<std::size_t> anywhere(0, bytes.size() - 1);
    std::uniform_int_distribution<int> byte(0, 255);
    for (int round = 0; round < 400; ++round) {
        std::string damaged = bytes;
        for (int i = 0; i < 8; ++i) {
            const std::size_t place = i % 2 == 0 ? front(random) : anywhere(random);
            damaged[place] = static_cast<char>(byte(random));
        }
        write_bytes(file, damaged);
        const auto judged = judge(file);
        if (judged) CHECK(judged->id == "note");
    }
}

TEST_CASE("numbers at their limits in the headers are refused") {
    const TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "note.so";
    const std::string bytes = read_bytes(sound());
    // Every aligned word of the ELF header and the first program headers.
    for (std::size_t place = 16; place < 64 + 56 * 8; place += 8) {
        std::string damaged = bytes;
        std::memset(damaged.data() + place, 0xff, 8);
        write_bytes(file, damaged);
        const auto judged = judge(file);
        if (judged) CHECK(judged->id == "note");
    }
}

TEST_CASE("scanning sorts what it found and runs none of its code") {
    const WitnessWatch watch;
    const std::filesystem::path root(STELE_BROKEN_PLUGINS);
    const auto scanned = scan({root / "throws_in_open", root / "requirement_cycle",
                               root / "wrong_fingerprint", root / "incomplete_descriptor"});
    REQUIRE(scanned.plugins.size() == 4);
    CHECK(scanned.plugins[0].id == "egg");
    CHECK(scanned.plugins[1].id == "hen");
    CHECK(scanned.plugins[2].id == "incomplete_descriptor");
    CHECK(scanned.plugins[3].id == "throws_in_open");
    REQUIRE(scanned.refused.size() == 1);
    CHECK(scanned.refused[0].code == "plugin.build_mismatch");
    REQUIRE(scanned.refused_files.size() == 1);
    CHECK(scanned.refused_files[0] == broken("wrong_fingerprint"));
    CHECK_FALSE(watch.has_run());
}

TEST_CASE("a folder that is not there is reported") {
    const auto scanned = scan({"/nonexistent/plugins"});
    CHECK(scanned.plugins.empty());
    REQUIRE(scanned.refused.size() == 1);
    CHECK(scanned.refused[0].code == "plugin.folder_unreadable");
    CHECK_THAT(scanned.refused[0].message, Catch::StartsWith("/nonexistent/plugins: "));
}

TEST_CASE("a file without the ending of a library is no plugin") {
    const TemporaryFolder folder;
    write_bytes(folder.path() / "README.md", "read me");
    const auto scanned = scan({folder.path()});
    CHECK(scanned.plugins.empty());
    CHECK(scanned.refused.empty());
}

}  // namespace stele::loader_test

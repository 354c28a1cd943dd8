#include "stored_record.hpp"

#include <catch2/catch.hpp>

#include <stele/sdk/record_space.hpp>

namespace stele::nodes {

namespace {

/// A record of the storage format, version 1, with sealed bytes behind the text.
std::string stored(std::string_view text) {
    std::string bytes("\1\0\0\0\0\0\0\0\1\0\0\0", 12);
    bytes.push_back(static_cast<char>(text.size()));
    return bytes.append(text).append("sealed");
}

std::string completed(std::string_view text, Revision revision) {
    std::string bytes = stored(text);
    REQUIRE(complete_record(bytes, revision));
    REQUIRE(bytes.ends_with("sealed"));
    const auto record = sdk::StoredRecord::read(bytes);
    REQUIRE(record.has_value());
    CHECK(record->version == revision);
    return std::string(record->text);
}

}  // namespace

TEST_CASE("a record that gets its version keeps its format") {
    for (const char format : {'\1', '\3'}) {
        std::string bytes = stored(R"({"_system":{"changeset":"0123456789abcdef0123"}})");
        bytes.front() = format;
        REQUIRE(complete_record(bytes, 42));
        CHECK(bytes.front() == format);
    }
}

TEST_CASE("a packed record that gets its version is not packed any more") {
    const std::string system = R"({"_system":{"created_by":"admin","changeset":")";
    std::string plain = stored(system + R"(0123456789abcdef0123"}})");
    plain.front() = '\3';
    std::string bytes = sdk::StoredRecord::packed(plain);
    REQUIRE(bytes != plain);
    REQUIRE(complete_record(bytes, 42));
    CHECK(bytes.front() == '\3');
    CHECK(sdk::StoredRecord::read(bytes)->text == system + R"(41:0123456789abcdef0123"}})");
}

TEST_CASE("a record gets the number of its changeset at the end of its text") {
    const std::string bare = R"({"a":1,"_system":{"changeset":"0123456789abcdef0123"}})";
    CHECK(completed(bare, 42) == R"({"a":1,"_system":{"changeset":"41:0123456789abcdef0123"}})");
    CHECK(completed(bare, 2) == R"({"a":1,"_system":{"changeset":"1:0123456789abcdef0123"}})");
    CHECK(completed(bare, 1) == R"({"a":1,"_system":{"changeset":"0:root"}})");
}

TEST_CASE("a record that does not end so only gets its version") {
    for (const char* text :
         {"", "{}", R"({"_system":{"changeset":"0123456789abcdef012"}})",
          R"({"_system":{"changeset":"0123456789abcdef01234"}})",
          R"({"_system":{"changeset":"0123456789ABCDEF0123"}})",
          R"({"_system":{"changeset":"0123456789abcdef0123","b":1}})",
          R"({"_system":{"changesets":"0123456789abcdef0123"}})", R"(0123456789abcdef0123"}})"}) {
        CHECK(completed(text, 7) == text);
    }
}

TEST_CASE("bytes that are no record are not completed") {
    std::string bytes = "no record";
    CHECK_FALSE(complete_record(bytes, 7));
    CHECK(bytes == "no record");
}

}  // namespace stele::nodes

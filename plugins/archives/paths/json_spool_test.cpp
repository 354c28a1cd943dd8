// JSON that comes element by element.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "paths/json_spool.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::archives {

namespace {

std::string text_of_spool(JsonSpool& spool) {
    const sdk::PieceSource read = spool.read();
    std::string text, piece;
    do {
        REQUIRE(read(piece).has_value());
        text += piece;
    } while (!piece.empty());
    return text;
}

}  // namespace

TEST_CASE("a spool without elements is an empty array or object") {
    JsonSpool array("/nowhere", JsonSpool::Kind::array);
    CHECK(text_of_spool(array) == "[]\n");
    JsonSpool object("/nowhere", JsonSpool::Kind::object);
    CHECK(text_of_spool(object) == "{}\n");
}

TEST_CASE("a spool tells its elements in their order, as people read them") {
    const testing::TemporaryFolder folder;
    JsonSpool array(folder.path(), JsonSpool::Kind::array);
    for (const char* element : {"\"b\"", "\"a\"", "1"})
        REQUIRE(array.add(element).has_value());
    CHECK(text_of_spool(array) == sdk::Json({"b", "a", 1}).dump(2) + '\n');
    JsonSpool object(folder.path(), JsonSpool::Kind::object);
    for (int i = 0; i < 20'000; ++i)
        REQUIRE(object.add("\"k" + std::to_string(i) + "\":" + std::to_string(i)).has_value());
    const auto parsed = sdk::parse_json(text_of_spool(object));
    REQUIRE(parsed.has_value());
    CHECK(parsed->size() == 20'000);
    CHECK(parsed->at("k12345") == 12345);
}

TEST_CASE("a spool that cannot be kept says so") {
    JsonSpool spool("/nowhere/at/all", JsonSpool::Kind::array);
    const auto added = spool.add("1");
    REQUIRE_FALSE(added.has_value());
    CHECK(added.error().code == "zip.disk_failed");
}

}  // namespace stele::archives

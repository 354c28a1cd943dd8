#include "archive/readable_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

/// An array of numbers inside of so many others.
sdk::Json deep(std::size_t numbers, std::size_t depth) {
    sdk::Json value = sdk::Json::array();
    for (std::size_t i = 0; i < numbers; ++i)
        value.push_back(1);
    for (std::size_t i = 0; i < depth; ++i)
        value = sdk::Json::array({std::move(value)});
    return value;
}

}  // namespace

TEST_CASE("what people read has a line for each value") {
    CHECK(readable_text({{"title", "plum"}, {"tags", {"a"}}}) ==
          "{\n  \"title\": \"plum\",\n  \"tags\": [\n    \"a\"\n  ]\n}\n");
}

TEST_CASE("lines of their own never make a text longer by much more than a MiB") {
    for (const std::size_t depth : {0, 20, 90}) {
        for (const std::size_t numbers : {10, 5'000, 300'000}) {
            const sdk::Json content = deep(numbers, depth);
            const std::string text = readable_text(content);
            INFO(depth << " " << numbers);
            CHECK(text.size() < sdk::dump_json(content).size() + (std::size_t{1} << 20) + 10'000);
            CHECK(sdk::parse_json(text, {.depth = 200}).value() == content);
        }
    }
}

}  // namespace stele::archives

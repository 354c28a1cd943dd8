#include "content/statistics_memory.hpp"

#include <catch2/catch.hpp>

namespace stele::nodes {

TEST_CASE("statistics are remembered for one revision of a repository") {
    StatisticsMemory memory;
    CHECK(memory.find("node", 7) == std::nullopt);
    memory.keep("node", 7, "{}");
    CHECK(memory.find("node", 7) == "{}");
    CHECK(memory.find("node", 8) == std::nullopt);
    CHECK(memory.find("other", 7) == std::nullopt);

    memory.keep("node", 8, R"({"a:child":1})");
    CHECK(memory.find("node", 8) == R"({"a:child":1})");
    memory.keep("node", 7, "{}");
    CHECK(memory.find("node", 8) == R"({"a:child":1})");
}

TEST_CASE("what was not asked for lately is forgotten") {
    StatisticsMemory memory(4);
    const auto add = [&](const std::string& key) { memory.keep(key, 1, key); };
    add("kept");
    add("forgotten");
    CHECK(memory.find("kept", 1) == "kept");
    add("third");
    add("fourth");
    CHECK(memory.find("forgotten", 1) == std::nullopt);
    CHECK(memory.find("kept", 1) == "kept");
    CHECK(memory.find("fourth", 1) == "fourth");
}

}  // namespace stele::nodes

#include "version/tip_memory.hpp"

#include <catch2/catch.hpp>

namespace stele::nodes {

namespace {

using Texts = TipMemory<std::string>;

void keep(Texts& memory, const std::string& key, Revision newest, const std::string& text) {
    memory.keep(key, newest, std::make_shared<const std::string>(text), text.size());
}

std::string find(Texts& memory, const std::string& key, Revision newest) {
    const auto found = memory.find(key, newest);
    return found ? *found : "nothing";
}

}  // namespace

TEST_CASE("what is remembered holds for one revision of a repository") {
    Texts memory(1000);
    CHECK(find(memory, "node", 7) == "nothing");
    keep(memory, "node", 7, "{}");
    CHECK(find(memory, "node", 7) == "{}");
    CHECK(find(memory, "node", 8) == "nothing");
    CHECK(find(memory, "other", 7) == "nothing");

    keep(memory, "node", 8, R"({"a:child":1})");
    CHECK(find(memory, "node", 8) == R"({"a:child":1})");
    keep(memory, "node", 7, "{}");
    CHECK(find(memory, "node", 8) == R"({"a:child":1})");
}

TEST_CASE("what was not asked for lately is forgotten") {
    Texts memory(4000);
    const auto add = [&](const std::string& key) {
        keep(memory, key, 1, key + std::string(900, '.'));
    };
    const auto knows = [&](const std::string& key) { return memory.find(key, 1) != nullptr; };
    add("kept");
    add("forgotten");
    add("third");
    CHECK(knows("kept"));
    add("fourth");
    add("fifth");
    CHECK_FALSE(knows("forgotten"));
    CHECK(knows("kept"));
    CHECK(knows("fifth"));
}

TEST_CASE("a value that replaces another does not count twice") {
    Texts memory(10'000);
    keep(memory, "two", 1, "2");
    for (Revision newest = 1; newest <= 100; ++newest)
        keep(memory, "one", newest, std::string(500, '.'));
    CHECK(find(memory, "one", 100) == std::string(500, '.'));
    CHECK(find(memory, "two", 1) == "2");
}

}  // namespace stele::nodes

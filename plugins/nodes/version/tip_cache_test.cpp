#include "version/tip_cache.hpp"

#include <catch2/catch.hpp>

namespace stele::nodes {

namespace {

using Texts = TipCache<std::string>;

void keep(Texts& cache, const std::string& key, Revision newest, const std::string& text) {
    cache.keep(key, newest, std::make_shared<const std::string>(text), text.size());
}

std::string find(Texts& cache, const std::string& key, Revision newest) {
    const auto found = cache.find(key, newest);
    return found ? *found : "nothing";
}

}  // namespace

TEST_CASE("what is remembered holds for one revision of a repository") {
    Texts cache(1000);
    CHECK(find(cache, "node", 7) == "nothing");
    keep(cache, "node", 7, "{}");
    CHECK(find(cache, "node", 7) == "{}");
    CHECK(find(cache, "node", 8) == "nothing");
    CHECK(find(cache, "other", 7) == "nothing");

    keep(cache, "node", 8, R"({"a:child":1})");
    CHECK(find(cache, "node", 8) == R"({"a:child":1})");
    keep(cache, "node", 7, "{}");
    CHECK(find(cache, "node", 8) == R"({"a:child":1})");
}

TEST_CASE("what was not asked for lately is forgotten") {
    Texts cache(4000);
    const auto add = [&](const std::string& key) {
        keep(cache, key, 1, key + std::string(900, '.'));
    };
    const auto knows = [&](const std::string& key) { return cache.find(key, 1) != nullptr; };
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
    Texts cache(10'000);
    keep(cache, "two", 1, "2");
    for (Revision newest = 1; newest <= 100; ++newest)
        keep(cache, "one", newest, std::string(500, '.'));
    CHECK(find(cache, "one", 100) == std::string(500, '.'));
    CHECK(find(cache, "two", 1) == "2");
}

}  // namespace stele::nodes

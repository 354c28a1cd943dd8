#include "kernel/storage/engine/keys.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

using namespace stele::kernel::storage;

TEST_CASE("sequences grow strictly, on several threads, too") {
    constexpr int kEach = 20'000;
    std::vector<std::vector<Sequence>> found(4);
    std::vector<std::thread> threads;
    for (auto& own : found) {
        threads.emplace_back([&own] {
            for (int i = 0; i < kEach; ++i)
                own.push_back(next_sequence());
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    std::set<Sequence> all;
    for (const auto& own : found) {
        CHECK(std::adjacent_find(own.begin(), own.end(), std::greater_equal<>()) == own.end());
        all.insert(own.begin(), own.end());
    }
    CHECK(all.size() == 4 * kEach);
    CHECK(all.begin()->size() == kSequenceSize);
}

TEST_CASE("a sequence is written as twenty hexadecimal digits and read back") {
    const Sequence sequence("\x01\x8f\xa0\x00\xff\x7f\x10\x02\x03\x04", kSequenceSize);
    CHECK(sequence_text(sequence) == "018fa000ff7f10020304");
    Sequence parsed;
    REQUIRE(parse_sequence("018fa000ff7f10020304", parsed));
    CHECK(parsed == sequence);
    for (const char* text : {"", "018fa000ff7f1002030", "018fa000ff7f1002030405",
                             "018FA000ff7f10020304", "018fa000ff7f1002030g", "root"})
        CHECK_FALSE(parse_sequence(text, parsed));
    CHECK(parsed == sequence);
}

TEST_CASE("a record key is split into what it was made of") {
    const Sequence made = next_sequence();
    const std::string key = record_key({7, 300}, made);
    CollectionId collection;
    std::string_view sequence;
    REQUIRE(split_record_key(key, collection, sequence));
    CHECK(collection == CollectionId{7, 300});
    CHECK(sequence == made);
    CHECK(key.rfind(record_key_prefix({7, 300}), 0) == 0);
    CHECK_FALSE(split_record_key(key.substr(0, key.size() - 1), collection, sequence));
    CHECK_FALSE(split_record_key(key + "x", collection, sequence));
    CHECK_FALSE(split_record_key("", collection, sequence));
}

TEST_CASE("records lie under their collection, in the order of their sequences") {
    const Sequence first = next_sequence();
    const Sequence second = next_sequence();
    const CollectionId collection{1, 2};
    CHECK(record_path(collection, first) < record_path(collection, second));
    CHECK(record_path(collection, first) == collection_prefix(collection, 'd') + first);
    CHECK(collection_prefix(collection, 'd').rfind(kind_prefix(1, 'd'), 0) == 0);
    CHECK(collection_prefix({1, 255}, 'd') < collection_prefix({1, 256}, 'd'));
}

TEST_CASE("key spaces and names do not run into one another") {
    CHECK(plugin_space(1, "ab").rfind(plugin_space(1, "a"), 0) != 0);
    CHECK(plugin_space(1, "a") != plugin_space(2, "a"));
    CHECK(name_path("a.b").rfind(name_path("a"), 0) != 0);
    CHECK(last_name_path().rfind(kind_prefix(0, 'n'), 0) != 0);
}

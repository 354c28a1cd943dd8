#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "preview_cache.hpp"
#include "sdk/testing/temporary_folder.hpp"

using namespace stele;
using namespace stele::node_previews;

namespace {

namespace fs = std::filesystem;

struct Fixture {
    explicit Fixture(CacheBounds bounds) : cache(temporary.path() / "previews", bounds) {
        REQUIRE(cache.prepare());
    }
    fs::path file(const std::string& key) const { return temporary.path() / "previews" / key; }
    void make_older(const std::string& key, std::chrono::seconds age) const {
        fs::last_write_time(file(key), fs::file_time_type::clock::now() - age);
    }

    testing::TemporaryFolder temporary;
    PreviewCache cache;
};

Preview picture(std::size_t size) {
    return {PreviewState::ready, std::string(size, 'p')};
}

}  // namespace

TEST_CASE("a kept preview is found again, by itself and by another server") {
    Fixture fixture({.bytes = 10'000, .files = 10});
    CHECK(fixture.cache.find("a.jpg") == nullptr);
    fixture.cache.keep("a.jpg", picture(300));
    fixture.cache.keep("b.jpg", {PreviewState::too_large, ""});
    PreviewCache other(fixture.temporary.path() / "previews", {.bytes = 10'000, .files = 10});
    for (PreviewCache* cache : {&fixture.cache, &other}) {
        auto found = cache->find("a.jpg");
        REQUIRE(found);
        CHECK(found->state == PreviewState::ready);
        CHECK(found->bytes == std::string(300, 'p'));
        REQUIRE(cache->find("b.jpg"));
        CHECK(cache->find("b.jpg")->state == PreviewState::too_large);
    }
}

TEST_CASE("the folder stays within its bytes, and what was used last stays") {
    Fixture fixture({.bytes = 1'000, .files = 100});
    fixture.cache.keep("first", picture(400));
    fixture.cache.keep("second", picture(400));
    fixture.make_older("first", std::chrono::hours(2));
    fixture.make_older("second", std::chrono::hours(1));
    REQUIRE(fixture.cache.find("first"));
    fixture.cache.keep("third", picture(400));
    CHECK(fixture.cache.find("first"));
    CHECK_FALSE(fixture.cache.find("second"));
    CHECK(fixture.cache.find("third"));
    std::uintmax_t bytes = 0;
    for (const auto& file : fs::directory_iterator(fixture.temporary.path() / "previews"))
        bytes += file.file_size();
    CHECK(bytes <= 1'000);
}

TEST_CASE("the folder stays within its number of files") {
    Fixture fixture({.bytes = 100'000, .files = 3});
    for (int i = 0; i < 6; ++i)
        fixture.cache.keep(std::to_string(i), picture(1));
    const auto files = fs::directory_iterator(fixture.temporary.path() / "previews");
    CHECK(std::distance(begin(files), end(files)) == 3);
}

TEST_CASE("a refusal is forgotten after a while, a picture is not") {
    Fixture fixture({.bytes = 10'000, .files = 10});
    fixture.cache.keep("refused", {PreviewState::exhausted, ""});
    fixture.cache.keep("picture", picture(10));
    CHECK(fixture.cache.find("refused"));
    fixture.make_older("refused", std::chrono::minutes(11));
    fixture.make_older("picture", std::chrono::hours(24 * 365));
    CHECK_FALSE(fixture.cache.find("refused"));
    CHECK(fixture.cache.find("picture"));
}

TEST_CASE("a file that a crash cut short is no preview") {
    Fixture fixture({.bytes = 10'000, .files = 10});
    fixture.cache.keep("a", picture(300));
    for (const std::uintmax_t size : {316, 17, 5, 0}) {
        fs::resize_file(fixture.file("a"), size);
        CHECK_FALSE(fixture.cache.find("a"));
    }
    std::ofstream(fixture.file("b")) << "something else that lies here";
    CHECK_FALSE(fixture.cache.find("b"));
}

TEST_CASE("a folder that others may enter is refused") {
    testing::TemporaryFolder temporary;
    const fs::path folder = temporary.path() / "previews";
    PreviewCache cache(folder, {.bytes = 10, .files = 1});
    REQUIRE(cache.prepare());
    CHECK(cache.prepare());
    ::chmod(folder.c_str(), 0755);
    REQUIRE_FALSE(cache.prepare());
    CHECK(cache.prepare().error().code == "node_previews.folder_unusable");
    fs::remove(folder);
    fs::create_directory_symlink(temporary.path(), folder);
    CHECK_FALSE(cache.prepare());
}

TEST_CASE("a nameless file leaves nothing in the folder") {
    Fixture fixture({.bytes = 10, .files = 1});
    auto file = fixture.cache.open_nameless();
    REQUIRE(file.has_value());
    REQUIRE(write_file(*file, "twelve bytes"));
    CHECK(read_file(*file, 100).value() == "twelve bytes");
    CHECK(fs::is_empty(fixture.temporary.path() / "previews"));
}

// Tables of texts that are larger than what they may have in memory.
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/text_lists.hpp>
#include <stele/sdk/text_table.hpp>

#include "sdk/testing/temporary_folder.hpp"

namespace stele::sdk {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

Rows rows_of(const TextTable& table) {
    Rows rows;
    auto walked = table.for_each([&rows](std::string_view key, std::string_view value) {
        rows.emplace_back(key, value);
        return Result<void>();
    });
    REQUIRE(walked.has_value());
    return rows;
}

/// What a table has to say, by the same calls.
class Model {
public:
    explicit Model(TextTable& table) : table_(table) {}

    void put(const std::string& key, const std::string& value) {
        REQUIRE(table_.put(key, value).has_value());
        expected_[key] = value;
    }
    void erase(const std::string& key) {
        REQUIRE(table_.erase(key).has_value());
        expected_.erase(key);
    }
    void check(const std::string& key) const {
        const auto found = table_.find(key);
        REQUIRE(found.has_value());
        const auto known = expected_.find(key);
        REQUIRE(found->has_value() == (known != expected_.end()));
        if (*found) REQUIRE(**found == known->second);
        const auto is_there = table_.contains(key);
        REQUIRE(is_there.has_value());
        REQUIRE(*is_there == found->has_value());
    }
    void check_all() const {
        REQUIRE(table_.size() == expected_.size());
        const Rows rows = rows_of(table_);
        REQUIRE(std::map<std::string, std::string>(rows.begin(), rows.end()) == expected_);
        REQUIRE(rows.size() == expected_.size());
    }

private:
    TextTable& table_;
    std::map<std::string, std::string> expected_;
};

}  // namespace

TEST_CASE("a table answers what was put last, on disk and in memory") {
    const stele::testing::TemporaryFolder folder;
    for (const bool is_on_disk : {true, false}) {
        CAPTURE(is_on_disk);
        TextTable table(is_on_disk ? folder.path() : std::filesystem::path());
        Model model(table);
        std::mt19937 random(7);
        // Beyond the memory of a table: some 65,000 rows of its index, 256 KiB of its records.
        for (int i = 0; i < 200'000; ++i) {
            const std::string key = "key " + std::to_string(random() % 150'000);
            const auto what = random() % 10;
            if (what == 0) model.erase(key);
            if (what > 1) model.put(key, std::string(random() % 40, static_cast<char>('a' + what)));
            model.check(key);
        }
        model.check_all();
        for (int i = 0; i < 2000; ++i)
            model.check("key " + std::to_string(i));
    }
}

TEST_CASE("texts of a table have any bytes, and any length") {
    const stele::testing::TemporaryFolder folder;
    TextTable table(folder.path());
    Model model(table);
    const std::string zeros(3, '\0');
    model.put("", "empty");
    model.put(zeros, std::string(1'000'000, 'x'));
    model.put(zeros + '\0', "");
    model.put(std::string(10'000, 'k'), zeros);
    model.check_all();
    model.check("");
    model.check(zeros);
    model.check(std::string(9'999, 'k'));
}

TEST_CASE("a walk tells keys as they came, and what it adds") {
    TextTable table;
    for (const char* key : {"c", "a", "b"})
        REQUIRE(table.put(key, "1").has_value());
    REQUIRE(table.put("a", "2").has_value());
    REQUIRE(table.put("c", "longer").has_value());
    REQUIRE(table.erase("none").has_value());
    CHECK(rows_of(table) == Rows{{"a", "2"}, {"b", "1"}, {"c", "longer"}});
    std::string met;
    auto walked = table.for_each([&](std::string_view key, std::string_view) -> Result<void> {
        met += key;
        if (met.size() > 5) return {};
        return table.put("d" + met, "");
    });
    REQUIRE(walked.has_value());
    CHECK(met == "abcdadabdabcdabcda");
}

TEST_CASE("a walk ends with the first failure") {
    TextTable table;
    REQUIRE(table.put("a", "1").has_value());
    REQUIRE(table.put("b", "2").has_value());
    int visits = 0;
    auto walked = table.for_each([&visits](std::string_view, std::string_view) -> Result<void> {
        ++visits;
        return make_error(ErrorKind::conflict, "test.stopped", "stopped");
    });
    REQUIRE_FALSE(walked.has_value());
    CHECK(walked.error().code == "test.stopped");
    CHECK(visits == 1);
}

TEST_CASE("a table leaves nothing in its folder, and says where it cannot be kept") {
    const stele::testing::TemporaryFolder folder;
    {
        TextTable table(folder.path());
        for (int i = 0; i < 20'000; ++i)
            REQUIRE(table.put(std::to_string(i), std::string(100, 'v')).has_value());
        CHECK(std::filesystem::is_empty(folder.path()));
    }
    TextTable lost(folder.path() / "away");
    Result<void> put;
    for (int i = 0; put && i < 20'000; ++i)
        put = lost.put(std::to_string(i), std::string(100, 'v'));
    REQUIRE_FALSE(put.has_value());
    CHECK(put.error().code == "zip.disk_failed");
}

TEST_CASE("lists keep what came to a key in its order, until a visit ends") {
    TextLists lists;
    const auto told = [&lists](std::string_view key, std::size_t most = 9) {
        std::string all;
        auto walked = lists.for_each(key, [&](std::string_view text) {
            all.append(text).push_back(' ');
            return Result<bool>(--most > 0);
        });
        REQUIRE(walked.has_value());
        return all;
    };
    CHECK(lists.count("a").value() == 0);
    CHECK(told("a").empty());
    for (const char* text : {"b", "a", "b", ""})
        REQUIRE(lists.add("a", text).has_value());
    REQUIRE(lists.add("", "c").has_value());
    CHECK(lists.count("a").value() == 4);
    CHECK(told("a") == "b a b  ");
    CHECK(told("a", 2) == "b a ");
    CHECK(told("") == "c ");
    CHECK(told("b").empty());
}

}  // namespace stele::sdk

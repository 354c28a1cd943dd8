// What an import remembers of items and links, and an export of ids.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "sdk/testing/temporary_folder.hpp"
#include "transfer/planned_items.hpp"
#include "transfer/selected_ids.hpp"

namespace stele::nodes {

namespace {

using Targets = std::vector<std::string>;

Targets targets_below(const PlannedLinks& links, const std::string& item, std::string_view type) {
    Targets targets;
    auto walked =
        links.for_each_below(item, type, [&](const PlannedLink& link) -> sdk::Result<bool> {
            targets.push_back(link.target);
            return true;
        });
    REQUIRE(walked.has_value());
    return targets;
}

std::string numbered_id(std::uint64_t number) {
    std::string bytes(kIdBytes, '\0');
    for (std::size_t i = kIdBytes; i-- > 0; number /= 256)
        bytes[i] = static_cast<char>(number % 256);
    return id_text(bytes);
}

}  // namespace

TEST_CASE("of an item all is remembered, and the last that was said of it") {
    PlannedItems items({});
    REQUIRE(items.put("a", {.kind = ItemKind::association, .position = 5'000'000'000}).has_value());
    REQUIRE(
        items.put("b", {.kind = ItemKind::definition, .comes = false, .match = "x"}).has_value());
    REQUIRE(items.put("c", {.is_fixed = true}).has_value());
    REQUIRE(items.put("d", {.is_users = true}).has_value());
    REQUIRE(items.put("e", {.is_tag = true}).has_value());
    CHECK(items.size() == 5);
    const PlannedItem a = items.at("a").value();
    CHECK(a.kind == ItemKind::association);
    CHECK(a.position == 5'000'000'000);
    CHECK(a.comes);
    CHECK(a.match.empty());
    const PlannedItem b = items.at("b").value();
    CHECK(b.kind == ItemKind::definition);
    CHECK_FALSE(b.comes);
    CHECK(b.match == "x");
    std::map<std::string, std::string> flags;
    auto walked = items.for_each([&](const std::string& id, const PlannedItem& item) {
        flags[id] = std::string(item.is_fixed ? "f" : "") + (item.is_users ? "u" : "") +
                    (item.is_tag ? "t" : "");
        return sdk::Result<void>();
    });
    REQUIRE(walked.has_value());
    CHECK(flags == std::map<std::string, std::string>{
                       {"a", ""}, {"b", ""}, {"c", "f"}, {"d", "u"}, {"e", "t"}});
    REQUIRE(items.put("a", {.position = 1, .match = "found"}).has_value());
    CHECK(items.at("a").value().match == "found");
    CHECK(items.size() == 5);
    CHECK_FALSE(items.find("f").value().has_value());
    CHECK_THROWS(items.at("f"));
}

TEST_CASE("links are found by both ends where these come, by type, in their order") {
    const testing::TemporaryFolder folder;
    PlannedLinks links(folder.path());
    const auto put = [&](const char* id, PlannedLink link) {
        REQUIRE(links.put(id, link).has_value());
    };
    put("1", {.type = "a:child", .source = "top", .target = "b"});
    put("2", {.type = "a:child", .source = "top", .target = "a"});
    put("3", {.type = "a:owned", .source = "top", .target = "c"});
    put("4", {.type = "a:child", .source = "top", .target = "gone"});
    put("5", {.type = "a:child", .source = "top", .target = "d"});
    put("6", {"a:has_translation", "a", "b", "de", "1.0"});
    REQUIRE(links.erase("5").has_value());
    auto sorted = links.sort([](const std::string& id) { return sdk::Result<bool>(id != "gone"); });
    REQUIRE(sorted.has_value());
    CHECK(targets_below(links, "top", "a:child") == Targets{"b", "a"});
    CHECK(targets_below(links, "top", "") == Targets{"b", "a", "c"});
    CHECK(targets_below(links, "b", "").empty());
    PlannedLink translation;
    int visits = 0;
    auto walked = links.for_each_above("b", {}, [&](const PlannedLink& link) -> sdk::Result<bool> {
        ++visits;
        translation = link;
        return link.type == "a:child";
    });
    REQUIRE(walked.has_value());
    CHECK(visits == 2);
    CHECK(translation.source == "a");
    CHECK(translation.locale == "de");
    CHECK(translation.edition == "1.0");
}

TEST_CASE("ids that are selected are told in their order, those of no server last") {
    sdk::TextTable table;
    std::vector<std::string> expected;
    for (std::uint64_t i = 0; i < 1000; ++i)
        expected.push_back(numbered_id(i * 0x7654'3210'1234'5671));
    expected.push_back(numbered_id(0xAB));
    for (const std::string& id : expected)
        REQUIRE(table.put(id, {}).has_value());
    // The last in letters that ids do not have: another text, though the same bytes.
    const std::vector<std::string> others{"0000000000000000000A", "000000000000000000aB", "root"};
    for (const std::string& id : others)
        REQUIRE(table.put(id, {}).has_value());
    const auto selected = SelectedIds::of(table);
    REQUIRE(selected.has_value());
    std::sort(expected.begin(), expected.end());
    expected.insert(expected.end(), others.begin(), others.end());
    std::vector<std::string> told;
    auto walked = selected->for_each([&told](const std::string& id) {
        told.push_back(id);
        return sdk::Result<void>();
    });
    REQUIRE(walked.has_value());
    CHECK(told == expected);
    for (const std::string& id : expected)
        REQUIRE(selected->contains(id));
    for (const std::string& id : {numbered_id(0xAC), std::string("0000000000000000000B"),
                                  std::string("other"), std::string()})
        CHECK_FALSE(selected->contains(id));
}

}  // namespace stele::nodes

// How often imports and exports look at what comes and goes: that is most of what they cost.
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "tests/nodes/transfer_world.hpp"

namespace stele::tests {

namespace {

/// Counts how often each item was read.
class CountedItems final : public sdk::ContentSource {
public:
    explicit CountedItems(Items items) : items_(std::move(items)) {}

    sdk::Result<void> for_each(const Visit& visit) override {
        return for_each_wanted([](std::uint64_t) { return true; }, visit);
    }
    sdk::Result<void> for_each_wanted(const IsWanted& is_wanted, const Visit& visit) override {
        for (std::size_t i = 0; i < items_.size(); ++i) {
            if (!is_wanted(i)) continue;
            ++reads[items_[i].id];
            if (auto visited = visit(items_[i]); !visited) return visited;
        }
        return {};
    }

    std::map<std::string, int> reads;

private:
    Items items_;
};

/// The same without a walk of its own for those that are wanted.
class PlainItems final : public sdk::ContentSource {
public:
    sdk::Result<void> for_each(const Visit& visit) override {
        for (const char* id : {"zero", "one", "two", "three"}) {
            sdk::ContentItem item;
            item.id = id;
            if (auto visited = visit(item); !visited) return visited;
        }
        return {};
    }
};

Items some_of_each_kind() {
    sdk::Json names_a_later_one = {{"_doc", "early"}, {"title", "Early"}};
    names_a_later_one["_features"]["f:translation"]["master-node-id"] = "late";
    return {item_of({{"_doc", "fruit"}, {"_type", "d:type"}, {"_qname", "orc:fruit"}}),
            item_of(names_a_later_one),
            item_of({{"_doc", "late"}, {"_type", "orc:fruit"}, {"title", "Late"}}),
            item_of({{"_doc", "tag"}, {"_type", "n:tag"}, {"tag", "ripe"}}),
            association_of("link", "a:linked", "early", "late")};
}

}  // namespace

TEST_CASE("an import reads each item to plan and to write it, and what names later ones again") {
    TransferWorld world;
    CountedItems source(some_of_each_kind());
    const auto report = world.bring_in(source, {.branch = world.world.add_repository()});
    REQUIRE(report.has_value());
    CHECK(report->created == 4);
    CHECK(report->associations == 1);
    CHECK(source.reads == std::map<std::string, int>{
                              {"early", 3}, {"fruit", 2}, {"late", 2}, {"link", 2}, {"tag", 2}});
}

TEST_CASE("of several versions of an item only the last one is written") {
    TransferWorld world;
    Items items = some_of_each_kind();
    items.push_back(item_of({{"_doc", "late"}, {"_type", "orc:fruit"}, {"title", "Later"}}));
    CountedItems source(items);
    const sdk::RecordKey target = world.world.add_repository();
    const auto report = world.bring_in(source, {.branch = target});
    REQUIRE(report.has_value());
    CHECK(source.reads.at("late") == 3);
    CHECK(world.count(target, {{"title", "Late"}}) == 0);
    CHECK(world.count(target, {{"title", "Later"}}) == 1);
}

TEST_CASE("what leads to somebody's own person finds it, whichever of the two comes first") {
    for (const bool is_person_first : {true, false}) {
        CAPTURE(is_person_first);
        TransferWorld world;
        const sdk::RecordKey target = world.world.add_repository();
        sdk::Json person = {{"_doc", "person"}, {"_type", "n:person"}};
        sdk::Principal ann;
        world.change(target,
                     [&ann](const nodes::BranchContent& content) { ann = content.principal(); });
        person["principal-id"] = ann.id;
        person["principal-domain"] = ann.domain_id;
        Items items = {item_of({{"_doc", "note"}, {"title", "Note"}})};
        const auto link = association_of("link", "a:linked", "note", "person");
        items.insert(items.end(), {link, link});
        (is_person_first ? items[1] : items[2]) = item_of(person);
        CountedItems source(items);
        const auto report = world.bring_in(source, {.branch = target});
        REQUIRE(report.has_value());
        CHECK(world.targets(target, report->ids.at("note"), "a:linked") ==
              std::vector{report->ids.at("person")});
    }
}

TEST_CASE("a walk for some items gives them by their places") {
    PlainItems source;
    std::vector<std::string> met;
    const auto walked =
        source.for_each_wanted([](std::uint64_t position) { return position % 2 == 1; },
                               [&met](const sdk::ContentItem& item) {
                                   met.push_back(item.id);
                                   return sdk::Result<void>();
                               });
    REQUIRE(walked.has_value());
    CHECK(met == std::vector<std::string>{"one", "three"});
}

TEST_CASE("records leave once, as what they say of themselves and not of something in them") {
    TransferWorld world;
    const sdk::RecordKey branch = world.world.add_repository();
    const sdk::Json looks_otherwise = {{"_is_association", true}, {"_type", "d:type"}};
    const std::string one = world.make(branch, {{"title", "One"}, {"inner", looks_otherwise}});
    const std::string two = world.make(branch, {{"title", "\"_is_association\":true"}});
    const std::string type = world.make(branch, {{"_type", "d:type"}, {"_qname", "orc:fruit"}});
    const std::string link =
        world.join(branch, one, two, "a:linked", {{"inner", {{"_is_association", false}}}});
    const auto items = world.take_out({.branch = branch});
    REQUIRE(items.has_value());
    std::vector<std::string> order;
    for (const sdk::ContentItem& item : *items) {
        for (const std::string& id : {one, two, type, link})
            if (item.id == id) order.push_back(id);
    }
    REQUIRE(order.size() == 4);
    CHECK(order.front() == type);
    CHECK(order.back() == link);
}

}  // namespace stele::tests

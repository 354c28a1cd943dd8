#include "tests/documents/random_documents.hpp"

#include <nlohmann/json.hpp>

namespace stele::tests {

using sdk::Json;

namespace {

const std::string kLong(256, 'q');

/// Texts that come in another order than their values, or are not the shortest.
const std::vector<Json> kCosts = {0,    1,    9,     10,   12,     12.0,  12.25,           12.5,
                                  100,  99.5, 0.5,   0.05, 0.001,  1e-5,  999999999999999, 1e15,
                                  1e16, -1,   -12.5, -0.0, 123456, 2.0e5, 4294967296,      7};

const std::vector<std::string> kDeeds = {"created", "modified", "edited"};

}  // namespace

std::size_t RandomDocuments::below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
}

Json RandomDocuments::scalar() {
    static const std::vector<Json> kValues = {"a",
                                              "b",
                                              "ab",
                                              "abc",
                                              "",
                                              "10",
                                              "9",
                                              "B",
                                              "ä",
                                              "true",
                                              std::string("a\0b", 3),
                                              "a\x01",
                                              kLong,
                                              kLong + "a",
                                              kLong + "b",
                                              kLong.substr(1),
                                              0,
                                              1,
                                              9,
                                              10,
                                              -1,
                                              2.5,
                                              1e300,
                                              -0.0,
                                              9007199254740992,
                                              9007199254740993,
                                              -9007199254740993,
                                              18446744073709551615u,
                                              true,
                                              false};
    // The first ones often, so that equalities meet.
    if (!one_in(3)) return kValues[below(5)];
    return one_of(kValues);
}

Json RandomDocuments::value() {
    switch (below(14)) {
        case 0:
            return nullptr;
        case 1:
            return Json::array({scalar(), scalar()});
        case 2:
            return Json::array({Json::array({scalar()}), scalar()});
        case 3:
            return Json::array();
        case 4:
            return Json{{"x", scalar()}};
        case 5:
            return Json::array({Json{{"x", scalar()}}, Json{{"x", Json::array({scalar()})}}});
        default:
            return scalar();
    }
}

Json RandomDocuments::document() {
    Json document = one_in(2) ? plain_.document() : Json::object();
    static const std::vector<std::string> kNames = {"a", "b", "tags", "t", "1"};
    for (const std::string& name : kNames) {
        if (!one_in(5)) document[name] = value();
    }
    // Present everywhere, of one type: what lists are sorted by.
    document["title"] = "t" + std::to_string(below(12));
    document["rank"] = below(40);
    document["group"] = "g" + std::to_string(below(3));
    document["cost"] = one_of(kCosts);
    document["_type"] = one_in(3) ? "my:other" : "my:type";
    document["_system"] = deeds();
    document["made_on"] = {{"ms", below(20)}, {"year", 2000 + below(3)}};
    if (!one_in(4))
        document["maybe"] = one_in(2) ? Json(below(30)) : Json("m" + std::to_string(below(9)));
    if (one_in(4)) document["body"] = {{"text", scalar()}};
    if (one_in(20)) document["x.y"] = scalar();
    if (one_in(20)) document[""] = scalar();
    return document;
}

/// Who did what and when; some documents lack some of it, or have something else in its place.
Json RandomDocuments::deeds() {
    Json system = Json::object();
    const bool has_all = !one_in(8);
    for (const std::string& deed : kDeeds) {
        if (!has_all && one_in(3)) continue;
        const std::string who = "u" + std::to_string(below(3));
        system[deed + "_on"] = {{"ms", 1795937881485 + below(4)}, {"year", 2026}};
        system[deed + "_by"] = one_in(30) ? value() : Json(who);
        system[deed + "_by_principal_id"] = one_in(30) ? Json(kLong + who) : Json(who + "-id");
    }
    return system;
}

Json RandomDocuments::wide_document() {
    Json wide = document();
    Json many = Json::array();
    for (int i = 0; i < 600; ++i)
        many.push_back(i);
    wide["tags"] = std::move(many);
    return wide;
}

std::string RandomDocuments::field() {
    static const std::vector<std::string> kFields = {
        "a",      "b",         "tags",    "t",    "a.x",   "b.x",        "tags.x",
        "tags.0", "1",         "title",   "rank", "group", "made_on.ms", "made_on.year",
        "body",   "body.text", "nothing", "x.y",  "a.0.x", "maybe",      "cost"};
    if (one_in(5)) {
        static const std::vector<std::string> kMembers = {"_on.ms", "_by", "_by_principal_id"};
        return "_system." + one_of(kDeeds) + one_of(kMembers);
    }
    return one_of(kFields);
}

Json RandomDocuments::operators() {
    static const std::vector<std::string> kBounds = {"$gt", "$gte", "$lt", "$lte"};
    static const std::vector<std::string> kPatterns = {"^a",    "^ab*", "b$", "^t1",
                                                       "^a.*b", "^qq",  "^ä"};
    switch (below(14)) {
        case 0:
            return {{"$in", {scalar(), scalar()}}};
        case 1:
            return {{"$nin", {scalar(), nullptr}}};
        case 2:
            return {{"$ne", scalar()}};
        case 3:
            return {{"$exists", one_in(2)}};
        case 4:
            return {{"$regex", one_of(kPatterns)}};
        case 5:
            return {{"$all", {scalar(), scalar()}}};
        case 6:
            return {{"$elemMatch", {{"x", scalar()}}}};
        case 7:
            return {{"$elemMatch", {{"$gte", scalar()}}}};
        case 8:
            return {{"$size", below(3)}};
        case 9:
            return {{"$not", {{one_of(kBounds), scalar()}}}};
        case 10:
            return {{"$regex", "^A"}, {"$options", "i"}};
        case 11:
            return {{"$gt", scalar()}, {"$lt", scalar()}};
        default:
            return {{one_of(kBounds), scalar()}};
    }
}

Json RandomDocuments::condition() {
    const std::string name = field();
    if (name == "title") return {{name, "t" + std::to_string(below(13))}};
    if (name == "group") return {{name, "g" + std::to_string(below(4))}};
    if (name.starts_with("_system.")) {
        const std::string who = "u" + std::to_string(below(4));
        if (name.ends_with("_by")) return {{name, who}};
        if (name.ends_with("_id")) return {{name, one_in(4) ? kLong + who : who + "-id"}};
        const std::int64_t ms = 1795937881484 + static_cast<std::int64_t>(below(6));
        if (one_in(2)) return {{name, ms}};
        return {{name, {{"$gte", ms}, {"$lt", ms + static_cast<std::int64_t>(below(4))}}}};
    }
    if (name == "cost" && !one_in(3)) {
        if (one_in(2)) return {{name, one_of(kCosts)}};
        return {{name, {{"$gt", one_of(kCosts)}, {"$lte", one_of(kCosts)}}}};
    }
    if (name == "rank" || name == "made_on.ms") {
        if (one_in(2)) return {{name, below(40)}};
        return {{name, {{"$gte", below(40)}, {"$lt", below(40)}}}};
    }
    if (one_in(2)) return {{name, value()}};
    return {{name, operators()}};
}

Json RandomDocuments::conditions(std::size_t most) {
    Json all = Json::object();
    for (std::size_t i = below(most + 1); i > 0; --i)
        all.update(condition());
    return all;
}

Json RandomDocuments::query() {
    if (one_in(3)) return plain_.query();
    switch (below(10)) {
        case 0:
            return Json::object();
        case 1:
            return {{"group", "g" + std::to_string(below(4))}};
        case 2:
            return {{"$or", {condition(), conditions(2)}}};
        case 3: {
            Json query = condition();
            query["$or"] = {condition(), condition()};
            return query;
        }
        case 4:
            return {{"$nor", {condition()}}};
        case 5:
            return {{"$and", {condition(), condition()}}};
        default:
            return conditions(3);
    }
}

sdk::PageRequest RandomDocuments::page() {
    sdk::PageRequest page;
    static const std::vector<std::string> kSorts = {"title",
                                                    "rank",
                                                    "made_on.ms",
                                                    "group",
                                                    "a",
                                                    "b",
                                                    "t",
                                                    "a.x",
                                                    "tags",
                                                    "_doc",
                                                    "maybe",
                                                    "cost",
                                                    "cost",
                                                    "_type",
                                                    "_system.modified_on.ms",
                                                    "_system.created_by",
                                                    "_system.edited_by_principal_id"};
    for (std::size_t i = below(5) == 0 ? 2 : below(4) == 0 ? 0 : 1; i > 0; --i) {
        page.sort.push_back({one_of(kSorts), one_in(2)});
    }
    if (one_in(12)) page.options = {"en", one_in(2), sdk::CaseFirst::unspecified};
    page.skip = one_in(2) ? 0 : below(40);
    page.limit = one_in(6) ? -1 : static_cast<std::int64_t>(below(30));
    return page;
}

}  // namespace stele::tests

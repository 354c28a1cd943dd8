// What holds of a three-way merge whatever the values are.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>

#include "merge/value_merge.hpp"

namespace stele::nodes {

namespace {

using sdk::Json;

/// Values with members, elements that are told apart, arrays of values and texts; every element
/// that comes has an id of its own.
class RandomValues {
public:
    explicit RandomValues(unsigned seed) : random_(seed) {}

    unsigned below(std::size_t bound) { return static_cast<unsigned>(random_() % bound); }

    Json object(int depth) {
        Json made = Json::object();
        for (unsigned i = below(5); i > 0; --i)
            made[name()] = any(depth - 1);
        return made;
    }

    /// Another value of the same, of which a few places have changed.
    Json edited(Json value) {
        for (unsigned i = below(5); i > 0; --i)
            edit(value, 4);
        return value;
    }

    Json any(int depth) {
        switch (below(depth <= 0 ? 3 : 6)) {
            case 0:
                return nullptr;
            case 1:
                return static_cast<int>(below(3));
            case 2:
                return text();
            case 3:
                return elements(depth);
            case 4:
                return Json::array({static_cast<int>(below(3)), text()});
            default:
                return object(depth);
        }
    }

private:
    std::string name() {
        const char* const names[] = {"a", "b/c", "~", "d", "e"};
        return names[below(5)];
    }

    std::string text() {
        std::string made;
        for (unsigned i = below(4); i > 0; --i)
            made += std::string(1, static_cast<char>('x' + below(3))) + '\n';
        return made;
    }

    Json element(int depth) {
        Json made = object(depth);
        made["id"] = "e" + std::to_string(++last_id_);
        return made;
    }

    Json elements(int depth) {
        Json made = Json::array();
        for (unsigned i = below(5); i > 0; --i)
            made.push_back(element(depth - 1));
        return made;
    }

    void edit(Json& value, int depth) {
        if (value.is_object()) {
            edit_object(value, depth);
        } else if (value.is_array()) {
            edit_array(value, depth);
        } else {
            value = any(0);
        }
    }

    void edit_object(Json& object, int depth) {
        const std::string member = name();
        const auto found = object.find(member);
        if (found == object.end() || below(8) == 0) {
            object[member] = any(depth - 1);
        } else if (below(6) == 0) {
            object.erase(member);
        } else {
            edit(*found, depth - 1);
        }
    }

    void edit_array(Json& array, int depth) {
        const bool has_elements = array.empty() || array[0].is_object();
        const std::size_t place = below(array.size() + 1);
        if (array.empty() || below(4) == 0) {
            const auto at = array.begin() + static_cast<std::ptrdiff_t>(place);
            array.insert(at, has_elements ? element(depth - 2) : Json(static_cast<int>(below(3))));
        } else if (place == array.size()) {
            array.erase(below(array.size()));
        } else if (below(3) == 0) {
            std::swap(array[place], array[below(array.size())]);
        } else {
            edit(array[place], depth - 1);
        }
    }

    std::mt19937 random_;
    int last_id_ = 0;
};

/// Members and elements in an order of their own, so that values are the same but for orders.
nlohmann::json unordered(const Json& value) {
    if (value.is_object()) {
        nlohmann::json object = nlohmann::json::object();
        for (const auto& [name, member] : value.items())
            object[name] = unordered(member);
        return object;
    }
    if (!value.is_array()) return nlohmann::json::parse(value.dump());
    std::vector<nlohmann::json> elements;
    for (const Json& element : value)
        elements.push_back(unordered(element));
    const bool has_elements = !value.empty() && value[0].is_object();
    if (has_elements) std::sort(elements.begin(), elements.end());
    return elements;
}

using Conflicts = std::map<std::string, std::vector<std::string>>;

std::string shown(const std::optional<Json>& value) {
    return value ? unordered(*value).dump() : "nothing";
}

Conflicts by_path(const std::vector<ValueConflict>& conflicts) {
    Conflicts found;
    for (const ValueConflict& conflict : conflicts) {
        const bool is_new =
            found
                .emplace(conflict.path,
                         std::vector<std::string>{std::string(value_conflict_name(conflict.kind)),
                                                  shown(conflict.base), shown(conflict.source),
                                                  shown(conflict.target)})
                .second;
        REQUIRE(is_new);
    }
    return found;
}

/// As they would be with the sides exchanged.
Conflicts mirrored(Conflicts conflicts) {
    for (auto& [path, conflict] : conflicts) {
        std::swap(conflict[2], conflict[3]);
        if (conflict[0] == "removedOnSource") {
            conflict[0] = "removedOnTarget";
        } else if (conflict[0] == "removedOnTarget") {
            conflict[0] = "removedOnSource";
        }
    }
    return conflicts;
}

ValueMergeOptions options_with(std::optional<Side> side) {
    ValueMergeOptions options;
    options.is_text_of_lines = [](std::string_view path) { return path.ends_with("/a"); };
    options.choose = [side](const ValueConflict&) { return side; };
    return options;
}

void collect_ids(const Json& value, std::set<std::string>& ids) {
    if (value.is_object() && value.contains("id")) ids.insert(value["id"].get<std::string>());
    if (!value.is_structured()) return;
    for (const Json& inner : value)
        collect_ids(inner, ids);
}

std::set<std::string> ids_of(const Json& value) {
    std::set<std::string> ids;
    collect_ids(value, ids);
    return ids;
}

unsigned number_of_values() {
    const char* const given = std::getenv("STELE_TEST_CASES");
    return 50 * (given == nullptr ? 40 : static_cast<unsigned>(std::atoi(given)));
}

/// A value and what two sides made of it.
template <class Check>
void for_random_versions(Check check) {
    for (unsigned seed = 1; seed <= number_of_values(); ++seed) {
        RandomValues values(seed);
        const Json base = values.object(4);
        const Json source = values.edited(base);
        const Json target = values.edited(base);
        CAPTURE(seed, base.dump(), source.dump(), target.dump());
        check(base, source, target);
    }
}

}  // namespace

TEST_CASE("what only one side changed, or both alike, is what comes of it") {
    const ValueMergeOptions options = options_with(std::nullopt);
    for_random_versions([&](const Json& base, const Json& source, const Json& target) {
        const auto check = [&](const Json& one, const Json& other, const Json& expected) {
            const ValueMerge merge = merge_values(&base, one, other, options);
            REQUIRE(merge.conflicts.empty());
            REQUIRE(merge.merged.dump() == expected.dump());
            REQUIRE(merge.changes_target == !sdk::is_same_json(other, expected));
        };
        check(base, base, base);
        check(base, target, target);
        check(source, base, source);
        check(source, source, source);
        REQUIRE(merge_values(nullptr, source, source).merged.dump() == source.dump());
    });
}

TEST_CASE("with the sides exchanged a merge has the same value and the mirrored conflicts") {
    for_random_versions([&](const Json& base, const Json& source, const Json& target) {
        const auto left = options_with(std::nullopt);
        const auto conflicts = by_path(merge_values(&base, source, target, left).conflicts);
        const auto exchanged = by_path(merge_values(&base, target, source, left).conflicts);
        REQUIRE(mirrored(conflicts) == exchanged);
        const auto of_source = merge_values(&base, source, target, options_with(Side::source));
        const auto of_target = merge_values(&base, target, source, options_with(Side::target));
        REQUIRE(of_source.conflicts.empty());
        REQUIRE(unordered(of_source.merged) == unordered(of_target.merged));
    });
}

TEST_CASE("a conflict that is left has what it has where the target was chosen") {
    std::size_t conflicts = 0;
    for_random_versions([&](const Json& base, const Json& source, const Json& target) {
        const auto left = merge_values(&base, source, target, options_with(std::nullopt));
        const auto chosen = merge_values(&base, source, target, options_with(Side::target));
        REQUIRE(left.merged.dump() == chosen.merged.dump());
        conflicts += left.conflicts.size();
    });
    CHECK(conflicts > 100);
}

TEST_CASE("no element is lost that nobody removed, and none comes that was removed") {
    for_random_versions([&](const Json& base, const Json& source, const Json& target) {
        const auto merge = merge_values(&base, source, target, options_with(std::nullopt));
        const std::set<std::string> in_base = ids_of(base);
        const std::set<std::string> in_source = ids_of(source);
        const std::set<std::string> in_target = ids_of(target);
        const std::set<std::string> merged = ids_of(merge.merged);
        std::set<std::string> in_conflict;
        for (const ValueConflict& conflict : merge.conflicts) {
            for (const auto* const value : {&conflict.base, &conflict.source, &conflict.target}) {
                if (*value) collect_ids(**value, in_conflict);
            }
        }
        std::set<std::string> all = in_source;
        all.insert(in_target.begin(), in_target.end());
        for (const std::string& id : all) {
            if (in_conflict.contains(id)) continue;
            const bool is_removed =
                in_base.contains(id) && (!in_source.contains(id) || !in_target.contains(id));
            CAPTURE(id);
            REQUIRE(merged.contains(id) == !is_removed);
        }
    });
}

TEST_CASE("changes of different members commute") {
    for (unsigned seed = 1; seed <= number_of_values(); ++seed) {
        RandomValues values(seed);
        Json base = Json::object();
        Json source = Json::object();
        Json target = Json::object();
        Json expected = Json::object();
        for (const char* const name : {"a", "b", "c", "d", "e", "f"}) {
            const Json before = values.any(3);
            const Json after = values.below(2) == 0 ? values.any(3) : values.edited(before);
            const bool was_there = values.below(4) != 0;
            const bool is_there = values.below(4) != 0;
            const bool by_source = values.below(2) == 0;
            if (was_there) {
                base[name] = before;
                (by_source ? target : source)[name] = before;
            }
            if (is_there) {
                (by_source ? source : target)[name] = after;
                expected[name] = after;
            }
        }
        CAPTURE(seed, base.dump(), source.dump(), target.dump());
        for (const auto& [one, other] : {std::pair(source, target), std::pair(target, source)}) {
            const ValueMerge merge = merge_values(&base, one, other);
            REQUIRE(merge.conflicts.empty());
            REQUIRE(unordered(merge.merged) == unordered(expected));
        }
    }
}

}  // namespace stele::nodes

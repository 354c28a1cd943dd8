#include "tests/nodes/content_comparison.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "kernel/storage/query/query.hpp"
#include "tests/support/naive_query.hpp"

namespace stele::tests {

using sdk::Json;

namespace {

constexpr std::size_t kMaxVersions = 1000;

[[noreturn]] void differ(const std::string& what, const Json& expected, const Json& actual) {
    throw Difference(fmt::format("{}\n  expected {}\n  found    {}", what, sdk::dump_json(expected),
                                 sdk::dump_json(actual)));
}

/// The order of members does not matter.
bool is_same(const Json& one, const Json& other) {
    if (!one.is_structured() || one.type() != other.type()) return one == other;
    if (one.size() != other.size()) return false;
    if (one.is_array()) return std::equal(one.begin(), one.end(), other.begin(), &is_same);
    for (const auto& [name, value] : one.items()) {
        const auto found = other.find(name);
        if (found == other.end() || !is_same(value, *found)) return false;
    }
    return true;
}

void expect_same(const std::string& what, const Json& expected, const Json& actual) {
    if (!is_same(expected, actual)) differ(what, expected, actual);
}

/// Those members of `_system` that the model knows.
Json known_system(const Json& system) {
    Json known = Json::object();
    for (const char* name :
         {"created_by", "modified_by", "edited_by", "changeset", "previousChangeset"}) {
        if (system.contains(name)) known[name] = system.at(name);
    }
    return known;
}

Json expected_record(const ModelRecord& record) {
    Json expected = record.fields;
    expected["_doc"] = record.id;
    Json& system = expected["_system"];
    system = {{"created_by", record.created_by},
              {"modified_by", record.modified_by},
              {"edited_by", record.modified_by},
              {"changeset", record.changeset}};
    if (!record.previous.empty()) system["previousChangeset"] = record.previous;
    return expected;
}

Json comparable(Json record) {
    record["_system"] = known_system(record["_system"]);
    return record;
}

Json expected_deletion(const ModelDeletion& deletion) {
    Json expected = deletion.last->fields;
    expected["_doc"] = deletion.last->id;
    expected["_deletion"] = {{"nodeId", deletion.last->id},
                             {"deletedBy", deletion.deleted_by},
                             {"transaction", deletion.went_along},
                             {"association", deletion.last->is_association}};
    expected["_system"] = {{"changeset", deletion.changeset}};
    return expected;
}

Json comparable_deletion(Json record) {
    record["_deletion"].erase("deletedOn");
    record["_system"] = {{"changeset", record["_system"]["changeset"]}};
    return record;
}

/// Conditions that only what histories make can fit, where `sort` is possible.
struct RandomQuery {
    Json condition;
    sdk::PageRequest page;
};

Json random_condition(RandomSource& random) {
    const auto rank = [&random] { return random.below(8); };
    const auto group = [&random] {
        return std::string(1, static_cast<char>('a' + random.below(3)));
    };
    switch (random.below(8)) {
        case 0:
            return {{"rank", rank()}};
        case 1:
            return {{"rank", {{"$in", {rank(), rank(), rank()}}}}};
        case 2:
            return {{"rank", {{"$gte", rank()}, {"$lt", rank()}}}};
        case 3:
            return {{"rank", {{"$lte", rank()}}}, {"group", group()}};
        case 4:
            return {{"group", {{"$in", {group(), group()}}}}};
        case 5:
            return {{"tags", group()}};
        case 6:
            return {{"place.x", {{"$gt", rank()}}}};
        default:
            return {{"title", "n" + std::to_string(random.below(6))}};
    }
}

RandomQuery random_query(RandomSource& random) {
    RandomQuery query;
    query.page.limit = -1;
    if (random.one_in(4)) {
        query.condition = {{"_is_association", random.one_in(2)}};
        if (random.one_in(2))
            query.condition = {{"_type", "a:child"}, {"directionality", "DIRECTED"}};
        return query;
    }
    query.condition = random_condition(random);
    query.page.skip = random.below(3);
    if (!random.one_in(3)) query.page.limit = static_cast<std::int64_t>(random.below(5));
    for (const char* field : {"title", "rank"}) {
        if (random.one_in(2)) query.page.sort.push_back({field, random.one_in(2)});
    }
    return query;
}

/// Less than 0, 0 or more, by the keys of the page.
int compare_by(const std::vector<sdk::SortKey>& keys, const ModelRecord& one,
               const ModelRecord& other) {
    for (const sdk::SortKey& key : keys) {
        const Json& left = one.fields.at(key.field);
        const Json& right = other.fields.at(key.field);
        if (left == right) continue;
        return (left < right) == key.ascending ? -1 : 1;
    }
    return 0;
}

ShownContent::Page expected_page(const ModelState& state, const RandomQuery& query) {
    std::vector<const ModelRecord*> rows;
    for (const auto& [id, record] : state.records) {
        if (testing::naive_matches(query.condition, record->fields)) rows.push_back(record.get());
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [&query](const ModelRecord* one, const ModelRecord* other) {
                         return compare_by(query.page.sort, *one, *other) < 0;
                     });
    ShownContent::Page page;
    page.total = rows.size();
    for (std::size_t i = query.page.skip; i < rows.size(); ++i) {
        if (query.page.limit >= 0 && page.ids.size() == static_cast<std::size_t>(query.page.limit))
            break;
        page.ids.push_back(rows[i]->id);
    }
    return page;
}

std::string text_of(const RandomQuery& query) {
    std::string text = sdk::dump_json(query.condition);
    for (const sdk::SortKey& key : query.page.sort)
        text += (key.ascending ? " up " : " down ") + key.field;
    return fmt::format("query {} skip {} limit {}", text, query.page.skip, query.page.limit);
}

Json page_text(const ShownContent::Page& page) {
    return {{"rows", page.ids}, {"total", page.total}};
}

Json expected_edges(const ModelState& state, const std::string& node) {
    std::set<std::string> edges;
    for (const ModelRecordPtr& one : state.associations(node)) {
        const auto add = [&](const char* end, const std::string& other) {
            edges.insert(fmt::format("{} {} {} {}", one->id, one->type, end, other));
        };
        const bool is_source = one->source == node;
        if (one->is_undirected) {
            add("mutual", is_source ? one->target : one->source);
            continue;
        }
        if (is_source) add("outgoing", one->target);
        if (one->target == node) add("incoming", one->source);
    }
    return edges;
}

const char* name_of_end(nodes::Direction end) {
    if (end == nodes::Direction::outgoing) return "outgoing";
    return end == nodes::Direction::incoming ? "incoming" : "mutual";
}

Json expected_tree(const ModelState& state, const std::string& folder,
                   std::set<std::string>& above) {
    Json children = Json::array();
    above.insert(folder);
    for (const std::string& child : state.children(folder)) {
        if (!above.contains(child))
            children.push_back({{"id", child}, {"in", expected_tree(state, child, above)}});
    }
    above.erase(folder);
    return children;
}

Json shown_tree(const Json& element) {
    Json children = Json::array();
    for (const Json& child : element.value("children", Json::array()))
        children.push_back({{"id", child.at("_doc")}, {"in", shown_tree(child)}});
    return children;
}

}  // namespace

ModelRecordPtr model_record(const std::string& id, const Json& stored) {
    ModelRecord record;
    record.id = id;
    record.fields = stored;
    record.fields.erase("_doc");
    record.fields.erase("_system");
    const Json& system = stored.at("_system");
    record.created_by = sdk::text_member(system, "created_by");
    record.modified_by = sdk::text_member(system, "modified_by");
    record.changeset = sdk::text_member(system, "changeset");
    record.previous = sdk::text_member(system, "previousChangeset");
    return keep(std::move(record));
}

std::vector<std::string> node_ids(const ModelState& state) {
    std::vector<std::string> ids;
    for (const auto& [id, record] : state.records) {
        if (!record->is_association) ids.push_back(id);
    }
    return ids;
}

std::string root_of(const ModelState& state) {
    for (const auto& [id, record] : state.records) {
        if (record->text("_qname") == nodes::kRootQName) return id;
    }
    throw Difference("there is no root");
}

void ContentComparison::compare_counts(const ModelState& state, const ShownContent& shown) {
    sdk::PageRequest count;
    count.limit = 0;
    const std::size_t nodes = node_ids(state).size();
    const auto total = [&](const char* type, const Json& condition) {
        return shown.query(type, condition, count).total;
    };
    const Json found = {{"records", total(nodes::kNodeType, Json::object())},
                        {"nodes", total(nodes::kNodeType, {{"_is_association", false}})},
                        {"deletions", total(nodes::kDeletionType, Json::object())}};
    expect_same("counts",
                {{"records", state.records.size()},
                 {"nodes", nodes},
                 {"deletions", state.deletions.size()}},
                found);
}

void ContentComparison::compare_queries(const ModelState& state, const ShownContent& shown) {
    const RandomQuery query = random_query(random_);
    expect_same(text_of(query), page_text(expected_page(state, query)),
                page_text(shown.query(nodes::kNodeType, query.condition, query.page)));
}

void ContentComparison::compare_records(const ModelState& state, const ModelState& base,
                                        const ShownContent& shown) {
    const auto found = shown.records(nodes::kNodeType);
    Json expected_ids = Json::array();
    Json found_ids = Json::array();
    for (const auto& [id, record] : state.records)
        expected_ids.push_back(id);
    for (const auto& [id, text] : found)
        found_ids.push_back(id);
    expect_same("ids of records", expected_ids, found_ids);
    for (const auto& [id, record] : state.records) {
        const auto kept = base.records.find(id);
        if (kept != base.records.end() && kept->second == record && !random_.one_in(20)) continue;
        expect_same("record " + id, comparable(expected_record(*record)),
                    comparable(must(sdk::parse_json(found.at(id)))));
    }
}

void ContentComparison::compare_deletions(const ModelState& state, const ShownContent& shown) {
    Json expected = Json::object();
    Json found = Json::object();
    for (const auto& [id, deletion] : state.deletions)
        expected[id] = expected_deletion(deletion);
    for (const auto& [id, text] : shown.records(nodes::kDeletionType))
        found[id] = comparable_deletion(must(sdk::parse_json(text)));
    expect_same("deletions", expected, found);
}

void ContentComparison::compare_edges(const ModelState& state, const ShownContent& shown,
                                      const std::string& node) {
    std::set<std::string> edges;
    must(shown.graph().for_each_edge(
        node, nodes::Direction::any, {}, [&edges](const nodes::Edge& edge) {
            edges.insert(fmt::format("{} {} {} {}", edge.association, edge.type,
                                     name_of_end(edge.end), edge.other));
            return true;
        }));
    expect_same("associations of " + node, expected_edges(state, node), edges);
}

void ContentComparison::compare_children(const ModelState& state, const ShownContent& shown,
                                         const std::string& folder) {
    std::map<std::string, std::string> expected;
    for (const std::string& child : state.children(folder))
        expected.emplace(state.records.at(child)->name(), child);
    for (std::size_t number = 0; number < 6; ++number) {
        const std::string name = "n" + std::to_string(number);
        const auto child = must(shown.graph().find_child(folder, name));
        const auto known = expected.find(name);
        expect_same(fmt::format("{} in folder {}", name, folder),
                    known == expected.end() ? Json() : Json(known->second),
                    child ? Json(child->other) : Json());
    }
}

void ContentComparison::compare_versions(const ModelBranch& branch, const ShownContent& shown,
                                         const std::string& node) {
    const nodes::History history = shown.history();
    const auto found = must(history.versions(node, kMaxVersions));
    const auto expected = branch.versions(node);
    std::vector<Json> rows;
    for (const nodes::VersionPlace& place : found.places)
        rows.push_back(comparable(must(history.read(node, place)).value()));
    expect_same("number of versions of " + node, expected.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        expect_same("version of " + node, comparable(expected_record(*expected[i])), rows[i]);
}

void ContentComparison::compare_tip(const ModelBranch& branch) {
    const ModelState& state = branch.tip();
    const ShownContent shown(world_, branch.id);
    expect_same("tip", branch.points.back().changeset, shown.tip());
    compare_counts(state, shown);
    compare_queries(state, shown);
    for (const auto& [id, record] : state.records) {
        if (record->changeset != branch.points.back().changeset) continue;
        const auto found = shown.record(nodes::kNodeType, id);
        if (!found) throw Difference("record " + id + " is missing");
        expect_same("record " + id, comparable(expected_record(*record)), comparable(*found));
    }
    const std::string node = random_.any_of(node_ids(state));
    compare_edges(state, shown, node);
    compare_children(state, shown, random_.one_in(2) ? root_of(state) : node);
}

void ContentComparison::compare_whole(const ModelBranch& branch, std::size_t point) {
    const ModelBranch::Point& at = branch.points[point];
    const ModelState& state = *at.state;
    const bool is_tip = point + 1 == branch.points.size() && random_.one_in(2);
    const ShownContent shown(world_, branch.id, is_tip ? std::string() : at.changeset);
    const ModelState& base = *branch.points.front().state;
    compare_counts(state, shown);
    compare_records(state, base, shown);
    compare_deletions(state, shown);
    for (int i = 0; i < 4; ++i)
        compare_queries(state, shown);
    const ModelBranch past{
        branch.id, {branch.points.begin(), branch.points.begin() + static_cast<long>(point) + 1}};
    for (const std::string& node : node_ids(state)) {
        if (base.records.contains(node)) continue;
        compare_edges(state, shown, node);
        compare_children(state, shown, node);
        compare_versions(past, shown, node);
    }
    compare_edges(state, shown, root_of(state));
}

void ContentComparison::compare_rows(const ModelBranch& branch, std::size_t user) {
    const RandomQuery query = random_query(random_);
    Json sort = Json::object();
    for (const sdk::SortKey& key : query.page.sort)
        sort[key.field] = key.ascending ? 1 : -1;
    const Json answer =
        must(world_.ask(user, {.method = "POST",
                               .path = "/{branchId}/nodes/query",
                               .values = {branch.id},
                               .parameters = {{"skip", std::to_string(query.page.skip)},
                                              {"limit", std::to_string(query.page.limit)},
                                              {"sort", sdk::dump_json(sort)}},
                               .body = query.condition}));
    ShownContent::Page page;
    page.total = answer.at("total_rows").get<std::uint64_t>();
    for (const Json& row : answer.at("rows"))
        page.ids.push_back(row.at("_doc").get<std::string>());
    expect_same("answer to " + text_of(query), page_text(expected_page(branch.tip(), query)),
                page_text(page));
}

void ContentComparison::compare_tree(const ModelBranch& branch, std::size_t user) {
    const std::string root = root_of(branch.tip());
    const Json tree = must(world_.ask(user, {.method = "GET",
                                             .path = "/{branchId}/nodes/{nodeId}/tree",
                                             .values = {branch.id, root},
                                             .parameters = {{"depth", "-1"}}}));
    std::set<std::string> above;
    expect_same("tree", expected_tree(branch.tip(), root, above), shown_tree(tree));
}

void ContentComparison::compare_path(const ModelBranch& branch, std::size_t user,
                                     const std::string& node) {
    const Json answer = must(world_.ask(
        user,
        {.method = "GET", .path = "/{branchId}/nodes/{nodeId}/path", .values = {branch.id, node}}));
    const auto paths = branch.tip().paths(node, root_of(branch.tip()));
    const Json& path = answer.at("path");
    const bool is_right = path.is_null() ? paths.empty() : paths.contains(path.get<std::string>());
    if (!is_right) differ("path of " + node + ", any of", paths, path);
}

void ContentComparison::compare_version_rows(const ModelBranch& branch, std::size_t user,
                                             const std::string& node) {
    const Json answer = must(world_.ask(user, {.method = "GET",
                                               .path = "/{branchId}/nodes/{nodeId}/versions",
                                               .values = {branch.id, node}}));
    Json expected = Json::array();
    for (const ModelRecordPtr& version : branch.versions(node))
        expected.push_back({version->changeset, version->name()});
    Json found = Json::array();
    for (const Json& row : answer.at("rows"))
        found.push_back({row.at("_changesetId"), row.at("title")});
    expect_same("versions of " + node, expected, found);
}

void ContentComparison::compare_answers(const ModelBranch& branch, std::size_t user) {
    compare_rows(branch, user);
    if (random_.one_in(3)) compare_tree(branch, user);
    const ModelState& base = *branch.points.front().state;
    std::vector<std::string> own = node_ids(branch.tip());
    std::erase_if(own, [&base](const std::string& id) { return base.records.contains(id); });
    if (own.empty()) return;
    compare_path(branch, user, random_.any_of(own));
    compare_version_rows(branch, user, random_.any_of(own));
}

}  // namespace stele::tests

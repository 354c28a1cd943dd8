#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/json_patch.hpp>
#include <stele/sdk/members.hpp>

#include "branch/parameters.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"
#include "job/node_jobs.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

/// A JSON Patch, or a merge patch (docs/specification/nodes.md 7.5).
sdk::Result<sdk::Json> patched_by_body(const sdk::Json& before, const sdk::Json& body) {
    const sdk::Json* const operations = sdk::patch_operations(body);
    if (operations) return sdk::patched(before, *operations);
    if (!body.is_object())
        return sdk::invalid_parameter("body", "must be a patch: an array or an object");
    sdk::Json after = before;
    after.merge_patch(body);
    return after;
}

sdk::Result<sdk::Reply> patch(Services&, const sdk::Call& call) {
    const sdk::Document& node = call.record();
    sdk::Json before = node.fields;
    before.erase(member::kSystem);
    auto after = patched_by_body(before, call.body());
    if (!after) return after.error();
    for (const char* name : {"_doc", member::kType, member::kQName, member::kIsAssociation}) {
        const auto kept = before.find(name);
        if (after->contains(name) && kept != before.end() && (*after)[name] == *kept) continue;
        return sdk::invalid_parameter(name, "cannot be patched");
    }
    auto updated = call.context().documents().update(call.collection(), node.id, std::move(*after));
    if (!updated) return updated.error();
    return sdk::Reply::status(updated->fields);
}

/// The ids of a bulk form: `_docs`, an array, or numbered parameters
/// (docs/specification/nodes.md 7.1).
sdk::Result<std::vector<std::string>> wanted_ids(const sdk::Call& call) {
    const bool is_said =
        call.body().is_array() || call.body().contains("_docs") || call.parameter("0").has_value();
    if (!is_said) return sdk::invalid_parameter("_docs", "is required");
    return id_list(call);
}

sdk::Result<sdk::Reply> remove_many(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto ids = wanted_ids(call);
    if (!ids) return ids.error();
    sdk::Json removed = sdk::Json::array();
    for (const std::string& id : *ids) {
        auto node = sdk::if_readable(call.context(), content->node(id));
        if (!node) return node.error();
        if (!*node) continue;
        if (auto may = content->require(**node, sdk::Permission::remove); !may) return may.error();
        auto gone = call.context().documents().remove(content->nodes(), (*node)->id);
        if (!gone) return gone.error();
        removed.push_back((*node)->id);
    }
    return sdk::Reply::status({{"_docs", removed}});
}

/// Ids of what whoever acts may READ; the others are only counted.
class ReadableIds {
public:
    explicit ReadableIds(const BranchContent& content) : content_(content) {}

    /// Whether it is told; once for each id.
    sdk::Result<bool> add(const std::string& id, const sdk::RecordKey& key) {
        if (!known_.insert(id).second) return false;
        auto is_readable = content_.may(key, sdk::Permission::read);
        if (!is_readable) return is_readable;
        if (*is_readable) {
            ids.push_back(id);
        } else {
            ++hidden;
        }
        return is_readable;
    }
    sdk::Result<void> add(const std::string& id) {
        if (known_.contains(id)) return {};
        auto node = content_.node(id);
        if (!node && sdk::is_missing(node.error())) return {};
        if (!node) return node.error();
        auto added = add(id, node->key);
        return added ? sdk::Result<void>() : added.error();
    }

    sdk::Json ids = sdk::Json::array();
    std::size_t hidden = 0;

private:
    const BranchContent& content_;
    std::set<std::string> known_;
};

sdk::Result<bool> may_remove(const BranchContent& content,
                             const std::vector<sdk::Document>& nodes) {
    for (const sdk::Document& node : nodes) {
        auto may = content.may(node.key, sdk::Permission::remove);
        if (!may || !*may) return may;
    }
    return true;
}

/// What a removal of the nodes would do: ids of nodes and associations that go, and of nodes that
/// lose an association. How much of it whoever acts may not READ is told to those who may remove
/// the nodes, because that goes, too.
sdk::Result<sdk::Json> forecast(const BranchContent& content,
                                const std::vector<sdk::Document>& nodes) {
    std::set<std::string> going;
    for (const sdk::Document& node : nodes) {
        auto closure = closure_of(content, node);
        if (!closure) return closure.error();
        going.insert(closure->begin(), closure->end());
    }
    ReadableIds removed(content);
    ReadableIds associations(content);
    ReadableIds losing(content);
    sdk::Json blocked = sdk::Json::array();
    std::size_t hidden_blocked = 0;
    for (const std::string& id : going) {
        auto node = content.node(id);
        // An end that is missing is for `validate/start` to tell.
        if (!node && sdk::is_missing(node.error())) continue;
        if (!node) return node.error();
        auto is_told = removed.add(id, node->key);
        if (!is_told) return is_told.error();
        const auto free = check_unlocked(content, *node);
        if (!free && *is_told) {
            blocked.push_back({{"_doc", id}, {"message", free.error().message}});
        } else if (!free) {
            ++hidden_blocked;
        }
        auto edges = content.edges(id, Direction::any);
        if (!edges) return edges.error();
        for (const Edge& edge : *edges) {
            if (auto added = associations.add(edge.association); !added) return added.error();
            if (going.contains(edge.other)) continue;
            if (auto added = losing.add(edge.other); !added) return added.error();
        }
    }
    auto may = may_remove(content, nodes);
    if (!may) return may.error();
    sdk::Json told = {{"nodes", removed.ids},
                      {"associations", associations.ids},
                      {"unlinked", losing.ids},
                      {"blocked", blocked},
                      {"deletable", *may && blocked.empty() && hidden_blocked == 0}};
    if (*may) {
        told["hidden"] = {{"nodes", removed.hidden},
                          {"associations", associations.hidden},
                          {"unlinked", losing.hidden},
                          {"blocked", hidden_blocked}};
    }
    return told;
}

sdk::Result<sdk::Reply> predelete(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto told = forecast(*content, {call.record()});
    if (!told) return told.error();
    return sdk::Reply::json(*told);
}

sdk::Result<sdk::Reply> predelete_many(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto ids = wanted_ids(call);
    if (!ids) return ids.error();
    std::vector<sdk::Document> nodes;
    for (const std::string& id : *ids) {
        auto node = sdk::if_readable(call.context(), content->node(id));
        if (!node) return node.error();
        if (*node) nodes.push_back(std::move(**node));
    }
    auto told = forecast(*content, nodes);
    if (!told) return told.error();
    return sdk::Reply::json(*told);
}

/// `{"nodes": {reference: node}}`, written as one changeset.
sdk::Result<sdk::Reply> update_many(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    const auto wanted = call.body().find("nodes");
    if (wanted == call.body().end() || !wanted->is_object())
        return sdk::invalid_parameter("nodes", "must be an object of nodes by reference");
    sdk::Json rows = sdk::Json::array();
    for (const auto& [reference, fields] : wanted->items()) {
        const std::string id = reference.substr(reference.rfind('/') + 1);
        auto node = content->readable_node(id);
        if (!node) {
            return sdk::is_missing(node.error())
                       ? sdk::invalid_parameter("nodes." + reference, "names no node of the branch")
                       : node.error();
        }
        if (auto may = content->require(*node, sdk::Permission::update); !may) return may.error();
        auto updated = call.context().documents().update(content->nodes(), node->id, fields);
        if (!updated) return updated.error();
        rows.push_back(std::move(updated->fields));
    }
    const std::size_t count = rows.size();
    return sdk::Reply::page(rows, count, 0);
}

sdk::Result<sdk::Reply> touch(Services&, const sdk::Call& call) {
    auto touched =
        call.context().documents().patch(call.collection(), call.record().id, sdk::Json::object());
    if (!touched) return touched.error();
    return sdk::Reply::status(touched->fields);
}

/// As an array of ids, or in a member.
sdk::Shape named_nodes() {
    return sdk::shape::either({ids_shape(), sdk::shape::object({ids_member()})});
}

/// What a deletion would take, what would lose a link, and what is in its way.
sdk::Shape predeletion() {
    using namespace sdk::shape;
    const sdk::Shape blocker = object({{"_doc", text()}, {"message", text()}});
    const sdk::Shape hidden = object({{"nodes", integer()},
                                      {"associations", integer()},
                                      {"unlinked", integer()},
                                      {"blocked", integer()}});
    return object({{"nodes", ids_shape()},
                   {"associations", ids_shape()},
                   {"unlinked", ids_shape()},
                   {"blocked", array(blocker)},
                   {"deletable", boolean()},
                   optional("hidden", hidden)});
}

}  // namespace

sdk::Actions node_record_actions() {
    using enum sdk::ActionScope;
    using sdk::Permission;
    return {{.name = "",
             .method = "PATCH",
             .permission = Permission::update,
             .run = operation<&patch>(),
             .array_body = true,
             .body = sdk::BodyUse::record,
             .takes = patch_shape(),
             .answers = written_node()},
            {.name = "patch",
             .method = "PATCH",
             .permission = Permission::update,
             .run = operation<&patch>(),
             .array_body = true,
             .body = sdk::BodyUse::record,
             .takes = patch_shape(),
             .answers = written_node()},
            {.name = "",
             .method = "PUT",
             .scope = collection,
             .permission = Permission::connect,
             .run = operation<&update_many>(),
             .slow = true,
             .bounds = {{"nodes", kMaxInCall, /*holds_records=*/true}},
             .takes = sdk::shape::object({{"nodes", sdk::shape::map(node_body())}}),
             .answers = page_of_nodes()},
            {.name = "delete",
             .scope = collection,
             .permission = Permission::connect,
             .run = operation<&remove_many>(),
             .slow = true,
             .array_body = true,
             .urgent = true,
             .takes = named_nodes(),
             .answers = sdk::shape::status({ids_member()})},
            {.name = "predelete",
             .scope = collection,
             .permission = Permission::connect,
             .run = operation<&predelete_many>(),
             .slow = true,
             .array_body = true,
             .takes = named_nodes(),
             .answers = predeletion()},
            {.name = "predelete",
             .run = operation<&predelete>(),
             .slow = true,
             .answers = predeletion()},
            {.name = "remove",
             .permission = Permission::remove,
             .run = [](sdk::Resource&, const sdk::Call& call) -> sdk::Result<sdk::Reply> {
                 const std::string id = call.record().id;
                 auto gone = call.context().documents().remove(call.collection(), id);
                 if (!gone) return gone.error();
                 return sdk::Reply::status({{"_doc", id}});
             },
             .urgent = true,
             .answers = sdk::shape::status()},
            {.name = "touch",
             .permission = Permission::update,
             .run = operation<&touch>(),
             .answers = written_node()}};
}

}  // namespace stele::nodes

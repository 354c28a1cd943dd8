#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "graph/placement.hpp"
#include "job/copy_rules.hpp"
#include "job/node_jobs.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"
#include "operation/tree_operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kTargetNode[] = "targetNodeId";
constexpr char kTargetPath[] = "targetPath";
constexpr char kTargetBranch[] = "targetBranchId";
constexpr char kTargetRepository[] = "targetRepositoryId";

/// The path of the call's node below the root of a name; null when it lies outside.
sdk::Result<sdk::Json> path_below(const BranchContent& content, const sdk::Document& node,
                                  const std::string& root) {
    auto top = content.readable_node(root);
    if (!top) return top.error();
    auto path = content.path_of(node, top->id);
    if (!path) return path.error();
    return *path ? sdk::Json(std::move(**path)) : sdk::Json(nullptr);
}

sdk::Result<sdk::Reply> read_path(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    const std::string root = call.parameter("rootNodeId").value_or("");
    auto path = path_below(*content, call.record(), root.empty() ? kRootAlias : root);
    if (!path) return path.error();
    return sdk::Reply::json({{"path", std::move(*path)}});
}

sdk::Result<sdk::Reply> read_paths(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto path = path_below(*content, call.record(), kRootAlias);
    if (!path && !sdk::is_missing(path.error())) return path.error();
    sdk::Json paths = sdk::Json::object();
    if (path && path->is_string()) paths[kRootQName] = std::move(*path);
    return sdk::Reply::json({{"paths", std::move(paths)}});
}

/// Adds the folder that the call names to what an order is told.
void tell_folder(const sdk::Call& call, sdk::Json& input) {
    const std::string node = call.parameter(kTargetNode).value_or("");
    input[kTargetNode] = node.empty() ? kRootAlias : node;
    input[kTargetPath] = call.parameter(kTargetPath).value_or("");
}

/// An order about these nodes on the call's branch.
sdk::Result<NodeOrder> order_about(const BranchContent& content, const char* type,
                                   std::vector<std::string> nodes) {
    auto address = address_of(content);
    if (!address) return address.error();
    return NodeOrder{type, {{"target", std::move(*address)}, {"nodeIds", std::move(nodes)}}};
}

sdk::Result<NodeOrder> move_order(Services& services, const sdk::Call& call,
                                  std::vector<std::string> nodes) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto order = order_about(*content, kMoveOrder, std::move(nodes));
    if (order) tell_folder(call, order->input);
    return order;
}

sdk::Result<sdk::Reply> move_one(Services& services, const sdk::Call& call) {
    auto order = move_order(services, call, {call.record().id});
    if (!order) return order.error();
    auto moved = carry_out(services, call.context(), *order, kMaxInCall);
    if (!moved) return moved.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto node = content->node(call.record().id);
    if (!node) return node.error();
    return sdk::Reply::status(node->fields);
}

sdk::Result<sdk::Reply> start_move_one(Services& services, const sdk::Call& call) {
    auto order = move_order(services, call, {call.record().id});
    if (!order) return order.error();
    return start_job(services, call, *order);
}

sdk::Result<NodeOrder> move_many_order(Services& services, const sdk::Call& call) {
    auto nodes = ids_in(call.body(), "sourceNodeIds");
    if (!nodes) return nodes.error();
    return move_order(services, call, std::move(*nodes));
}

sdk::Result<sdk::Reply> move_many(Services& services, const sdk::Call& call) {
    auto order = move_many_order(services, call);
    if (!order) return order.error();
    auto moved = carry_out(services, call.context(), *order, kMaxInCall);
    if (!moved) return moved.error();
    return sdk::Reply::status(*moved);
}

sdk::Result<sdk::Reply> start_move_many(Services& services, const sdk::Call& call) {
    auto order = move_many_order(services, call);
    if (!order) return order.error();
    return start_job(services, call, *order);
}

sdk::Result<sdk::Reply> start_delete_one(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto order = order_about(*content, kDeleteOrder, {call.record().id});
    if (!order) return order.error();
    return start_job(services, call, *order);
}

/// The branch that a copy goes to: that of the node where the call names no other. A repository
/// without a branch means its master.
sdk::Json copy_target(const sdk::Call& call, const sdk::Json& own) {
    const std::string repository = call.parameter(kTargetRepository).value_or("");
    const std::string branch = call.parameter(kTargetBranch).value_or("");
    if (repository.empty() && branch.empty()) return own;
    return {{kRepositoryId, repository.empty() ? sdk::text_member(own, kRepositoryId) : repository},
            {kBranchId, branch.empty() ? std::string(kMasterAlias) : branch}};
}

sdk::Result<NodeOrder> copy_order(Services& services, const sdk::Call& call) {
    auto target = call.required_parameter(kTargetNode);
    if (!target) return target.error();
    auto again = is_asked(call, kCopyOnExisting, true);
    if (!again) return again.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto address = address_of(*content);
    if (!address) return address.error();
    return NodeOrder{kCopyOrder,
                     {{"source", *address},
                      {"target", copy_target(call, *address)},
                      {kNodeId, call.record().id},
                      {kTargetNode, std::move(*target)},
                      {kTargetPath, call.parameter(kTargetPath).value_or("")},
                      {kStrategy, call.parameter(kStrategy).value_or("")},
                      {kCopyOnExisting, *again}}};
}

sdk::Result<sdk::Reply> copy_one(Services& services, const sdk::Call& call) {
    auto order = copy_order(services, call);
    if (!order) return order.error();
    auto reply = scheduled(services, call, *order);
    if (!reply) return reply.error();
    if (*reply) return std::move(**reply);
    auto copied = carry_out(services, call.context(), *order, kMaxInCall);
    if (!copied) return copied.error();
    auto content = open_address(services, call.context(), order->input.at("target"));
    if (!content) return content.error();
    auto copy = content->node(sdk::text_member(*copied, "copied"));
    if (!copy) return copy.error();
    return sdk::Reply::status(copy->fields);
}

sdk::Result<sdk::Reply> start_copy_one(Services& services, const sdk::Call& call) {
    auto order = copy_order(services, call);
    if (!order) return order.error();
    return start_job(services, call, *order);
}

/// By path when it begins with a slash, by id, alias or QName otherwise; nothing when there is no
/// such node for whoever acts.
sdk::Result<std::optional<sdk::Document>> look_up(const BranchContent& content,
                                                  const std::string& root,
                                                  const std::string& name) {
    std::string id = name;
    if (name.starts_with('/')) {
        auto from = content.readable_node(root);
        if (!from && sdk::is_missing(from.error())) return std::optional<sdk::Document>();
        if (!from) return from.error();
        auto found = content.find_path(from->id, split_path(name));
        if (!found) return found.error();
        if (!*found) return std::optional<sdk::Document>();
        id = std::move(**found);
    }
    auto node = content.readable_node(id);
    if (!node && sdk::is_missing(node.error())) return std::optional<sdk::Document>();
    if (!node) return node.error();
    return std::optional<sdk::Document>(std::move(*node));
}

sdk::Result<sdk::Reply> look_up_many(Services& services, const sdk::Call& call,
                                     const BranchContent& content, const std::string& root) {
    auto names = ids_in(call.body(), "nodes");
    if (!names) return names.error();
    if (names->size() > kMaxInCall) {
        return sdk::invalid_parameter("nodes",
                                      "may have at most " + std::to_string(kMaxInCall) + " names");
    }
    std::vector<sdk::Json> rows;
    for (const std::string& name : *names) {
        auto node = look_up(content, root, name);
        if (!node) return node.error();
        if (*node) rows.push_back(std::move((*node)->fields));
    }
    return services.rows.page(rows, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> look_up_nodes(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    std::string root = sdk::text_member(call.body(), "rootNodeId");
    if (root.empty()) root = kRootAlias;
    if (call.body().contains("nodes")) return look_up_many(services, call, *content, root);
    for (const char* member : {"_doc", "id", kNodeId, "_qname", "qname", "path"}) {
        std::string name = call.parameter(member).value_or("");
        if (name.empty()) continue;
        const bool is_path = std::string_view(member) == "path";
        if (is_path && !name.starts_with('/')) name.insert(0, "/");
        auto node = look_up(*content, root, name);
        if (!node) return node.error();
        if (*node) return sdk::Reply::json((*node)->fields);
        return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                               "there is no node " + name);
    }
    return sdk::invalid_parameter("_doc", "or _qname, path or nodes must name what is looked up");
}

sdk::Shape path_shape() {
    return sdk::shape::object({{"path", sdk::shape::null_or(sdk::shape::text())}});
}

sdk::Shape paths_shape() {
    return sdk::shape::object({{"paths", sdk::shape::map(sdk::shape::text())}});
}

/// What movenodes is told beside its parameters.
sdk::Shape wanted_move() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"sourceNodeIds", id_or_ids()},
                               optional(kTargetNode, text()),
                               optional(kTargetPath, text())});
}

/// One node by the first of these that is there, or many by `nodes`.
sdk::Shape wanted_nodes() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({optional("nodes", id_or_ids()), optional("_doc", text()),
                               optional("id", text()), optional(kNodeId, text()),
                               optional("_qname", text()), optional("qname", text()),
                               optional("path", text()), optional("rootNodeId", text())});
}

/// What an operation in a folder is told and answers.
struct FolderShapes {
    sdk::Shape answers;
    sdk::Shape takes = {};
};

sdk::Action folder_action(const char* name, sdk::Permission permission,
                          decltype(sdk::Action::run) run, FolderShapes shapes,
                          std::vector<sdk::Parameter> parameters = {}) {
    sdk::Action action;
    action.name = name;
    action.permission = permission;
    action.run = std::move(run);
    action.parameters = std::move(parameters);
    action.slow = true;
    action.takes = std::move(shapes.takes);
    action.answers = std::move(shapes.answers);
    return action;
}

sdk::Action bounded(sdk::Action action, sdk::Bounds bounds) {
    action.bounds = std::move(bounds);
    return action;
}

sdk::Action reading(sdk::Action action) {
    action.method = "GET";
    return action;
}

std::vector<sdk::Parameter> tree_parameters() {
    using enum sdk::FieldKind;
    return {{"depth", false, integer},
            {"base"},
            {"path"},
            {"leaf"},
            {"containers", false, boolean},
            {"properties", false, boolean},
            {"object", false, boolean}};
}

}  // namespace

sdk::Actions node_folder_actions() {
    using enum sdk::Permission;
    using sdk::FieldKind;
    using sdk::shape::job;
    const std::vector<sdk::Parameter> move_parameters{{kTargetNode, true}, {kTargetPath}};
    const std::vector<sdk::Parameter> copy_parameters{
        {kTargetNode, true},
        {kTargetPath},
        {kTargetBranch},
        {kTargetRepository},
        {kStrategy, false, FieldKind::text, {"COPY_EVERYTHING", "CLONE"}},
        {kCopyOnExisting, false, FieldKind::boolean}};
    std::vector<sdk::Parameter> scheduled_parameters = copy_parameters;
    scheduled_parameters.push_back(
        {"schedule", false, FieldKind::text, {"ASYNCHRONOUS", "SYNCHRONOUS"}});
    sdk::Action move_start = folder_action("move/start", connect, operation<&start_move_many>(),
                                           {job(), wanted_move()}, {{kTargetNode}, {kTargetPath}});
    move_start.scope = sdk::ActionScope::collection;
    move_start.bounds = {{"sourceNodeIds", kMaxInJob}};
    const sdk::Bounds queries{{"query", sdk::kMaxBodyEntries, /*holds_records=*/true},
                              {"search", sdk::kMaxBodyEntries, /*holds_records=*/true}};
    const sdk::Shape copied = sdk::shape::either({written_node(), job()});
    return {
        reading(
            folder_action("path", read, operation<&read_path>(), {path_shape()}, {{"rootNodeId"}})),
        reading(folder_action("paths", read, operation<&read_paths>(), {paths_shape()})),
        bounded(folder_action("tree", read, operation<&read_tree>(), {tree_shape(), tree_body()},
                              tree_parameters()),
                queries),
        reading(folder_action("tree", read, operation<&read_tree>(), {tree_shape()},
                              tree_parameters())),
        folder_action("move", update, operation<&move_one>(), {written_node()}, move_parameters),
        folder_action("move/start", update, operation<&start_move_one>(), {job()}, move_parameters),
        folder_action("copy", read, operation<&copy_one>(), {copied}, scheduled_parameters),
        folder_action("copy/start", read, operation<&start_copy_one>(), {job()}, copy_parameters),
        folder_action("delete/start", remove, operation<&start_delete_one>(), {job()}),
        move_start,
    };
}

sdk::Actions branch_folder_actions() {
    using enum sdk::Permission;
    using sdk::shape::job;
    const std::vector<sdk::Parameter> move_parameters{{kTargetNode}, {kTargetPath}};
    const sdk::Shape moved = sdk::shape::status({ids_member(), {kTargetNode, sdk::shape::text()}});
    const sdk::Shape found = sdk::shape::either({node_shape(), sdk::shape::page(node_shape())});
    sdk::Action lookup =
        folder_action("lookup", read, operation<&look_up_nodes>(), {found, wanted_nodes()},
                      {{"_doc"}, {"id"}, {kNodeId}, {"_qname"}, {"qname"}, {"path"}});
    lookup.paged = true;
    return {
        folder_action("movenodes", connect, operation<&move_many>(), {moved, wanted_move()},
                      move_parameters),
        lookup,
    };
}

}  // namespace stele::nodes

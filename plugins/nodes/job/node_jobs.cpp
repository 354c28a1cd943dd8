#include "job/node_jobs.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "conflict/conflict_records.hpp"
#include "graph/node_copy.hpp"
#include "graph/placement.hpp"
#include "history/history.hpp"
#include "job/copy_rules.hpp"
#include "merge/branch_merge.hpp"

namespace stele::nodes {

namespace {

constexpr char kDryEnd[] = "nodes.copy_dry_run";

sdk::Result<sdk::Json> chain_end(const BranchContent& content, const std::string& id) {
    auto node = content.node(id);
    if (!node) return node.error();
    auto reference = content.context().reference(node->key);
    if (!reference) return reference.error();
    const char* const type = is_association(node->fields) ? kAssociationWord : kNodeType;
    return sdk::Json{{"typeId", type}, {"id", id}, {"ref", *reference}};
}

/// What clients read of a finished copy (docs/specification/nodes.md 1.5).
sdk::Result<sdk::Json> import_of(const BranchContent& from, const std::string& source,
                                 const BranchContent& to, const std::string& copy) {
    auto original = chain_end(from, source);
    if (!original) return original;
    auto copied = chain_end(to, copy);
    if (!copied) return copied;
    return sdk::Json{{"sources", sdk::Json::array({*original})},
                     {"targets", sdk::Json::array({*copied})}};
}

sdk::Result<void> lift_protection(const BranchContent& to, const sdk::Json& input) {
    if (!sdk::flag_member(input, kLiftsProtection, false)) return {};
    auto may = to.may(to.branch(), sdk::Permission::update);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                               "UPDATE on the branch is needed to write past its protection");
    }
    to.changes().lift_protection(to.branch());
    return {};
}

std::optional<FolderAddress> told_place(const sdk::Json& input) {
    if (!input.contains("targetNodeId")) return std::nullopt;
    return FolderAddress{sdk::text_member(input, "targetNodeId"),
                         sdk::text_member(input, "targetPath")};
}

/// A node as the target is where the copy begins in place of its source.
sdk::Result<sdk::Document> copy_association(const BranchContent& to, NodeCopy& copying,
                                            const sdk::Document& association, bool is_clone,
                                            const sdk::Json& input) {
    const auto place = told_place(input);
    if (!place) return copying.copy_lone_association(association, nullptr);
    if (is_clone) {
        return sdk::make_error({{"targetNodeId", "nodes.association_unfit",
                                 "a clone of an association has the ends of that, and goes to a "
                                 "branch"}});
    }
    auto source = find_place(to, *place);
    if (!source) return source;
    return copying.copy_lone_association(association, &*source);
}

sdk::Result<sdk::Document> copy_node(const BranchContent& to, NodeCopy& copying,
                                     const sdk::Document& node, const sdk::Json& input) {
    if (auto movable = check_movable(node, kNodeId); !movable) return movable.error();
    const auto place = told_place(input);
    if (!place) return copying.copy_tree(node, nullptr);
    auto folder = find_folder(to, *place);
    if (!folder) return folder;
    return copying.copy_tree(node, &*folder);
}

sdk::Result<sdk::Json> copy_as_told(Services& services, sdk::Context& context,
                                    const sdk::Json& input, std::size_t most) {
    auto rules = copy_rules(input, most);
    if (!rules) return rules.error();
    auto from = open_address(services, context, input.at("source"));
    if (!from) return from.error();
    auto to = open_address(services, context, input.at("target"));
    if (!to) return to.error();
    if (auto lifted = lift_protection(*to, input); !lifted) return lifted.error();
    auto node = from->readable_node(sdk::text_member(input, kNodeId));
    if (!node) return node.error();
    NodeCopy copying(*from, *to, *rules);
    const bool is_clone = rules->strategy == CopyStrategy::clone;
    auto copy = is_association(node->fields)
                    ? copy_association(*to, copying, *node, is_clone, input)
                    : copy_node(*to, copying, *node, input);
    if (!copy) return copy.error();
    auto imported = import_of(*from, node->id, *to, copy->id);
    if (!imported) return imported;
    return sdk::Json{{"copied", copy->id}, {"imports", sdk::Json::array({*imported})}};
}

/// What an order names on the source, and what it names that is only on the target.
struct FoundNodes {
    std::vector<sdk::Document> present;
    std::vector<sdk::Document> gone;
};

sdk::Result<FoundNodes> named_by(const sdk::Json& input, const BranchContent& from,
                                 const BranchContent& to) {
    const bool removes = sdk::flag_member(input, kRemovesGone, false);
    FoundNodes named;
    for (const sdk::Json& id : input.at("nodeIds")) {
        auto node = from.readable_node(id.get_ref<const std::string&>());
        const bool is_gone = !node && removes && sdk::is_missing(node.error());
        if (is_gone) {
            // What is hidden on the source has not gone there.
            auto was_deleted = newest_version(from, id.get_ref<const std::string&>());
            auto hidden = from.node(id.get_ref<const std::string&>());
            if (hidden || !was_deleted) return node.error();
            node = to.readable_node(id.get_ref<const std::string&>());
            if (!node && sdk::is_missing(node.error())) continue;
        }
        if (!node) return node.error();
        if (is_association(node->fields)) {
            return sdk::make_error({{"nodeIds", "nodes.association_unfit",
                                     "associations come with the nodes that they lead to"}});
        }
        (is_gone ? named.gone : named.present).push_back(std::move(*node));
    }
    return named;
}

bool is_within_repository(const BranchContent& from, const BranchContent& to) {
    return from.place().repository == to.place().repository &&
           from.place().platform == to.place().platform;
}

/// Nodes come as the source has them. From what to what.
sdk::Result<std::map<std::string, std::string>> clone_nodes(const BranchContent& from,
                                                            const BranchContent& to,
                                                            const std::vector<sdk::Document>& nodes,
                                                            const sdk::Json& input,
                                                            std::size_t most) {
    NodeCopy copying(from, to, clone_rules(input, most));
    if (auto copied = copying.copy_nodes(nodes); !copied) return copied.error();
    if (!is_within_repository(from, to)) return copying.copies();
    std::vector<std::string> ids;
    for (const auto& [source, copy] : copying.copies())
        ids.push_back(copy);
    if (auto noted = note_taken_over(from, to, ids); !noted) return noted.error();
    return copying.copies();
}

sdk::Error unmerged(const std::vector<MergeConflict>& conflicts) {
    constexpr std::size_t kMostTold = 5;
    std::string told;
    for (std::size_t i = 0; i < std::min(conflicts.size(), kMostTold); ++i)
        told.append(i == 0 ? ": " : "; ").append(conflicts[i].sentence);
    return sdk::make_error(sdk::ErrorKind::conflict, "nodes.copy_conflicts",
                           fmt::format("{} changes do not go together with those of the target{}",
                                       conflicts.size(), told));
}

/// What the source has changed of nodes, merged with what the target has made of them.
sdk::Result<std::map<std::string, std::string>> merge_named(const BranchContent& from,
                                                            const BranchContent& to,
                                                            const std::vector<sdk::Document>& nodes,
                                                            const sdk::Json& input,
                                                            std::size_t most) {
    std::vector<std::string> ids;
    for (const sdk::Document& node : nodes)
        ids.push_back(node.id);
    auto decisions = decisions_between(from, to);
    if (!decisions) return decisions.error();
    std::vector<std::string> brought;
    auto report = merge_nodes(from, to, ids, closure_rules(input, most),
                              {.decisions = *std::move(decisions)}, brought);
    if (!report) return report.error();
    if (!report->conflicts.empty()) return unmerged(report->conflicts);
    std::map<std::string, std::string> copies;
    for (const std::string& id : brought) {
        auto is_there = to.node(id);
        if (is_there) copies.emplace(id, id);
        if (!is_there && !sdk::is_missing(is_there.error())) return is_there.error();
    }
    return copies;
}

sdk::Result<sdk::Json> remove_all(const BranchContent& content,
                                  const std::vector<sdk::Document>& nodes) {
    sdk::Json gone = sdk::Json::array();
    for (const sdk::Document& node : nodes) {
        if (auto may = content.require(node, sdk::Permission::remove); !may) return may.error();
        auto removed = content.context().documents().remove(content.nodes(), node.id);
        if (!removed && sdk::is_missing(removed.error())) continue;
        if (!removed) return removed.error();
        gone.push_back(node.id);
    }
    return gone;
}

sdk::Result<sdk::Json> copy_from_as_told(Services& services, sdk::Context& context,
                                         const sdk::Json& input, std::size_t most) {
    auto from = open_address(services, context, input.at("source"));
    if (!from) return from.error();
    auto to = open_address(services, context, input.at("target"));
    if (!to) return to.error();
    if (auto lifted = lift_protection(*to, input); !lifted) return lifted.error();
    auto named = named_by(input, *from, *to);
    if (!named) return named.error();
    const bool merges =
        is_within_repository(*from, *to) && !sdk::flag_member(input, kOverwrites, false);
    auto copies = merges ? merge_named(*from, *to, named->present, input, most)
                         : clone_nodes(*from, *to, named->present, input, most);
    if (!copies) return copies.error();
    sdk::Json result = {{"_docs", sdk::Json::array()}, {"imports", sdk::Json::array()}};
    for (const auto& [source, copy] : *copies) {
        result["_docs"].push_back(copy);
        auto imported = import_of(*from, source, *to, copy);
        if (!imported) return imported;
        result["imports"].push_back(std::move(*imported));
    }
    if (named->gone.empty()) return result;
    auto removed = remove_all(*to, named->gone);
    if (!removed) return removed;
    result["removed"] = std::move(*removed);
    return result;
}

sdk::Result<sdk::Json> move_as_told(Services& services, sdk::Context& context,
                                    const sdk::Json& input) {
    auto content = open_address(services, context, input.at("target"));
    if (!content) return content.error();
    auto folder = find_folder(
        *content, {sdk::text_member(input, "targetNodeId"), sdk::text_member(input, "targetPath")});
    if (!folder) return folder.error();
    auto moved = move_nodes(*content, input.at("nodeIds").get<std::vector<std::string>>(), *folder);
    if (!moved) return moved.error();
    return sdk::Json{{"_docs", *moved}, {"targetNodeId", folder->id}};
}

sdk::Result<sdk::Json> delete_as_told(Services& services, sdk::Context& context,
                                      const sdk::Json& input) {
    auto content = open_address(services, context, input.at("target"));
    if (!content) return content.error();
    std::vector<sdk::Document> nodes;
    for (const sdk::Json& id : input.at("nodeIds")) {
        auto node = content->readable_node(id.get_ref<const std::string&>());
        if (!node && sdk::is_missing(node.error())) continue;
        if (!node) return node.error();
        nodes.push_back(std::move(*node));
    }
    auto gone = remove_all(*content, nodes);
    if (!gone) return gone;
    return sdk::Json{{"_docs", std::move(*gone)}};
}

sdk::Result<sdk::Json> run_order(Services& services, const char* type, sdk::Job& job) {
    sdk::Json result;
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            Changes::of(context, services.branches).act_for(job.run_as());
            auto made = carry_out(services, context, {type, job.input()}, kMaxInJob);
            if (!made) return made.error();
            result = std::move(*made);
            result[kIsDryRun] = sdk::flag_member(job.input(), kIsDryRun, false);
            if (result[kIsDryRun] == true)
                return sdk::make_error(sdk::ErrorKind::conflict, kDryEnd, "this was a dry run");
            // A copy that is made twice would be two copies.
            return job.finish(context.transaction(), result);
        });
    const bool is_dry_end = !done && done.error().code == kDryEnd;
    if (!done && !is_dry_end) return done.error();
    return result;
}

}  // namespace

void define_node_jobs(Services& services) {
    for (const char* type : {kCopyOrder, kCopyFromOrder, kMoveOrder, kDeleteOrder}) {
        services.jobs.define({.name = type, .run = [&services, type](sdk::Job& job) {
                                  return run_order(services, type, job);
                              }});
    }
}

sdk::Error too_many_nodes(const char* name, std::size_t most) {
    return sdk::make_error(
        {{name, "nodes.ids_exceeded", fmt::format("{} may name at most {} nodes", name, most)}});
}

sdk::Result<sdk::Json> carry_out(Services& services, sdk::Context& context, const NodeOrder& order,
                                 std::size_t most) {
    const sdk::Json& input = order.input;
    const auto ids = input.find("nodeIds");
    if (ids != input.end() && ids->size() > most) return too_many_nodes("nodeIds", most);
    const std::string_view type = order.type;
    if (type == kCopyOrder) return copy_as_told(services, context, input, most);
    if (type == kCopyFromOrder) return copy_from_as_told(services, context, input, most);
    if (type == kMoveOrder) return move_as_told(services, context, input);
    return delete_as_told(services, context, input);
}

sdk::Result<sdk::Reply> start_job(Services& services, const sdk::Call& call,
                                  const NodeOrder& order) {
    auto job = services.jobs.start(call.context(), {.type = order.type, .input = order.input});
    if (!job) return job.error();
    return sdk::reply_of_started(services.jobs, call, *job);
}

sdk::Result<std::optional<sdk::Reply>> scheduled(Services& services, const sdk::Call& call,
                                                 const NodeOrder& order) {
    if (call.parameter("schedule").value_or("").empty()) return std::optional<sdk::Reply>();
    auto started = start_job(services, call, order);
    if (!started) return started.error();
    return std::optional<sdk::Reply>(std::move(*started));
}

sdk::Result<void> start_branch_job(const BranchContent& content, const char* type) {
    auto input = address_of(content);
    if (!input) return input.error();
    auto started = content.services().jobs.start(content.context(),
                                                 {.type = type, .input = std::move(*input)});
    if (!started) return started.error();
    return {};
}

sdk::Result<BranchContent> open_address(Services& services, sdk::Context& context,
                                        const sdk::Json& address) {
    const std::string id = sdk::text_member(address, kBranchId);
    // Whoever may not know a branch is told the same of it as of one that is not there.
    const auto unknown = [&id] {
        return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_unknown",
                               "there is no branch " + (id.empty() ? kMasterAlias : id));
    };
    auto branch = context.documents().read({kBranchType, sdk::text_member(address, kRepositoryId)},
                                           id.empty() ? kMasterAlias : id);
    if (!branch && sdk::is_missing(branch.error())) return unknown();
    if (!branch) return branch.error();
    auto content = BranchContent::open(services, context, branch->key);
    if (!content) return content;
    auto is_readable = content->may(branch->key, sdk::Permission::read);
    if (!is_readable) return is_readable.error();
    if (!*is_readable) return unknown();
    return content;
}

sdk::Json address_of(const sdk::Document& branch) {
    return {{kRepositoryId, sdk::text_member(branch.fields, kRepositoryId)},
            {kBranchId, branch.id}};
}

sdk::Result<sdk::Json> address_of(const BranchContent& content) {
    auto branch = content.context().documents().read(content.branch());
    if (!branch) return branch.error();
    return address_of(*branch);
}

sdk::Result<std::vector<std::string>> ids_in(const sdk::Json& body, const char* name) {
    const auto found = body.find(name);
    std::vector<std::string> ids;
    if (found != body.end() && found->is_string()) ids.push_back(found->get<std::string>());
    if (found != body.end() && found->is_array()) {
        for (const sdk::Json& id : *found) {
            if (!id.is_string()) return sdk::invalid_parameter(name, "must be an array of ids");
            ids.push_back(id.get<std::string>());
        }
    }
    if (ids.empty()) return sdk::invalid_parameter(name, "must be an array of ids");
    return ids;
}

sdk::Result<bool> is_asked(const sdk::Call& call, const char* name, bool fallback) {
    const std::string word = sdk::lower_case(call.parameter(name).value_or(""));
    if (word.empty()) return fallback;
    if (word == "true" || word == "1") return true;
    if (word == "false" || word == "0") return false;
    return sdk::invalid_parameter(name, "must be true or false");
}

}  // namespace stele::nodes

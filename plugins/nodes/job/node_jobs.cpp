#include "job/node_jobs.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "graph/node_copy.hpp"
#include "graph/placement.hpp"

namespace stele::nodes {

namespace {

constexpr char kDryEnd[] = "nodes.copy_dry_run";

constexpr char kStrategy[] = "strategy";
constexpr char kCopyOnExisting[] = "copyOnExisting";
constexpr char kLiftsProtection[] = "allowWriteToFrozenBranches";

sdk::Result<CopyRules> rules_of(const sdk::Json& input, std::size_t most) {
    CopyRules rules;
    rules.most = most;
    rules.copies_on_existing = sdk::flag_member(input, kCopyOnExisting, true);
    const std::string strategy = sdk::lower_case(sdk::text_member(input, kStrategy));
    if (strategy == "clone") {
        rules.strategy = CopyStrategy::clone;
    } else if (!strategy.empty() && strategy != "copy_everything") {
        return sdk::make_error({{kStrategy, "nodes.copy_strategy_unknown",
                                 "strategy must be COPY_EVERYTHING or CLONE"}});
    }
    return rules;
}

CopyRules clone_rules(const sdk::Json& input, std::size_t most) {
    CopyRules rules{.strategy = CopyStrategy::clone, .most = most};
    const auto excluded = input.find(kExcludedAssociations);
    if (excluded == input.end()) return rules;
    if (excluded->is_array())
        excluded->get_to(rules.excluded_types);
    else
        rules.excludes_associations = sdk::flag_member(input, kExcludedAssociations, false);
    return rules;
}

sdk::Result<sdk::Json> chain_end(const BranchContent& content, const std::string& id) {
    auto node = content.node(id);
    if (!node) return node.error();
    auto reference = content.context().reference(node->key);
    if (!reference) return reference.error();
    return sdk::Json{{"typeId", kNodeType}, {"id", id}, {"ref", *reference}};
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

sdk::Result<sdk::Json> copy_as_told(Services& services, sdk::Context& context,
                                    const sdk::Json& input, std::size_t most) {
    auto rules = rules_of(input, most);
    if (!rules) return rules.error();
    auto from = open_address(services, context, input.at("source"));
    if (!from) return from.error();
    auto to = open_address(services, context, input.at("target"));
    if (!to) return to.error();
    auto node = from->readable_node(sdk::text_member(input, kNodeId));
    if (!node) return node.error();
    if (auto movable = check_movable(*node, kNodeId); !movable) return movable.error();
    std::optional<sdk::Document> folder;
    if (input.contains("targetNodeId")) {
        auto found = find_folder(
            *to, {sdk::text_member(input, "targetNodeId"), sdk::text_member(input, "targetPath")});
        if (!found) return found.error();
        folder = std::move(*found);
    }
    NodeCopy copying(*from, *to, *rules);
    auto copy = copying.copy_tree(*node, folder ? &*folder : nullptr);
    if (!copy) return copy.error();
    auto imported = import_of(*from, node->id, *to, copy->id);
    if (!imported) return imported;
    return sdk::Json{{"copied", copy->id}, {"imports", sdk::Json::array({*imported})}};
}

sdk::Result<sdk::Json> copy_from_as_told(Services& services, sdk::Context& context,
                                         const sdk::Json& input, std::size_t most) {
    auto from = open_address(services, context, input.at("source"));
    if (!from) return from.error();
    auto to = open_address(services, context, input.at("target"));
    if (!to) return to.error();
    if (sdk::flag_member(input, kLiftsProtection, false)) {
        auto may = to->may(to->branch(), sdk::Permission::update);
        if (!may) return may.error();
        if (!*may) {
            return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                                   "UPDATE on the branch is needed to write past its protection");
        }
        to->changes().lift_protection(to->branch());
    }
    std::vector<sdk::Document> nodes;
    for (const sdk::Json& id : input.at("nodeIds")) {
        auto node = from->readable_node(id.get_ref<const std::string&>());
        if (!node) return node.error();
        if (is_association(node->fields)) {
            return sdk::make_error({{"nodeIds", "nodes.association_unfit",
                                     "associations come with the nodes that they lead to"}});
        }
        nodes.push_back(std::move(*node));
    }
    NodeCopy copying(*from, *to, clone_rules(input, most));
    if (auto copied = copying.copy_nodes(nodes); !copied) return copied.error();
    sdk::Json result = {{"_docs", sdk::Json::array()}, {"imports", sdk::Json::array()}};
    for (const auto& [source, copy] : copying.copies()) {
        result["_docs"].push_back(copy);
        auto imported = import_of(*from, source, *to, copy);
        if (!imported) return imported;
        result["imports"].push_back(std::move(*imported));
    }
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
    sdk::Json gone = sdk::Json::array();
    for (const sdk::Json& id : input.at("nodeIds")) {
        auto node = content->readable_node(id.get_ref<const std::string&>());
        if (!node && sdk::is_missing(node.error())) continue;
        if (!node) return node.error();
        if (auto may = content->require(*node, sdk::Permission::remove); !may) return may.error();
        auto removed = context.documents().remove(content->nodes(), node->id);
        if (!removed) return removed.error();
        gone.push_back(node->id);
    }
    return sdk::Json{{"_docs", std::move(gone)}};
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
    auto branch = context.documents().read({kBranchType, sdk::text_member(address, kRepositoryId)},
                                           id.empty() ? kMasterAlias : id);
    if (!branch) return branch.error();
    auto content = BranchContent::open(services, context, branch->key);
    if (!content) return content;
    auto is_readable = content->may(branch->key, sdk::Permission::read);
    if (!is_readable) return is_readable.error();
    if (*is_readable) return content;
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_unknown",
                           "there is no branch " + id);
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

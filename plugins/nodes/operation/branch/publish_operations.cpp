#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "job/copy_rules.hpp"
#include "job/node_jobs.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kPublished[] = "nodes";
constexpr char kPublishedTo[] = "targetBranchId";

/// All of them, or QNames of their types.
sdk::Result<sdk::Json> excluded_associations(const sdk::Call& call) {
    const auto given = call.body().find(kExcludedAssociations);
    if (given == call.body().end() || given->is_null()) return sdk::Json(false);
    const auto is_text = [](const sdk::Json& type) { return type.is_string(); };
    const bool is_list = given->is_array() && std::all_of(given->begin(), given->end(), is_text);
    if (given->is_boolean() || is_list) return *given;
    return sdk::invalid_parameter(kExcludedAssociations, "must be true, false or QNames");
}

sdk::Result<bool> told_flag(const sdk::Call& call, const char* name) {
    const auto given = call.body().find(name);
    if (given == call.body().end() || given->is_null()) return false;
    if (given->is_boolean()) return given->get<bool>();
    return sdk::invalid_parameter(name, "must be true or false");
}

/// What comes along with the nodes.
sdk::Result<void> tell_rules(const sdk::Call& call, sdk::Json& input) {
    auto excluded = excluded_associations(call);
    if (!excluded) return excluded.error();
    input[kExcludedAssociations] = std::move(*excluded);
    for (const char* name : {kBroughtRelators, kBringsEnds, kRemovesGone, kOverwrites}) {
        auto flag = told_flag(call, name);
        if (!flag) return flag.error();
        input[name] = *flag;
    }
    const auto depth = call.body().find(kBroughtDepth);
    if (depth == call.body().end() || depth->is_null()) return {};
    if (!depth->is_number_unsigned())
        return sdk::invalid_parameter(kBroughtDepth, "must be a number, 0 or more");
    input[kBroughtDepth] = *depth;
    return {};
}

sdk::Result<NodeOrder> copy_from_order(Services& services, const sdk::Call& call) {
    auto nodes = ids_in(call.body(), "nodeIds");
    if (!nodes) return nodes.error();
    // Some clients name the source branch in the query, others in the body only.
    std::string branch = call.parameter("id").value_or("");
    if (branch.empty()) branch = sdk::text_member(call.body(), kBranchId);
    if (branch.empty()) return sdk::invalid_parameter("id", "must name the source branch");
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto target = address_of(*content);
    if (!target) return target.error();
    sdk::Json source = {{kRepositoryId, sdk::text_member(*target, kRepositoryId)},
                        {kBranchId, branch}};
    for (const char* name : {"sourceRepositoryId", kRepositoryId}) {
        const std::string given = sdk::text_member(call.body(), name);
        if (given.empty()) continue;
        source[kRepositoryId] = given;
        break;
    }
    auto lifts = is_asked(call, kLiftsProtection, false);
    if (!lifts) return lifts.error();
    NodeOrder order{kCopyFromOrder,
                    {{"source", std::move(source)},
                     {"target", std::move(*target)},
                     {"nodeIds", std::move(*nodes)},
                     {kLiftsProtection, *lifts}}};
    if (auto told = tell_rules(call, order.input); !told) return told.error();
    return order;
}

/// A repository as whoever acts may know it: its id alone where they may not READ it.
sdk::Result<sdk::Json> shown_repository(sdk::Context& context, const std::string& id) {
    auto repository = context.documents().read({kRepositoryType, ""}, id);
    if (!repository) return repository.error();
    auto reference = context.reference(repository->key);
    if (!reference) return reference.error();
    auto shown = context.read_reference(*reference);
    if (!shown && sdk::is_missing(shown.error())) return sdk::Json{{"_doc", id}};
    return shown;
}

/// Clients take the reply for their repository.
sdk::Result<sdk::Reply> copy_from(Services& services, const sdk::Call& call) {
    auto order = copy_from_order(services, call);
    if (!order) return order.error();
    auto copied = carry_out(services, call.context(), *order, kMaxInCall);
    if (!copied) return copied.error();
    const std::string id = sdk::text_member(order->input.at("target"), kRepositoryId);
    auto repository = shown_repository(call.context(), id);
    if (!repository) return repository.error();
    sdk::Json reply = *std::move(repository);
    reply["_docs"] = copied->at("_docs");
    return sdk::Reply::status(reply);
}

sdk::Result<sdk::Reply> start_copy_from(Services& services, const sdk::Call& call) {
    auto order = copy_from_order(services, call);
    if (!order) return order.error();
    return start_job(services, call, *order);
}

/// The branch that nodes are published to: the repository's master where the call names none.
sdk::Result<sdk::Json> publishing_target(const sdk::Call& call, const sdk::Json& source) {
    std::string branch = call.parameter(kPublishedTo).value_or("");
    if (branch.empty()) branch = sdk::text_member(call.body(), kPublishedTo);
    if (branch.empty()) branch = kMasterAlias;
    sdk::Context& context = call.context();
    auto target = sdk::if_readable(context, context.documents().read(call.collection(), branch));
    if (!target) return target.error();
    if (!*target) return sdk::invalid_parameter(kPublishedTo, "names no branch of the repository");
    if ((*target)->id == sdk::text_member(source, kBranchId))
        return sdk::invalid_parameter(kPublishedTo, "must name another branch");
    return address_of(**target);
}

sdk::Result<NodeOrder> publishing_order(const sdk::Call& call, const char* type) {
    auto nodes = ids_in(call.body(), kPublished);
    if (!nodes) return nodes.error();
    sdk::Json source = address_of(call.record());
    auto target = publishing_target(call, source);
    if (!target) return target.error();
    NodeOrder order{type,
                    {{"source", std::move(source)},
                     {"target", std::move(*target)},
                     {"nodeIds", std::move(*nodes)}}};
    if (auto told = tell_rules(call, order.input); !told) return told.error();
    return order;
}

template <const char* Type>
sdk::Result<sdk::Reply> publish(Services& services, const sdk::Call& call) {
    auto order = publishing_order(call, Type);
    if (!order) return order.error();
    auto done = carry_out(services, call.context(), *order, kMaxInCall);
    if (!done) return done.error();
    return sdk::Reply::status(
        {{"_docs", done->at("_docs")}, {kPublishedTo, order->input.at("target").at(kBranchId)}});
}

sdk::Shape wanted_copies() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object(
        {{"nodeIds", id_or_ids()},
         optional("id", text()),
         optional(kBranchId, text()),
         optional(kRepositoryId, text()),
         optional("sourceRepositoryId", text()),
         optional(kExcludedAssociations,
                  sdk::shape::either({sdk::shape::boolean(), sdk::shape::array(text())})),
         optional(kBroughtRelators, sdk::shape::boolean()),
         optional(kBringsEnds, sdk::shape::boolean()),
         optional(kBroughtDepth, sdk::shape::integer()),
         optional(kRemovesGone, sdk::shape::boolean()),
         optional(kOverwrites, sdk::shape::boolean()),
         optional(kLiftsProtection, sdk::shape::boolean())});
}

sdk::Shape wanted_publishing() {
    using sdk::shape::optional;
    return sdk::shape::object(
        {{kPublished, id_or_ids()}, optional(kPublishedTo, sdk::shape::text())});
}

sdk::Action publishing_action(const char* name, sdk::Permission permission,
                              decltype(sdk::Action::run) run) {
    sdk::Action action;
    action.name = name;
    action.permission = permission;
    action.run = std::move(run);
    action.slow = true;
    return action;
}

}  // namespace

sdk::Actions branch_publishing_actions() {
    using enum sdk::Permission;
    const std::vector<sdk::Parameter> copy_parameters{
        {"id"}, {kLiftsProtection, false, sdk::FieldKind::boolean}};
    sdk::Action copy = publishing_action("copyfrom", create_subobjects, operation<&copy_from>());
    copy.parameters = copy_parameters;
    copy.takes = wanted_copies();
    copy.answers =
        sdk::shape::both(sdk::shape::written(kBranchType),
                         sdk::shape::object({sdk::shape::optional("_docs", ids_shape())}));
    sdk::Action start =
        publishing_action("copyfrom/start", create_subobjects, operation<&start_copy_from>());
    start.parameters = copy_parameters;
    start.bounds = {{"nodeIds", kMaxInJob}};
    start.takes = wanted_copies();
    start.answers = sdk::shape::job();
    sdk::Actions actions{std::move(copy), std::move(start)};
    for (auto& [name, run] : std::vector<std::pair<const char*, decltype(sdk::Action::run)>>{
             {"publish", operation<&publish<kCopyFromOrder>>()},
             {"unpublish", operation<&publish<kDeleteOrder>>()}}) {
        sdk::Action action = publishing_action(name, read, std::move(run));
        action.parameters = {{kPublishedTo}};
        action.takes = wanted_publishing();
        action.answers = sdk::shape::status({ids_member(), {kPublishedTo, sdk::shape::text()}});
        actions.push_back(std::move(action));
    }
    return actions;
}

}  // namespace stele::nodes

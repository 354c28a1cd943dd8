#include "conflict/conflict_family.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "conflict/conflict_records.hpp"
#include "history/deletion.hpp"

namespace stele::nodes {

namespace {

namespace name = conflict_member;

constexpr char kResolutions[] = "resolutions";
constexpr char kAll[] = "all";
constexpr char kBranchParameter[] = "branch";
/// Takes a decision back.
constexpr char kManual[] = "manual";
/// What is shown to those only who may READ the node.
constexpr const char* kShown[] = {"path", "message", "base", "source", "target", name::kValue};
/// What the server goes by.
constexpr const char* kKept[] = {"key", "fingerprint", name::kMentions, name::kWrites};

/// One decision that a call asks for.
struct Decision {
    std::string conflict;
    std::string resolution;
    std::optional<sdk::Json> value;
};

sdk::Error unfit(const std::string& member, const std::string& problem) {
    return sdk::make_error({{member, "nodes.resolution_unfit", problem}});
}

sdk::Result<void> check_word(const Decision& decision, const std::string& member) {
    const std::string& word = decision.resolution;
    if (word != "source" && word != "target" && word != "value" && word != kManual)
        return unfit(member, "must be source, target, value or manual");
    if ((word == "value") == decision.value.has_value()) return {};
    return unfit(member, word == "value" ? "needs the member value"
                                         : "takes no value: that goes with the resolution value");
}

/// Of a body of one, and of the parameters of the query.
sdk::Result<Decision> sole_decision(const sdk::Call& call) {
    auto word = call.required_parameter(name::kResolution);
    if (!word) return word.error();
    Decision decision{call.record().id, *word, std::nullopt};
    const auto value = call.body().find(name::kValue);
    if (value != call.body().end()) decision.value = *value;
    if (auto fits = check_word(decision, name::kResolution); !fits) return fits.error();
    return decision;
}

sdk::Result<Decision> decision_in(const sdk::Json& entry, const std::string& member,
                                  const std::string& conflict) {
    Decision decision{conflict, {}, std::nullopt};
    if (entry.is_string()) {
        decision.resolution = entry.get<std::string>();
    } else if (entry.is_object()) {
        decision.resolution = sdk::text_member(entry, name::kResolution);
        const std::string id = sdk::text_member(entry, "conflictId");
        if (!id.empty()) decision.conflict = id;
        const auto value = entry.find(name::kValue);
        if (value != entry.end()) decision.value = *value;
    } else {
        return unfit(member, "must be an object with conflictId and resolution");
    }
    if (auto fits = check_word(decision, member); !fits) return fits.error();
    return decision;
}

sdk::Result<std::vector<Decision>> decisions_in(const sdk::Call& call) {
    const auto listed = call.body().find(kResolutions);
    if (listed == call.body().end()) {
        auto sole = sole_decision(call);
        if (!sole) return sole.error();
        return std::vector<Decision>{*std::move(sole)};
    }
    if (call.parameter(name::kResolution))
        return unfit(kResolutions, "says the same as resolution: one of them is enough");
    if (!listed->is_array() || listed->empty()) return unfit(kResolutions, "must be an array");
    std::vector<Decision> decisions;
    for (std::size_t i = 0; i < listed->size(); ++i) {
        auto decision =
            decision_in((*listed)[i], fmt::format("{}[{}]", kResolutions, i), call.record().id);
        if (!decision) return decision.error();
        decisions.push_back(*std::move(decision));
    }
    return decisions;
}

/// Whether such a conflict can be decided so.
sdk::Result<void> check_kind(const sdk::Json& conflict, const Decision& decision) {
    if (decision.resolution == "source" && sdk::flag_member(conflict, name::kIsForTarget, false)) {
        return unfit(name::kResolution,
                     "only what the target has can hold here: change one of the branches and merge "
                     "again");
    }
    if (decision.resolution != "value") return {};
    const auto kind = find_conflict_kind(sdk::text_member(conflict, name::kKind));
    const std::string path = sdk::text_member(conflict, "path");
    // What the server goes by is set by its own operations, and all of a node by none.
    const bool is_servers = path.empty() || path.starts_with("/_");
    if (kind != ConflictKind::value || is_servers) {
        return unfit(name::kResolution,
                     "a value settles conflicts of the kind value only, and of members whose names "
                     "do not begin with _");
    }
    if (sdk::dump_json(*decision.value).size() > ConflictRecords::kMostValueBytes)
        return unfit(name::kValue, "has more than 64 KiB");
    return {};
}

sdk::Error committed() {
    return sdk::make_error(sdk::ErrorKind::conflict, "nodes.conflict_committed",
                           "the conflict is settled: what was decided is in the target");
}

/// A branch that whoever asks may READ; `conflict` where it is not there for them.
sdk::Result<BranchContent> open_branch(Services& services, sdk::Context& context,
                                       const std::string& repository, const std::string& id) {
    auto branch =
        sdk::if_readable(context, context.documents().read({kBranchType, repository}, id));
    if (!branch) return branch.error();
    if (*branch) return BranchContent::open(services, context, (*branch)->key);
    return sdk::make_error(sdk::ErrorKind::conflict, "nodes.conflict_branch_gone",
                           "the branch " + sdk::shown_path(id) + " of the conflict is gone");
}

/// Who decides it must be able to write it: whoever commits need not look at each.
sdk::Result<void> require_write(const BranchContent& target, const std::string& node,
                                sdk::Permission permission) {
    auto present = target.readable_node(node);
    if (present) return target.require(*present, permission);
    if (!sdk::is_missing(present.error())) return present.error();
    auto hidden = target.node(node);
    if (!hidden && sdk::is_missing(hidden.error())) return target.require_create();
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "the decision would write what may not be read");
}

sdk::Result<void> require_writes(const BranchContent& target, const sdk::Json& conflict,
                                 const Decision& decision) {
    auto may =
        require_write(target, sdk::text_member(conflict, name::kNode), sdk::Permission::update);
    if (!may || decision.resolution != "source") return may;
    for (const sdk::Json& write : conflict.value(name::kWrites, sdk::Json::array())) {
        const auto permission = sdk::find_permission(sdk::text_member(write, "permission"));
        may = require_write(target, sdk::text_member(write, "node"),
                            permission.value_or(sdk::Permission::update));
        if (!may) return may;
    }
    return {};
}

sdk::Result<void> decide(Services& services, sdk::Context& context,
                         const sdk::CollectionName& collection, const sdk::Document& conflict,
                         const Decision& decision) {
    if (sdk::flag_member(conflict.fields, name::kIsCommitted, false)) return committed();
    if (auto fits = check_kind(conflict.fields, decision); !fits) return fits;
    auto target = open_branch(services, context, collection.container,
                              sdk::text_member(conflict.fields, name::kTargetBranch));
    if (!target) return target.error();
    if (auto may = require_writes(*target, conflict.fields, decision); !may) return may;
    const bool is_open = decision.resolution == kManual;
    sdk::Json members = {{name::kIsResolved, !is_open},
                         {name::kResolution, is_open ? std::string() : decision.resolution},
                         {name::kValue, decision.value.value_or(sdk::Json())}};
    auto patched = context.documents().patch(collection, conflict.id, members);
    return patched ? sdk::Result<void>() : patched.error();
}

sdk::Result<sdk::Document> decidable(sdk::Context& context, const sdk::CollectionName& collection,
                                     const std::string& id) {
    auto conflict = sdk::if_readable(context, context.documents().read(collection, id));
    if (!conflict) return conflict.error();
    if (!*conflict) {
        return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                               "there is no conflict " + sdk::shown_path(id));
    }
    auto may = sdk::holds(context, (*conflict)->key, sdk::Permission::update);
    if (!may) return may.error();
    if (*may) return std::move(**conflict);
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "UPDATE on the conflict " + sdk::shown_path(id) + " is needed");
}

/// What a decision of one is also of.
sdk::Result<std::vector<Decision>> for_all(const sdk::Call& call, const ConflictRecords& records,
                                           const Decision& decision) {
    auto open = records.open();
    if (!open) return open.error();
    std::vector<Decision> decisions;
    for (const sdk::Document& conflict : *open) {
        const bool is_other = conflict.id != call.record().id;
        if (is_other && sdk::flag_member(conflict.fields, name::kIsResolved, false)) continue;
        decisions.push_back({conflict.id, decision.resolution, decision.value});
    }
    return decisions;
}

/// Ids of all that a conflict tells of.
std::set<std::string> told_of(const sdk::Json& conflict) {
    std::set<std::string> ids{sdk::text_member(conflict, name::kNode)};
    for (const sdk::Json& id : conflict.value(name::kMentions, sdk::Json::array())) {
        if (id.is_string()) ids.insert(id.get<std::string>());
    }
    const auto kind = find_conflict_kind(sdk::text_member(conflict, name::kKind));
    const bool is_of_node_alone = kind == ConflictKind::value || kind == ConflictKind::attachment ||
                                  kind == ConflictKind::delete_edit ||
                                  kind == ConflictKind::edit_delete;
    if (is_of_node_alone) return ids;
    for (const char* side : {"base", "source", "target"}) {
        const sdk::Json value = conflict.value(side, sdk::Json::object());
        if (!value.is_object()) continue;
        for (const char* end : {member::kSource, member::kTarget, name::kNode}) {
            const std::string id = sdk::text_member(value, end);
            if (!id.empty()) ids.insert(id);
        }
        for (const sdk::Json& folder : value.value("folders", sdk::Json::array())) {
            if (folder.is_string()) ids.insert(folder.get<std::string>());
        }
    }
    return ids;
}

sdk::Shape resolved_shape() {
    using sdk::shape::integer;
    return sdk::shape::status({{"resolvedCount", integer()}, {"openCount", integer()}});
}

}  // namespace

sdk::ResourceDescriptor ConflictFamily::describe() const {
    using enum sdk::FieldKind;
    sdk::Fields fields = {{.name = name::kSourceBranch, .kind = text},
                          {.name = name::kTargetBranch, .kind = text},
                          {.name = name::kReverted, .kind = text},
                          {.name = name::kNode, .kind = text},
                          {.name = name::kKind, .kind = text},
                          {.name = name::kIsResolved, .kind = boolean},
                          {.name = name::kIsCommitted, .kind = boolean},
                          {.name = name::kIsForTarget, .kind = boolean},
                          {.name = name::kResolution, .kind = text}};
    for (const char* shown : kShown)
        fields.push_back({.name = shown, .withheld = true, .unindexed = true});
    for (const char* kept : kKept)
        fields.push_back({.name = kept, .withheld = true, .unindexed = true});
    return {.type = kConflictType,
            .container = kRepositoryType,
            .path = "conflicts",
            .placeholder = "conflictId",
            .container_member = kRepositoryId,
            .fields = std::move(fields),
            .capabilities = {.attachments = false},
            .operations = {.create = false, .update = false, .transfer = false},
            .actions = {{.name = "resolve",
                         .permission = sdk::Permission::update,
                         .run = sdk::action<&ConflictFamily::resolve>(),
                         .parameters = {{name::kResolution}, {kAll, false, boolean}},
                         .slow = true,
                         .answers = resolved_shape()},
                        {.name = "commit",
                         .permission = sdk::Permission::update,
                         .run = sdk::action<&ConflictFamily::commit>(),
                         .parameters = {{kBranchParameter}},
                         .slow = true,
                         .answers = sdk::shape::record(kConflictType)}},
            .is_presented = true,
            .title = "conflicts"};
}

sdk::Result<bool> ConflictFamily::may_see(sdk::Context& context, const std::string& repository,
                                          const sdk::Json& conflict) const {
    const std::set<std::string> told = told_of(conflict);
    bool is_anywhere = false;
    for (const char* side : {name::kSourceBranch, name::kTargetBranch}) {
        auto branch = sdk::if_readable(
            context,
            context.documents().read({kBranchType, repository}, sdk::text_member(conflict, side)));
        if (!branch) return branch.error();
        if (!*branch) return false;
        auto content = BranchContent::open(services(), context, (*branch)->key);
        if (!content) return content.error();
        auto reads_all = content->reads_all();
        if (!reads_all) return reads_all;
        is_anywhere = is_anywhere || *reads_all;
        if (*reads_all) continue;
        for (const std::string& id : told) {
            auto present = content->node(id);
            if (!present && sdk::is_missing(present.error()))
                present = context.documents().read(deletions_of(*content), id);
            if (!present && sdk::is_missing(present.error())) continue;
            if (!present) return present.error();
            auto may = content->may(present->key, sdk::Permission::read);
            if (!may || !*may) return may;
            is_anywhere = true;
        }
    }
    return is_anywhere;
}

sdk::Result<void> ConflictFamily::present(const sdk::Call& call, sdk::Json& record) {
    auto may = may_see(call.context(), call.collection().container, record);
    if (!may) return may.error();
    for (const char* kept : kKept)
        record.erase(kept);
    if (*may) return {};
    for (const char* shown : kShown)
        record.erase(shown);
    return {};
}

sdk::Result<sdk::Reply> ConflictFamily::resolve(const sdk::Call& call) {
    auto decisions = decisions_in(call);
    if (!decisions) return decisions.error();
    auto wants_all = call.flag(kAll);
    if (!wants_all) return wants_all.error();
    auto content = open_branch(services(), call.context(), call.collection().container,
                               sdk::text_member(call.record().fields, name::kTargetBranch));
    if (!content) return content.error();
    const ConflictRecords records(
        *content, ConflictOrigin::of(call.record().fields, call.collection().container));
    if (wants_all->value_or(false)) {
        if (decisions->size() != 1 || decisions->front().value)
            return unfit(kAll, "goes with one resolution that is no value");
        if (sdk::flag_member(call.record().fields, name::kIsCommitted, false)) return committed();
        decisions = for_all(call, records, decisions->front());
        if (!decisions) return decisions.error();
    }
    for (const Decision& decision : *decisions) {
        if (auto may = call.context().go_on(); !may) return may.error();
        auto conflict = decidable(call.context(), call.collection(), decision.conflict);
        if (!conflict) return conflict.error();
        auto decided = decide(services(), call.context(), call.collection(), *conflict, decision);
        if (!decided) return decided.error();
    }
    auto left = records.open_count();
    if (!left) return left.error();
    return sdk::Reply::status({{"resolvedCount", decisions->size()}, {"openCount", *left}});
}

sdk::Result<sdk::Reply> ConflictFamily::commit(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Json& conflict = call.record().fields;
    const std::string& repository = call.collection().container;
    if (sdk::flag_member(conflict, name::kIsCommitted, false)) return committed();
    const ConflictOrigin origin = ConflictOrigin::of(conflict, repository);
    auto target = open_branch(services(), context, repository, origin.target);
    if (!target) return target.error();
    const std::string wanted = call.parameter(kBranchParameter).value_or("");
    if (!wanted.empty()) {
        auto branch =
            sdk::if_readable(context, context.documents().read({kBranchType, repository}, wanted));
        if (!branch) return branch.error();
        if (!*branch || (*branch)->key != target->branch())
            return sdk::invalid_parameter(kBranchParameter, "must name the target of the merge");
    }
    auto open = ConflictRecords(*target, origin).open_count();
    if (!open) return open.error();
    if (*open > 0) {
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.conflicts_open",
                               fmt::format("{} conflicts of the merge are not resolved", *open));
    }
    sdk::Result<MergeReport> report = MergeReport{};
    if (origin.reverted.empty()) {
        auto source = open_branch(services(), context, repository, origin.source);
        if (!source) return source.error();
        report = merge_with_decisions(*source, *target, {});
    } else {
        report = revert_with_decisions(*target, origin.reverted, false);
    }
    if (!report) return report.error();
    auto after = context.documents().read(call.collection(), call.record().id);
    // What it was about has changed on a side, and what is there now is another conflict.
    if (!after && !sdk::is_missing(after.error())) return after.error();
    sdk::Json told = after ? after->fields : conflict;
    if (auto shown = present(call, told); !shown) return shown.error();
    return sdk::Reply::json(std::move(told));
}

}  // namespace stele::nodes

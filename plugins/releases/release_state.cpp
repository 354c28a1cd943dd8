#include "release_state.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "vocabulary.hpp"

namespace stele::releases {

namespace {

/// Releases that wait for their date at most, each compared with one that is finalized.
constexpr std::int64_t kMostCompared = 100;

sdk::Result<std::optional<sdk::Document>> readable_branch(sdk::Context& context,
                                                          const std::string& repository,
                                                          const std::string& id) {
    return sdk::if_readable(context, context.documents().read({kBranchType, repository}, id));
}

std::set<std::string> nodes_of(const std::vector<sdk::Json>& rows) {
    std::set<std::string> nodes;
    for (const sdk::Json& row : rows)
        nodes.insert(sdk::text_member(row, "nodeId"));
    return nodes;
}

/// Of another release; nothing where whoever asks may not look.
sdk::Result<std::set<std::string>> changed_by(const ReleaseServices& services,
                                              sdk::Context& context, const std::string& repository,
                                              const sdk::Document& release) {
    auto branches = branches_of(context, repository, release.fields);
    if (!branches && sdk::is_refusal(branches.error())) return std::set<std::string>();
    if (!branches) return branches.error();
    auto rows = services.merging.changes(context, *branches);
    // One that nobody could merge keeps nobody from finalizing another.
    if (!rows && rows.error().kind == sdk::ErrorKind::too_large) return std::set<std::string>();
    if (!rows) return rows.error();
    return nodes_of(*rows);
}

}  // namespace

sdk::Result<std::optional<std::int64_t>> told_ms(const sdk::Json& fields, const char* name) {
    const auto given = fields.find(name);
    if (given == fields.end() || given->is_null()) return std::optional<std::int64_t>();
    const sdk::Json* ms = &*given;
    if (given->is_object()) {
        const auto inner = given->find("ms");
        ms = inner == given->end() ? nullptr : &*inner;
    }
    constexpr std::int64_t kEndOfTime = 253'402'300'799'999;
    if (ms != nullptr && ms->is_number()) {
        const auto value = ms->get<double>();
        if (value >= 0 && value <= static_cast<double>(kEndOfTime))
            return std::optional<std::int64_t>(ms->get<std::int64_t>());
    }
    return sdk::invalid_parameter(name, "must be a time: an object with ms, or epoch milliseconds");
}

sdk::Result<void> check_open(const sdk::Json& release) {
    if (sdk::flag_member(release, member::kIsReleased, false)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "releases.released",
                               "the release is on the master already");
    }
    if (sdk::flag_member(release, member::kIsArchived, false)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "releases.archived",
                               "the release is archived");
    }
    return {};
}

sdk::Result<sdk::BranchPair> branches_of(sdk::Context& context, const std::string& repository,
                                         const sdk::Json& release) {
    auto source = readable_branch(context, repository, sdk::text_member(release, member::kBranch));
    if (!source) return source.error();
    if (!*source) return branch_gone();
    auto target = master_of(context, repository);
    if (!target) return target.error();
    return sdk::BranchPair{(*source)->key, *std::move(target)};
}

sdk::Result<sdk::RecordKey> master_of(sdk::Context& context, const std::string& repository) {
    auto master = readable_branch(context, repository, kMasterAlias);
    if (!master) return master.error();
    if (!*master) return branch_gone();
    return (*master)->key;
}

sdk::Result<sdk::Json> look_for_conflicts(const ReleaseServices& services, sdk::Context& context,
                                          const sdk::CollectionName& releases,
                                          const sdk::Document& release) {
    auto branches = branches_of(context, releases.container, release.fields);
    if (!branches) return branches.error();
    auto outcome = services.merging.merge(
        context, *branches, {.is_dry_run = true, .passes_block = true, .tells_changes = true});
    if (!outcome) return outcome.error();
    auto tip = services.merging.tip(context, branches->source);
    if (!tip) return tip.error();
    const std::set<std::string> own = nodes_of(outcome->changes);
    sdk::Json others = sdk::Json::array();
    sdk::PageRequest page;
    page.limit = kMostCompared;
    auto waiting = context.documents().query(
        releases,
        {{member::kIsFinalized, true}, {member::kIsReleased, false}, {member::kIsArchived, false}},
        page);
    if (!waiting) return waiting.error();
    for (const sdk::Document& other : waiting->rows) {
        if (other.id == release.id || own.empty()) continue;
        auto theirs = changed_by(services, context, releases.container, other);
        if (!theirs) return theirs.error();
        const bool is_same =
            std::any_of(theirs->begin(), theirs->end(),
                        [&own](const std::string& node) { return own.contains(node); });
        if (is_same) others.push_back(other.id);
    }
    const bool has_conflicts = outcome->conflicts > 0 || !others.empty();
    return sdk::Json{{member::kHasConflicts, has_conflicts},
                     {member::kConflictsWith, std::move(others)},
                     {member::kFinalizedTip, *tip}};
}

sdk::Json finalized_members(const sdk::Context& context) {
    return {{member::kIsFinalized, true},
            {member::kFinalizedBy, context.principal().name},
            {member::kFinalizedOn, sdk::time_value(sdk::now_ms())}};
}

sdk::Json unfinalized_members() {
    return {{member::kIsFinalized, false},
            {member::kFinalizedBy, ""},
            {member::kFinalizedOn, nullptr},
            {member::kHasConflicts, false},
            {member::kConflictsWith, sdk::Json::array()}};
}

sdk::Result<void> open_branch(sdk::Context& context, const std::string& repository,
                              const sdk::Json& release, bool is_open) {
    const sdk::CollectionName branches{kBranchType, repository};
    auto branch = context.documents().read(branches, sdk::text_member(release, member::kBranch));
    if (!branch && sdk::is_missing(branch.error())) return {};
    if (!branch) return branch.error();
    auto may = sdk::holds(context, branch->key, sdk::Permission::update);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                               "UPDATE on the branch of the release is needed to close or open it");
    }
    auto written = context.documents().patch(branches, branch->id, {{"readonly", !is_open}});
    return written ? sdk::Result<void>() : written.error();
}

sdk::Result<void> require_approval(sdk::Context& context, const std::string& repository) {
    auto master = context.documents().read({kBranchType, repository}, kMasterAlias);
    if (!master) return master.error();
    if (sdk::flag_member(master->fields, "autoPull", true)) return {};
    auto may = sdk::holds(context, master->key, sdk::Permission::update);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "releases.approval_missing",
                           "the master takes releases from those who may UPDATE its record "
                           "(autoPull is false)");
}

sdk::Result<void> check_unchanged(const ReleaseServices& services, sdk::Context& context,
                                  const sdk::BranchPair& branches, const sdk::Json& release) {
    const std::string seen = sdk::text_member(release, member::kFinalizedTip);
    if (seen.empty() || !sdk::flag_member(release, member::kIsFinalized, false)) return {};
    auto tip = services.merging.tip(context, branches.source);
    if (!tip) return tip.error();
    if (*tip == seen) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "releases.changed",
                           "the branch has changed since the release was finalized: finalize it "
                           "again");
}

sdk::Error branch_gone() {
    return sdk::make_error(sdk::ErrorKind::conflict, "releases.branch_gone",
                           "the branch of the release, or the master, is not there any more, or "
                           "not for whoever asks");
}

sdk::Result<bool> is_branch_gone(sdk::Context& context, const std::string& repository,
                                 const sdk::Json& release) {
    auto branch = context.documents().read({kBranchType, repository},
                                           sdk::text_member(release, member::kBranch));
    if (!branch && !sdk::is_missing(branch.error())) return branch.error();
    return !branch.has_value();
}

}  // namespace stele::releases

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
    if (!rows) return rows.error();
    return nodes_of(*rows);
}

}  // namespace

sdk::Result<std::optional<std::int64_t>> release_ms(const sdk::Json& release) {
    const auto given = release.find(member::kReleaseDate);
    if (given == release.end() || given->is_null()) return std::optional<std::int64_t>();
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
    return sdk::invalid_parameter(member::kReleaseDate,
                                  "must be a time: an object with ms, or epoch milliseconds");
}

sdk::Result<sdk::BranchPair> branches_of(sdk::Context& context, const std::string& repository,
                                         const sdk::Json& release) {
    auto source = readable_branch(context, repository, sdk::text_member(release, member::kBranch));
    if (!source) return source.error();
    auto target = readable_branch(context, repository, kMasterAlias);
    if (!target) return target.error();
    if (*source && *target) return sdk::BranchPair{(*source)->key, (*target)->key};
    return sdk::make_error(sdk::ErrorKind::conflict, "releases.branch_gone",
                           "the branch of the release, or the master, is not there any more, or "
                           "not for whoever asks");
}

sdk::Result<sdk::Json> look_for_conflicts(const ReleaseServices& services, sdk::Context& context,
                                          const sdk::CollectionName& releases,
                                          const sdk::Document& release) {
    auto branches = branches_of(context, releases.container, release.fields);
    if (!branches) return branches.error();
    auto outcome = services.merging.merge(
        context, *branches, {.is_dry_run = true, .passes_block = true, .tells_changes = true});
    if (!outcome) return outcome.error();
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
                     {member::kConflictsWith, std::move(others)}};
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
            {member::kConflictsWith, sdk::Json::array()},
            {member::kIsScheduled, false},
            {member::kScheduledBy, ""},
            {member::kScheduledOn, nullptr},
            {member::kWork, ""}};
}

sdk::Result<void> open_branch(sdk::Context& context, const std::string& repository,
                              const sdk::Json& release, bool is_open) {
    const sdk::CollectionName branches{kBranchType, repository};
    auto branch = context.documents().read(branches, sdk::text_member(release, member::kBranch));
    if (!branch && sdk::is_missing(branch.error())) return {};
    if (!branch) return branch.error();
    auto written = context.documents().patch(branches, branch->id, {{"readonly", !is_open}});
    return written ? sdk::Result<void>() : written.error();
}

}  // namespace stele::releases

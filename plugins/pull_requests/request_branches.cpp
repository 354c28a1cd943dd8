#include "request_branches.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "vocabulary.hpp"

namespace stele::pull_requests {

namespace {

sdk::Result<std::string> tip_of(sdk::BranchMerging& merging, sdk::Context& context,
                                const sdk::RecordKey& branch) {
    auto tip = merging.tip(context, branch);
    if (!tip && sdk::is_missing(tip.error())) return std::string();
    return tip;
}

}  // namespace

bool RequestBranches::is_automatic() const {
    return sdk::flag_member(target.fields, kAutoPull, true);
}

sdk::Result<std::optional<sdk::Document>> readable_branch(sdk::Context& context,
                                                          const std::string& repository,
                                                          const std::string& id) {
    if (id.empty()) return std::optional<sdk::Document>();
    return sdk::if_readable(context, context.documents().read({kBranchType, repository}, id));
}

sdk::Result<std::optional<RequestBranches>> readable_branches(sdk::Context& context,
                                                              const std::string& repository,
                                                              const sdk::Json& request) {
    auto source = readable_branch(context, repository, sdk::text_member(request, member::kSource));
    if (!source) return source.error();
    auto target = readable_branch(context, repository, sdk::text_member(request, member::kTarget));
    if (!target) return target.error();
    if (!*source || !*target) return std::optional<RequestBranches>();
    return std::optional<RequestBranches>({std::move(**source), std::move(**target)});
}

sdk::Result<RequestBranches> require_branches(sdk::Context& context, const std::string& repository,
                                              const sdk::Json& request) {
    auto branches = readable_branches(context, repository, request);
    if (!branches) return branches.error();
    if (*branches) return std::move(**branches);
    return sdk::make_error(sdk::ErrorKind::conflict, "pull_requests.branches_missing",
                           "a branch of the request is not named, or is not there");
}

sdk::Result<void> require_approval(sdk::Context& context, const sdk::Document& target) {
    if (sdk::flag_member(target.fields, kAutoPull, true)) return {};
    auto may = sdk::holds(context, target.key, sdk::Permission::update);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "pull_requests.approval_missing",
                           "requests into this branch are merged by those who may UPDATE it");
}

sdk::Result<sdk::Json> tips_of(sdk::BranchMerging& merging, sdk::Context& context,
                               const sdk::BranchPair& branches) {
    auto source = tip_of(merging, context, branches.source);
    if (!source) return source.error();
    auto target = tip_of(merging, context, branches.target);
    if (!target) return target.error();
    return sdk::Json{{member::kSourceTip, *source}, {member::kTargetTip, *target}};
}

sdk::Result<bool> is_stale(sdk::BranchMerging& merging, sdk::Context& context,
                           const std::string& repository, const sdk::Json& request) {
    if (sdk::text_member(request, member::kSource).empty()) return false;
    for (const auto& [side, seen] : {std::pair(member::kSource, member::kSourceTip),
                                     std::pair(member::kTarget, member::kTargetTip)}) {
        auto branch =
            context.documents().read({kBranchType, repository}, sdk::text_member(request, side));
        if (!branch && sdk::is_missing(branch.error())) return true;
        if (!branch) return branch.error();
        auto tip = tip_of(merging, context, branch->key);
        if (!tip) return tip.error();
        if (*tip != sdk::text_member(request, seen)) return true;
    }
    return false;
}

}  // namespace stele::pull_requests

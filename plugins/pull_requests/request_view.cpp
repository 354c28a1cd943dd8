#include "request_view.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "request_branches.hpp"
#include "vocabulary.hpp"

namespace stele::pull_requests {

namespace {

/// Whether whoever asks may READ the node on each of the branches that has it.
sdk::Result<bool> may_read(sdk::Context& context, const RequestBranches& branches,
                           const std::string& node) {
    bool is_anywhere = false;
    for (const sdk::Document* branch : {&branches.source, &branches.target}) {
        auto found = context.documents().read({"node", branch->id, branch->key}, node);
        if (!found && sdk::is_missing(found.error())) continue;
        if (!found) return found.error();
        auto may = sdk::holds(context, found->key, sdk::Permission::read);
        if (!may || !*may) return may;
        is_anywhere = true;
    }
    return is_anywhere;
}

sdk::Result<void> leave_faults_out(sdk::Context& context, const RequestBranches& branches,
                                   sdk::Json& faults) {
    sdk::Json shown = sdk::Json::array();
    for (sdk::Json& fault : faults) {
        const std::string node = sdk::text_member(fault, "nodeId");
        auto may = node.empty() ? sdk::Result<bool>(true) : may_read(context, branches, node);
        if (!may) return may.error();
        if (*may) shown.push_back(std::move(fault));
    }
    faults = std::move(shown);
    return {};
}

}  // namespace

sdk::Result<void> leave_hidden_out(sdk::Context& context, const std::string& repository,
                                   sdk::Json& record) {
    auto branches = readable_branches(context, repository, record);
    if (!branches) return branches.error();
    if (!*branches) {
        for (const char* hidden : {member::kFaults, member::kConflicts, member::kProblem})
            record.erase(hidden);
        return {};
    }
    const auto faults = record.find(member::kFaults);
    if (faults == record.end() || faults->empty()) return {};
    return leave_faults_out(context, **branches, *faults);
}

}  // namespace stele::pull_requests

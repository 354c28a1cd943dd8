#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/services/node_search.hpp>

#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "job/maintenance.hpp"
#include "job/node_jobs.hpp"

namespace stele::nodes {

namespace {

constexpr std::int64_t kBranchesAtOnce = 500;

/// A branch of a repository that is kept in order.
struct KeptBranch {
    sdk::Json address;
    /// Otherwise it is only looked at.
    bool takes_writes = false;
};

sdk::Result<KeptBranch> kept_branch(Services& services, sdk::Context& context,
                                    const sdk::Document& repository, const sdk::Document& branch) {
    auto content = BranchContent::open(services, context, branch.key);
    if (!content) return content.error();
    const auto writable = check_branch_writable(*content);
    if (!writable && writable.error().kind != sdk::ErrorKind::forbidden) return writable.error();
    return KeptBranch{{{kRepositoryId, repository.id}, {kBranchId, branch.id}}, bool(writable)};
}

/// In the order in which they were made: the master first. None where the repository is gone.
sdk::Result<std::vector<KeptBranch>> branches_of(Services& services, const sdk::Job& job,
                                                 const sdk::RecordKey& store) {
    std::vector<KeptBranch> branches;
    const auto read = [&](sdk::Context& context) -> sdk::Result<void> {
        branches.clear();
        sdk::Documents& documents = context.documents();
        auto repository = documents.read(store);
        if (!repository && sdk::is_missing(repository.error())) return {};
        if (!repository) return repository.error();
        sdk::PageRequest page;
        page.limit = kBranchesAtOnce;
        for (bool is_whole = false; !is_whole;) {
            page.skip = branches.size();
            auto found = documents.query({kBranchType, repository->id, repository->key},
                                         sdk::Json::object(), page);
            if (!found) return found.error();
            for (const sdk::Document& branch : found->rows) {
                auto kept = kept_branch(services, context, *repository, branch);
                if (!kept) return kept.error();
                branches.push_back(*std::move(kept));
            }
            is_whole = found->rows.empty() || branches.size() >= found->total_rows;
        }
        return {};
    };
    if (auto done = services.registrar.run_as_system(job.platform(), read); !done)
        return done.error();
    return branches;
}

sdk::Result<sdk::Json> repair_all(Services& services, sdk::Job& job,
                                  const std::vector<KeptBranch>& branches) {
    sdk::Json sum = {{"branches", branches.size()}};
    std::uint64_t looked_at = 0;
    for (const KeptBranch& branch : branches) {
        auto counts = validate_branch(services, job, branch.address,
                                      {.repairs = branch.takes_writes}, looked_at);
        // Removed meanwhile.
        if (!counts && sdk::is_missing(counts.error())) continue;
        if (!counts) return counts;
        looked_at += (*counts)["nodes"].get<std::uint64_t>();
        looked_at += (*counts)["associations"].get<std::uint64_t>();
        sdk::add_counts(sum, *counts);
    }
    return sum;
}

}  // namespace

void add_upkeep(Services& services, sdk::Upkeep& upkeep) {
    upkeep.add(kRepositoryType,
               [&services](sdk::Job& job, sdk::UpkeepKind kind,
                           const sdk::RecordKey& store) -> sdk::Result<sdk::Json> {
                   auto branches = branches_of(services, job, store);
                   if (!branches) return branches.error();
                   if (kind == sdk::UpkeepKind::repair) return repair_all(services, job, *branches);
                   // One index serves all branches of a repository.
                   const bool has_search = services.registrar.find<sdk::NodeSearch>() != nullptr;
                   if (branches->empty() || !has_search) return sdk::Json{{"indexes", 0}};
                   auto built = rebuild_search_of(services, job, branches->front().address);
                   if (!built) return built;
                   return sdk::Json{{"indexes", 1}};
               });
}

}  // namespace stele::nodes

#include <memory>

#include <stele/sdk/plugin.hpp>

#include "merge_job.hpp"
#include "pull_request.hpp"
#include "validate_job.hpp"

namespace stele::pull_requests {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto needed = registrar.require<sdk::BranchMerging, sdk::InnerOperations, sdk::Jobs>();
    if (!needed) return needed.error();
    auto& [merging, operations, jobs] = *needed;
    const RequestServices& services = registrar.own(
        std::unique_ptr<RequestServices>(new RequestServices{merging, operations, jobs}));
    define_merge_job(services);
    define_validate_job(services);
    registrar.add(std::make_unique<PullRequest>(services));
    return {};
}

}  // namespace stele::pull_requests

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "pull_requests", .version = "0.1.0", .requirements = "nodes"},
    &stele::pull_requests::open);

#include <memory>

#include <stele/sdk/plugin.hpp>

#include "publication.hpp"
#include "release.hpp"
#include "scheduled_work.hpp"

namespace stele::releases {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto needed = registrar.require<sdk::BranchMerging, sdk::InnerOperations, sdk::Jobs>();
    if (!needed) return needed.error();
    auto& [merging, operations, jobs] = *needed;
    const ReleaseServices& services = registrar.own(
        std::unique_ptr<ReleaseServices>(new ReleaseServices{merging, operations, jobs}));
    define_publication(services);
    Release::define_jobs(jobs);
    registrar.add(std::make_unique<Release>(services));
    registrar.add(std::make_unique<ScheduledWork>(services));
    return {};
}

}  // namespace stele::releases

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "releases", .version = "0.1.0", .requirements = "nodes"}, &stele::releases::open);

#include <memory>
#include <vector>

#include <stele/sdk/plugin.hpp>

#include "branch_search.hpp"
#include "index_check.hpp"

namespace stele::node_search {

namespace {

/// How many fitting versions a search looks at, at most.
constexpr std::size_t kMostLookedAt = 50'000;

/// The parts of the plugin; each uses those before it.
struct Search {
    Search(sdk::Registrar& registrar, sdk::ContentLog& log)
        : feed(log, registrar.engine(), registrar.data_folder() / "search"),
          follower(feed, log, registrar.engine()),
          search(log, feed, follower, kMostLookedAt) {}

    IndexFeed feed;
    Follower follower;
    BranchSearch search;
};

sdk::Result<void> open(sdk::Registrar& registrar) {
    auto* log = registrar.find<sdk::ContentLog>();
    if (!log) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "node_search.services_missing",
                               "the search of nodes needs somebody who tells what was written");
    }
    // Observers live as long as the engine.
    static std::vector<std::unique_ptr<Search>> kept;
    Search& made = *kept.emplace_back(std::make_unique<Search>(registrar, *log));
    registrar.engine().observe("", [&follower = made.follower](const sdk::CommitNotice& notice) {
        follower.notice(notice);
    });
    const std::filesystem::path folder = registrar.data_folder() / "search";
    registrar.on_check([log, folder, &registrar](std::vector<std::string>& differences) {
        check_index(*log, *registrar.engine().snapshot(), folder, differences);
    });
    registrar.on_stop([&follower = made.follower] { follower.stop(); });
    registrar.publish<sdk::NodeSearch>(made.search);
    return {};
}

}  // namespace

}  // namespace stele::node_search

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "node_search", .version = "0.1.0", .requirements = "nodes"}, &stele::node_search::open);

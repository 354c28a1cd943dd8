#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <stele/sdk/plugin.hpp>

#include "branch_search.hpp"
#include "index_check.hpp"

namespace stele::node_search {

namespace {

/// How many fitting versions a search looks at, at most.
constexpr std::size_t kMaxLookedAt = 50'000;

/// Whether the index's disk has room besides: what a setting says, of a small disk an eighth.
std::function<bool()> room_of(std::filesystem::path folder, std::uint64_t reserve) {
    return [folder = std::move(folder), reserve] {
        constexpr std::uint64_t kReserveShare = 8;
        std::error_code problem;
        const auto space = std::filesystem::space(folder, problem);
        // Some file systems tell none.
        if (problem || space.capacity == 0) return true;
        return space.available >= std::min<std::uint64_t>(reserve, space.capacity / kReserveShare);
    };
}

/// The parts of the plugin; each uses those before it.
struct Search {
    Search(sdk::Registrar& registrar, sdk::ContentLog& log, std::uint64_t reserve)
        : feed(log, registrar.engine(), registrar.data_folder() / "search",
               {.has_room = room_of(registrar.data_folder(), reserve)}),
          follower(feed, log, registrar.engine()),
          search(log, feed, follower, kMaxLookedAt) {}

    IndexFeed feed;
    Follower follower;
    BranchSearch search;
};

sdk::Result<void> open(sdk::Registrar& registrar) {
    auto services = registrar.require<sdk::ContentLog>();
    if (!services) return services.error();
    auto* const log = &std::get<sdk::ContentLog&>(*services);
    const auto reserve = static_cast<std::uint64_t>(registrar.bytes(
        {"reserve", "134217728",
         "Bytes of the disk that the search index leaves to others, of a small disk at most "
         "an eighth; with less it takes nothing new until there is room"},
        0));
    // Observers live as long as the engine.
    Search& made = registrar.own(std::make_unique<Search>(registrar, *log, reserve));
    registrar.on_start([&registrar, &follower = made.follower] {
        registrar.engine().observe(
            "", [&follower](const sdk::CommitNotice& notice) { follower.notice(notice); });
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

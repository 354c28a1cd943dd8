#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/seed_member.hpp>

namespace stele::kernel::resource {

/// What a seed says, for each plugin that takes something of it.
using PluginSeeds = std::map<std::string, sdk::Json>;

/// The members that a seed may have: those that plugins take, and the kernel's own `platform`.
class SeedMembers {
public:
    SeedMembers();

    /// `conflict` (`plugin.seed_duplicate`) when somebody takes the member already, `invalid`
    /// (`plugin.descriptor_incomplete`) when it has no name or no texts.
    sdk::Result<void> add(const std::string& plugin_id, sdk::SeedMember member);

    /// Whether all of the seed, a JSON object, is taken by somebody; the violations name what not.
    sdk::Result<void> check(const sdk::Json& seed) const;
    /// Lets plugins fill in what a new store needs; answers what its operator is told.
    sdk::Result<std::vector<sdk::LoginLine>> complete(sdk::Json& seed) const;
    PluginSeeds by_plugin(const sdk::Json& seed) const;

    static constexpr char kPlatform[] = "platform";
    static constexpr char kTitle[] = "title";

private:
    struct Taken {
        std::string plugin_id;
        sdk::SeedMember member;
    };
    const Taken* find(std::string_view name) const;

    std::vector<Taken> members_;
};

}  // namespace stele::kernel::resource

#pragma once

#include <cstdint>
#include <vector>

#include <stele/sdk/services/platforms.hpp>

#include "kernel/resource/record/services.hpp"
#include "kernel/resource/registration/plugin_registrar.hpp"

namespace stele::kernel::resource {

/// Platforms for plugins. Makes them as `stele init` makes the first one.
class PlatformService final : public sdk::Platforms {
public:
    /// `installations` may grow until the first call; both outlive this object.
    PlatformService(Services& services, const std::vector<Installation>& installations)
        : services_(services), installations_(installations) {}

    sdk::Result<sdk::PlatformScope> create(sdk::Context& context, std::string_view title) override;
    sdk::Result<sdk::PlatformScope> find(sdk::Context& context, std::string_view id) override;
    sdk::Result<void> run_on(sdk::Context& context, const sdk::PlatformScope& platform,
                             const std::function<sdk::Result<void>(sdk::Context&)>& work) override;
    sdk::Result<void> set_open(sdk::Context& context, const sdk::PlatformScope& platform,
                               bool is_open) override;
    sdk::Result<void> remove(sdk::Context& context, const sdk::PlatformScope& platform) override;

private:
    Services& services_;
    const std::vector<Installation>& installations_;
};

/// One step of erasing a removed platform: what plugins keep about it, then its keys, some at a
/// time. True when nothing of it is left.
sdk::Result<bool> empty_removed_platform(Services& services, std::uint64_t number);

}  // namespace stele::kernel::resource

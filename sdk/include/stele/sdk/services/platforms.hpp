#pragma once

#include <functional>
#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// The platforms beside the one of a context: made, worked on, closed and removed. Everything joins
/// the transaction of the given context. Rights are the caller's matter. Published by the kernel.
/// Any thread.
class Platforms {
public:
    virtual ~Platforms();

    /// Makes a platform with all that plugins install on one (`Registrar::on_install`), in the
    /// order in which they require one another.
    virtual Result<PlatformScope> create(Context& context, std::string_view title) = 0;
    /// The platform of a root record's id; `not_found` (`platform.unknown`) otherwise.
    virtual Result<PlatformScope> find(Context& context, std::string_view id) = 0;
    /// Runs `work` on a platform, acting as the server.
    virtual Result<void> run_on(Context& context, const PlatformScope& platform,
                                const std::function<Result<void>(Context&)>& work) = 0;
    /// Nobody gets into a closed platform: from the commit on its tokens and its logins are
    /// refused. What it holds stays, and counts again once it is open.
    virtual Result<void> set_open(Context& context, const PlatformScope& platform,
                                  bool is_open) = 0;
    /// From the commit on there is no such platform; what it held is erased in steps afterwards.
    virtual Result<void> remove(Context& context, const PlatformScope& platform) = 0;
};

}  // namespace stele::sdk

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/platforms.hpp>
#include <stele/sdk/services/tenants.hpp>
#include <stele/sdk/services/usage.hpp>

namespace stele::meters {

/// Keeps the two meters of every tenant up to what the kernel has counted. Any thread.
class MeterKeeper {
public:
    /// All must outlive this object.
    MeterKeeper(sdk::Registrar& registrar, sdk::Usage& usage, sdk::Tenants& tenants,
                sdk::Platforms& platforms);

    /// Writes the meters of the tenant with that platform now; answers the id of the one of the
    /// type. `not_found` when it is no tenant's.
    sdk::Result<std::string> keep(sdk::Context& context, std::string_view platform_id,
                                  const char* type) const;

private:
    /// Writes the meters of the tenant that the platform is, if it is one.
    void refresh(const sdk::PlatformScope& platform, std::chrono::year_month month) const;
    sdk::Result<void> write(sdk::Context& context, const sdk::PlatformScope& platform,
                            std::chrono::year_month month) const;
    /// Ends the meters that are open, and begins others.
    sdk::Result<void> close(sdk::Context& context, const sdk::MeteredTenant& tenant) const;

    sdk::Registrar& registrar_;
    sdk::Usage& usage_;
    sdk::Tenants& tenants_;
    sdk::Platforms& platforms_;
};

}  // namespace stele::meters

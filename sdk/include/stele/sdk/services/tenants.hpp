#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <stele/sdk/context.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Bytes that a plan gives of one thing in a month; -1: no limit.
struct PlanLimits {
    std::int64_t allowance = -1;
    std::int64_t max = -1;
};

/// A tenant as those see it who measure it.
struct MeteredTenant {
    std::string id;
    std::string registrar_id;
    PlatformScope platform;
    PlanLimits storage;
    PlanLimits transfer_out;
};

/// Published by the plugin that keeps tenants. Any thread.
class Tenants {
public:
    virtual ~Tenants();

    /// The tenant that a platform is; nothing when it is none. `context` is one of the platform on
    /// which the tenant's record lies, the first one.
    virtual Result<std::optional<MeteredTenant>> of_platform(Context& context,
                                                             const PlatformScope& platform) = 0;

    /// The record of the tenant that the context's platform is, wherever it lies; `not_found`
    /// (`tenant.unknown`) where the platform is none. What may be done with it is the caller's
    /// matter: whoever acts inside a tenant has no rights on that record itself.
    virtual Result<RecordKey> record_of(Context& context) = 0;

    using Made = std::function<Result<void>(Context&, const MeteredTenant&)>;
    /// Runs in the transaction that makes a tenant, on the platform of its record. Only while
    /// plugins are opened.
    virtual void on_made(Made made) = 0;
    using Closed = std::function<Result<void>(Context&, const MeteredTenant&)>;
    /// Runs in the transaction that ends a tenant's billing period (`{tenant}/closeout`), on the
    /// platform of its record. Only while plugins are opened.
    virtual void on_closed(Closed closed) = 0;
};

}  // namespace stele::sdk

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <stele/sdk/resource.hpp>

namespace stele::data_stores {

inline constexpr char kPlanType[] = "plan";
/// The plan that every first registrar has: nothing is billed, nothing has a limit.
inline constexpr char kUnlimitedPlan[] = "unlimited";

/// What tenants of a registrar pay for (docs/specification/semantics.md 8). Addressed by `planKey`
/// too.
class Plan final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    /// A plan that tenants have keeps its key and cannot be removed.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;
};

/// Bytes in the `unit` of a plan's part (`GB`, in any case); nothing for an unknown one.
std::optional<std::int64_t> unit_bytes(std::string_view unit);

}  // namespace stele::data_stores

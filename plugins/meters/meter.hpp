#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::meters {

inline constexpr char kMeterType[] = "meter";
inline constexpr char kStorage[] = "STORAGE";
inline constexpr char kTransferOut[] = "TRANSFER_OUT";

/// What a tenant stored or sent in a month (docs/specification/interface.md 3.6). Made and kept by
/// the server: there is no create, and of an update only members count that are none of the
/// server's.
class Meter final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
};

}  // namespace stele::meters

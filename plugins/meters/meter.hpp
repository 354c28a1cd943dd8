#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::meters {

inline constexpr char kMeterType[] = "meter";
inline constexpr char kStorage[] = "STORAGE";
inline constexpr char kTransferOut[] = "TRANSFER_OUT";

class MeterKeeper;

/// What a tenant stored or sent in a month (docs/specification/interface.md 3.6). Made and kept by
/// the server: of a create and of an update only members count that are none of the server's.
class Meter final : public sdk::Resource {
public:
    /// The keeper must outlive it.
    explicit Meter(const MeterKeeper& keeper) : keeper_(keeper) {}

    sdk::ResourceDescriptor describe() const override;

    /// POST {registrar}/meters : the tenant's present meter of a type, made where it is missing and
    /// written anew, for whoever holds everything in the registrar.
    sdk::Result<sdk::Reply> make(const sdk::Call& call);

private:
    const MeterKeeper& keeper_;
};

}  // namespace stele::meters

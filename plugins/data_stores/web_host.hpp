#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::data_stores {

/// A data store that says under which addresses applications are served
/// (docs/specification/interface.md 3.2; docs/specification/platform.md 11).
class WebHost final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
};

/// Which client a browser application uses on a host, in a web host.
class AutoClientMapping final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    /// A client's id becomes its key, for callers who may read the client.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
};

/// Which host is trusted for which protocol, in a web host.
class TrustedDomainMapping final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
};

}  // namespace stele::data_stores

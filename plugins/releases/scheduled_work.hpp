#pragma once

#include <stele/sdk/resource.hpp>

#include "services.hpp"

namespace stele::releases {

/// What will happen at a date: releases that come to the master (docs/reference/releases.md). One
/// for each release that is scheduled; it stays when it has run.
class ScheduledWork final : public sdk::Resource {
public:
    /// `services` outlive this.
    explicit ScheduledWork(const ReleaseServices& services) : services_(services) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;

    sdk::Result<sdk::Reply> create(const sdk::Call& call);
    sdk::Result<sdk::Reply> trigger(const sdk::Call& call);

private:
    sdk::Result<void> prepare_update(sdk::Change& change, sdk::Context& context) const;
    sdk::Result<void> prepare_removal(const sdk::Change& change, sdk::Context& context) const;

    const ReleaseServices& services_;
};

}  // namespace stele::releases

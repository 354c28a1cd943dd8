#pragma once

#include <string>

#include <stele/sdk/resource.hpp>

#include "services.hpp"

namespace stele::releases {

/// Work on a branch of its own that comes to the master at a date (docs/reference/releases.md).
class Release final : public sdk::Resource {
public:
    /// `services` outlive this.
    explicit Release(const ReleaseServices& services) : services_(services) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;

    sdk::Result<sdk::Reply> create(const sdk::Call& call);
    sdk::Result<sdk::Reply> start_create(const sdk::Call& call);
    sdk::Result<sdk::Reply> finalize(const sdk::Call& call);
    sdk::Result<sdk::Reply> start_finalize(const sdk::Call& call);
    sdk::Result<sdk::Reply> unfinalize(const sdk::Call& call);
    sdk::Result<sdk::Reply> release_now(const sdk::Call& call);
    sdk::Result<sdk::Reply> archive(const sdk::Call& call);
    sdk::Result<sdk::Reply> unarchive(const sdk::Call& call);
    sdk::Result<sdk::Reply> info(const sdk::Call& call);

    /// The jobs in which a release is told that it was made or finalized: both are done when these
    /// are started.
    static void define_jobs(sdk::Jobs& jobs);

private:
    sdk::Result<sdk::Document> make(const sdk::Call& call);
    sdk::Result<std::string> make_branch(const sdk::Call& call, const std::string& title) const;
    /// Finalizes and, where that is asked, schedules; the release as it is then.
    sdk::Result<sdk::Document> finalized(const sdk::Call& call);
    sdk::Result<sdk::Reply> set_archived(const sdk::Call& call, bool is_archived);
    sdk::Result<void> prepare_update(sdk::Change& change, sdk::Context& context) const;
    sdk::Result<void> prepare_removal(const sdk::Change& change, sdk::Context& context) const;

    const ReleaseServices& services_;
};

}  // namespace stele::releases

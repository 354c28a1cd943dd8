#pragma once

#include <stele/sdk/resource.hpp>

#include "archive_store.hpp"

namespace stele::archives {

/// A zip in a vault, found by its group, artifact and version (docs/specification/interface.md 3.7;
/// docs/specification/platform.md 13). An upload makes it, no JSON body.
class Archive final : public sdk::Resource {
public:
    /// `store` must outlive it.
    explicit Archive(const ArchiveStore& store) : store_(store) {}

    sdk::ResourceDescriptor describe() const override;
    /// An update that leaves out the coordinates or `published` keeps them; coordinates move to
    /// free ones only.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;

    /// POST {C} : a zip, or a form with one.
    sdk::Result<sdk::Reply> upload(const sdk::Call& call);
    /// GET {C}/lookup?group=&artifact=&version=
    sdk::Result<sdk::Reply> look_up(const sdk::Call& call);
    /// GET {C}/download?groupId=&artifactId=&versionId=
    sdk::Result<sdk::Reply> download_by_coordinates(const sdk::Call& call);
    /// GET {I}/download
    sdk::Result<sdk::Reply> download(const sdk::Call& call);
    /// GET {I}/copy?targetVaultId=
    sdk::Result<sdk::Reply> copy(const sdk::Call& call);
    /// POST {I}/publish
    sdk::Result<sdk::Reply> publish(const sdk::Call& call);
    /// POST {I}/unpublish
    sdk::Result<sdk::Reply> unpublish(const sdk::Call& call);

private:
    sdk::Result<sdk::Reply> zip_reply(const sdk::Call& call, const sdk::Document& archive) const;

    const ArchiveStore& store_;
};

}  // namespace stele::archives

#pragma once

#include <stele/sdk/services/content_sizes.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// Counts what lies in repositories, from every version of their nodes and deletions, the bytes of
/// attachments and the files.
class ContentSizes final : public sdk::ContentSizes {
public:
    explicit ContentSizes(Services& services) : services_(services) {}

    sdk::Result<std::optional<sdk::DataStoreSize>> content_size(
        const sdk::Reader& reader, const sdk::RecordKey& store) override;
    sdk::Result<void> for_each_binary(const sdk::Reader& reader, const VisitBinary& visit) override;

private:
    Services& services_;
};

}  // namespace stele::nodes

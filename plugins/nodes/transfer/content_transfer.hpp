#pragma once

#include <stele/sdk/services/content_transfer.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// `sdk::ContentTransfer` over branches.
class ContentTransfer final : public sdk::ContentTransfer {
public:
    explicit ContentTransfer(Services& services) : services_(services) {}

    sdk::Result<std::unique_ptr<sdk::ContentSource>> open(
        sdk::Context& context, const sdk::ContentSelection& selection,
        sdk::ContentOmissions& omissions) override;
    sdk::Result<void> expect(sdk::Context& context) override;
    sdk::Result<sdk::ContentReport> import(sdk::Context& context, sdk::ContentSource& source,
                                           const sdk::ContentTarget& target) override;
    sdk::Result<void> move_on(sdk::Context& context) override;

private:
    Services& services_;
};

}  // namespace stele::nodes

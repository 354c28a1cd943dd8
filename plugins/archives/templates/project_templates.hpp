#pragma once

#include <stele/sdk/services/project_templates.hpp>

#include "templates/transfer_bound.hpp"
#include "transfer/transfer_services.hpp"

namespace stele::archives {

/// Published archives of projects. The services outlive it.
class PublishedProjects final : public sdk::ProjectTemplates {
public:
    explicit PublishedProjects(const TransferServices& services)
        : services_(services), bound_(services.most_running) {}

    sdk::Result<std::vector<sdk::Json>> list(sdk::Context& context) override;
    sdk::Result<void> apply(sdk::Context& context, std::string_view name,
                            const sdk::RecordKey& project) override;

private:
    const TransferServices& services_;
    TransferBound bound_;
};

}  // namespace stele::archives

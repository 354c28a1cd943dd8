#pragma once

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/inner_operations.hpp>
#include <stele/sdk/services/jobs.hpp>

#include "project_invitation.hpp"

namespace stele::platform {

/// Work with a stack of data stores of its own, or one that it shares
/// (docs/specification/platform.md 8.2).
class Project final : public sdk::Resource {
public:
    explicit Project(const ProjectServices& services) : services_(services) {}

    sdk::ResourceDescriptor describe() const override;
    /// Makes the stack of a project that names none; a removed one takes its own stack and its UI
    /// configs along.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;
    /// `stack`, and its UI configs by their ids, `uiconfig/{id}`.
    sdk::Result<std::vector<sdk::Companion>> companions(sdk::Context& context,
                                                        const sdk::Document& project) override;
    /// A UI config says itself which project it is of.
    sdk::Result<void> accompany(sdk::Context& context, const sdk::Document& project,
                                const sdk::Companion& companion) override;
    sdk::Result<std::vector<sdk::RecordKey>> bounded_by(const sdk::Reader& store,
                                                        const sdk::RecordKey& record) override;

    /// POST {I}/users/invite?id= or ?email=
    sdk::Result<sdk::Reply> invite(const sdk::Call& call);
    /// POST {I}/admin/maintenance
    sdk::Result<sdk::Reply> maintain(const sdk::Call& call);

private:
    sdk::Result<void> fill(const sdk::Document& project, sdk::Context& context) const;

    ProjectServices services_;
};

/// The job that creates a project (`/projects/start`).
class ProjectJobs {
public:
    static constexpr char kType[] = "create-project";

    /// All must outlive it.
    ProjectJobs(sdk::Jobs& jobs, sdk::InnerOperations& operations);

    /// Starts the job with the body as the project's fields; `schedule=synchronous` waits for it.
    sdk::Result<sdk::Reply> start(const sdk::Call& call) const;

private:
    sdk::Jobs& jobs_;
};

/// What a project can be made from: nothing, and published archives of projects.
sdk::Result<sdk::Reply> list_project_types(sdk::Registrar& registrar, const sdk::Call& call);

}  // namespace stele::platform

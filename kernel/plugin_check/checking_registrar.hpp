#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <typeindex>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/platforms.hpp>
#include <stele/sdk/services/usage.hpp>

#include "kernel/job/job_service.hpp"
#include "kernel/resource/operations/family_operations.hpp"
#include "kernel/resource/operations/record_lists.hpp"
#include "kernel/resource/record/row_query.hpp"
#include "kernel/resource/registration/seed_members.hpp"
#include "kernel/resource/registry/registry.hpp"
#include "kernel/resource/upkeep/upkeep.hpp"
#include "kernel/resource/work/collection_indexes.hpp"
#include "kernel/resource/work/inner_rights.hpp"
#include "kernel/resource/work/record_binaries.hpp"
#include "kernel/storage/blob/blob_providers.hpp"

namespace stele::kernel::plugin_check {

/// Takes what plugins register, by the same rules as the server, without a store: whoever reads or
/// writes the store in `open` is told so.
class CheckingRegistrar final : public sdk::Registrar {
public:
    CheckingRegistrar();
    ~CheckingRegistrar() override;

    /// The plugin whose `open` is called next.
    void begin(std::string plugin_id) { plugin_id_ = std::move(plugin_id); }
    /// The first thing that a plugin registered wrongly.
    const std::optional<sdk::Error>& refusal() const { return refusal_; }
    resource::Registry& registry() { return registry_; }

    void add(std::unique_ptr<sdk::Resource> resource) override;
    void add(sdk::Endpoint endpoint) override;
    void add(std::string provider, std::unique_ptr<sdk::BlobStore> binaries) override;
    void on_install(
        std::function<sdk::Result<void>(sdk::Context&, const sdk::Json& seed)> install) override;
    void add_seed(sdk::SeedMember member) override;
    void on_platform_removed(std::function<sdk::Result<bool>(sdk::Context&)> step) override;
    std::string setting(sdk::Setting setting) override;
    sdk::Engine& engine() override;
    sdk::Result<void> run_as_system(
        const sdk::PlatformScope& platform,
        const std::function<sdk::Result<void>(sdk::Context&)>& work) override;
    sdk::Result<sdk::PlatformScope> find_platform(std::uint64_t number) override;
    sdk::PlatformScope root_platform() override;
    std::string shared_key_space(std::string_view name) override;

private:
    void publish_typed(std::type_index type, void* service) override;
    void* find_typed(std::type_index type) override;
    void refuse(sdk::Error error);

    std::string plugin_id_;
    std::optional<sdk::Error> refusal_;
    std::unique_ptr<sdk::Engine> engine_;
    std::unique_ptr<sdk::Platforms> platforms_;
    std::unique_ptr<sdk::Usage> usage_;
    /// What the kernel itself publishes; jobs are defined, none runs.
    job::JobService jobs_;
    resource::RowQuery row_query_;
    resource::RecordLists record_lists_;
    resource::FamilyOperations family_operations_;
    resource::Upkeep upkeep_;
    resource::InnerRights inner_rights_;
    resource::CollectionIndexes collection_indexes_;
    resource::RecordBinaries record_binaries_;
    std::map<std::type_index, void*> services_;
    std::set<std::string> settings_;
    storage::BlobProviders binaries_;
    resource::SeedMembers seed_members_;
    resource::Registry registry_;
};

}  // namespace stele::kernel::plugin_check

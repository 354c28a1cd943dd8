#pragma once

#include <memory>
#include <vector>

#include "kernel/admin/admin_socket.hpp"
#include "kernel/audit/audit_log.hpp"
#include "kernel/http/connection/server.hpp"
#include "kernel/http/log/access_log.hpp"
#include "kernel/http/pipeline/caller_service.hpp"
#include "kernel/http/pipeline/request_pipeline.hpp"
#include "kernel/instance/disk_watch.hpp"
#include "kernel/instance/engine_choice.hpp"
#include "kernel/instance/instance.hpp"
#include "kernel/instance/secret_keys.hpp"
#include "kernel/job/job_service.hpp"
#include "kernel/job/worker_pool.hpp"
#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/operations/activity_notes.hpp"
#include "kernel/resource/operations/family_operations.hpp"
#include "kernel/resource/operations/inner_operations.hpp"
#include "kernel/resource/operations/record_lists.hpp"
#include "kernel/resource/record/row_query.hpp"
#include "kernel/resource/registration/platform_service.hpp"
#include "kernel/resource/registration/plugin_registrar.hpp"
#include "kernel/resource/upkeep/blob_collector.hpp"
#include "kernel/resource/upkeep/housekeeper.hpp"
#include "kernel/resource/upkeep/upkeep.hpp"
#include "kernel/resource/upkeep/usage_counter.hpp"
#include "kernel/resource/work/collection_indexes.hpp"
#include "kernel/resource/work/families.hpp"
#include "kernel/resource/work/inner_rights.hpp"
#include "kernel/resource/work/record_binaries.hpp"

namespace stele::kernel::instance {

/// Plugins may keep theirs, and they keep what the store and its families use of plugins, so these
/// outlive them.
using Registrars = std::vector<std::unique_ptr<resource::PluginRegistrar>>;

struct Instance::State {
    std::filesystem::path data;
    config::Settings settings;
    SecretKeys secret_keys;
    plugin::PluginHost host;
    EngineRegistrars engine_registrars;
    Registrars registrars;
    std::unique_ptr<resource::Services> services;
    resource::ServiceTable published;
    std::vector<resource::Installation> installations;
    resource::SeedMembers seed_members;
    std::vector<plugin::PluginFile> plugins;
    std::unique_ptr<audit::AuditLog> audit_log;
    std::unique_ptr<resource::ActivityNotes> activities;
    std::unique_ptr<job::JobService> jobs;
    std::unique_ptr<resource::RowQuery> row_query;
    resource::RecordLists record_lists;
    resource::FamilyOperations family_operations;
    std::unique_ptr<resource::InnerOperations> inner_operations;
    std::unique_ptr<resource::Families> families;
    resource::Upkeep upkeep;
    resource::InnerRights inner_rights;
    resource::CollectionIndexes collection_indexes;
    resource::RecordBinaries record_binaries;
    std::unique_ptr<resource::PlatformService> platforms;
    http::CallerService callers;
    std::unique_ptr<resource::UsageCounter> usage;
    std::unique_ptr<resource::Housekeeper> housekeeper;
    std::unique_ptr<resource::BlobCollector> blob_collector;
    std::unique_ptr<DiskWatch> disk_watch;
    std::unique_ptr<job::WorkerPool> workers;
    /// Null when none is wanted. Connections use it until their end.
    std::unique_ptr<http::AccessLog> access_log;
    std::unique_ptr<http::RequestPipeline> pipeline;
    std::unique_ptr<http::Server> server;
    std::unique_ptr<admin::AdminServer> administration;

    template <class Service>
    Service* service() const {
        const auto found = published.find(typeid(Service));
        return found == published.end() ? nullptr : static_cast<Service*>(found->second);
    }
};

/// What comes before a store is opened.
sdk::Result<void> read_settings(config::Settings& settings, const InstanceOptions& options);
struct FoundPlugins {
    std::vector<plugin::PluginFile> enabled;  ///< in the order in which they are opened
    std::vector<std::string> others;          ///< ids of those that are not enabled
};
sdk::Result<FoundPlugins> find_plugins(const InstanceOptions& options);

}  // namespace stele::kernel::instance

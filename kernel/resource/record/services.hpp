#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/sealer.hpp>
#include <stele/sdk/services/content_sizes.hpp>
#include <stele/sdk/services/principal_directory.hpp>
#include <stele/sdk/services/record_transfer.hpp>
#include <stele/sdk/services/team_groups.hpp>
#include <stele/sdk/services/tenants.hpp>

#include "kernel/authority/authority_cache.hpp"
#include "kernel/authority/authority_store.hpp"
#include "kernel/job/background_thread.hpp"
#include "kernel/resource/record/held_statistics.hpp"
#include "kernel/resource/record/index_wishes.hpp"
#include "kernel/resource/record/opened_records.hpp"
#include "kernel/resource/record/path_cache.hpp"
#include "kernel/resource/record/platforms.hpp"
#include "kernel/resource/record/record_rights.hpp"
#include "kernel/resource/record/records.hpp"
#include "kernel/resource/record/references.hpp"
#include "kernel/resource/record/teams.hpp"
#include "kernel/resource/registry/registry.hpp"
#include "kernel/storage/blob/blob_providers.hpp"
#include "kernel/storage/blob/blob_writers.hpp"
#include "kernel/storage/document/document_store.hpp"

namespace stele::kernel::resource {

class ActivityNotes;

/// One plugin's step of removing what it keeps about a platform outside of it.
struct PlatformRemoval {
    std::string plugin_id;
    /// True when nothing is left.
    std::function<sdk::Result<bool>(sdk::Context&)> step;
};

/// What one plugin compares at `stele check`.
struct PluginCheck {
    std::string plugin_id;
    std::function<void(std::vector<std::string>& differences)> check;
};

/// What one plugin begins when the server is about to serve.
struct PluginStart {
    std::string plugin_id;
    std::function<void()> start;
};

/// What one plugin does before the store closes.
struct PluginStop {
    std::string plugin_id;
    std::function<void()> stop;
};

/// Everything that operations work with: one of each for the whole server. Built once, in the order
/// of the members; read by any thread.
struct Services {
    Services(std::unique_ptr<sdk::Engine> opened_engine, sdk::Sealer opened_sealer);

    std::unique_ptr<sdk::Engine> engine;
    sdk::Sealer sealer;
    Registry registry;
    storage::NameTable names;
    storage::DocumentStore documents;
    storage::BlobProviders binaries;
    /// Held shared by whoever needs the binaries that the store of a moment refers to.
    std::shared_mutex keeping_blobs;
    storage::BlobWriters blob_writers;
    Platforms platforms;
    Records records;
    References references;
    RecordRights rights;
    PathCache paths;
    OpenedRecords opened;
    HeldStatistics held_statistics;
    IndexWishes index_wishes;
    authority::AuthorityStore authorities;
    authority::AuthorityCache authority_cache;
    /// What plugins do for platforms that were removed.
    std::vector<PlatformRemoval> platform_removals;
    std::vector<PluginStart> starts;
    std::vector<PluginStop> stops;
    std::vector<PluginCheck> checks;
    /// The server's own; empty where there is none, as in tests.
    std::filesystem::path data_folder;
    /// Woken when there is something to clear away behind the callers' backs.
    job::BackgroundThread housekeeping;
    /// What goes into the audit log; null where there is none, as in tests.
    ActivityNotes* activities = nullptr;
    /// Published by plugins; null when none does.
    sdk::PrincipalDirectory* principals = nullptr;
    sdk::TeamGroups* team_groups = nullptr;
    sdk::Tenants* tenants = nullptr;
    sdk::ContentSizes* content_sizes = nullptr;
    sdk::RecordTransfer* transfer = nullptr;
    TeamService teams{*this};
    /// The setting `pagination.sort_numbers: numeric`.
    bool has_numeric_sort = false;
    std::int64_t default_limit = 1000;
    /// Of a record's text as it is stored.
    std::size_t max_record_bytes = std::size_t{16} * 1024 * 1024;
};

}  // namespace stele::kernel::resource

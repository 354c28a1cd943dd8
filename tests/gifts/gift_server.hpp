#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/job/job_service.hpp"
#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/operations/family_operations.hpp"
#include "kernel/resource/operations/inner_operations.hpp"
#include "kernel/resource/operations/record_lists.hpp"
#include "kernel/resource/record/row_query.hpp"
#include "kernel/resource/registration/platform_service.hpp"
#include "kernel/resource/registration/plugin_registrar.hpp"
#include "kernel/resource/upkeep/upkeep.hpp"
#include "kernel/resource/work/collection_indexes.hpp"
#include "kernel/resource/work/families.hpp"
#include "kernel/resource/work/inner_rights.hpp"
#include "kernel/resource/work/record_binaries.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::gifts {

using resource::testing::value_of;

/// The services of a server in this process over an engine in memory, with the real plugins
/// identity, access_policies, platform and archives, and two families of data stores of its own:
///
///     /webhosts/{webhostId}/pages/{pageId}
///     /repositories/{repositoryId}/drawers/{drawerId}      grants with READ reach inside
///
/// Lives until the process ends, as plugins want it.
class GiftServer {
public:
    static GiftServer& instance();
    /// Another one, with the plugin nodes in place of these families and of archives.
    static GiftServer& with_nodes();
    /// The same once more, as jobs of a server run once only.
    static GiftServer& with_tenants();

    using Parameters = resource::testing::TestRequest::Parameters;

    /// A whole request: `route` is a template (`/domains/{domainId}/principals`), whose
    /// placeholders the values take in order.
    sdk::Result<sdk::Json> request(const sdk::SessionPtr& session, const std::string& method,
                                   const std::string& route, std::vector<std::string> values,
                                   Parameters parameters = {},
                                   sdk::Json body = sdk::Json::object());
    /// The same as the server itself; it must succeed.
    sdk::Json as_system(const std::string& method, const std::string& route,
                        std::vector<std::string> values, Parameters parameters = {},
                        sdk::Json body = sdk::Json::object());
    void work(const std::function<sdk::Result<void>(sdk::Context&)>& work);
    /// Reads as somebody.
    void read_as(const sdk::SessionPtr& session,
                 const std::function<sdk::Result<void>(sdk::Context&)>& work);

    sdk::SessionPtr session_of(const std::string& domain, const std::string& id);
    sdk::RecordKey key_of(const sdk::CollectionName& collection, const std::string& id);

    /// Makes another platform, as a new tenant gets one.
    sdk::PlatformScope make_platform(const std::string& title);
    /// From now on everything is done on that platform.
    void stand_on(const sdk::PlatformScope& platform);

    const sdk::PlatformScope& platform() const { return system_->platform; }
    /// Every route, as `METHOD template`.
    std::vector<std::string> routes() const;
    bool has_route(const std::string& method, const std::string& route) const {
        return routes_.contains(method + " " + route);
    }
    resource::Services& services() { return *services_; }
    /// None runs before `start_running`.
    job::JobService& jobs() { return *jobs_; }
    const resource::Families& families() const { return *families_; }
    resource::InnerOperations& operations() { return *inner_operations_; }

private:
    explicit GiftServer(bool has_nodes);
    void publish();
    void keep_files();
    void open_plugins(std::vector<std::string> plugins);

    /// With what plugins keep in them they outlive the store.
    std::vector<std::unique_ptr<resource::PluginRegistrar>> registrars_;
    std::unique_ptr<resource::Services> services_;
    std::unique_ptr<job::JobService> jobs_;
    std::unique_ptr<resource::RowQuery> row_query_;
    std::unique_ptr<resource::PlatformService> platforms_;
    std::unique_ptr<resource::InnerOperations> inner_operations_;
    std::unique_ptr<resource::Families> families_;
    resource::FamilyOperations family_operations_;
    resource::RecordBinaries record_binaries_;
    resource::Upkeep upkeep_;
    resource::InnerRights inner_rights_;
    resource::RecordLists record_lists_;
    resource::CollectionIndexes collection_indexes_;
    config::Settings settings_;
    plugin::PluginHost host_;
    resource::ServiceTable published_;
    std::vector<resource::Installation> installations_;
    std::map<std::string, const resource::Route*> routes_;
    sdk::SessionPtr system_;
    std::string client_;
};

}  // namespace stele::kernel::gifts

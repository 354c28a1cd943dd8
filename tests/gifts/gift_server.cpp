#include "tests/gifts/gift_server.hpp"

#include "kernel/resource/consistency/declarations.hpp"
#include "kernel/resource/consistency/standard_teams.hpp"
#include "kernel/resource/registration/registration.hpp"
#include "kernel/storage/blob/blob_directory.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::kernel::gifts {

namespace {

/// A family of which only the place is of interest.
class PlainFamily final : public sdk::Resource {
public:
    explicit PlainFamily(sdk::ResourceDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
    sdk::ResourceDescriptor describe() const override { return descriptor_; }

private:
    sdk::ResourceDescriptor descriptor_;
};

void add_family(resource::Services& services, const char* type, const char* container,
                const char* path, sdk::Capabilities capabilities) {
    sdk::ResourceDescriptor descriptor;
    descriptor.type = type;
    descriptor.container = container;
    descriptor.path = path;
    descriptor.placeholder = std::string(type) + "Id";
    descriptor.capabilities = capabilities;
    if (descriptor.container != "platform")
        descriptor.container_member = descriptor.container + "Id";
    resource::testing::expect(resource::add_family(
        services.registry, "gifts", std::make_unique<PlainFamily>(std::move(descriptor))));
}

}  // namespace

GiftServer& GiftServer::instance() {
    static GiftServer& server = *new GiftServer(false);
    return server;
}

GiftServer& GiftServer::with_nodes() {
    static GiftServer& server = *new GiftServer(true);
    return server;
}

GiftServer& GiftServer::with_tenants() {
    static GiftServer& server = *new GiftServer(true);
    return server;
}

void GiftServer::publish() {
    published_[typeid(sdk::Jobs)] = static_cast<sdk::Jobs*>(jobs_.get());
    published_[typeid(sdk::RowQuery)] = static_cast<sdk::RowQuery*>(row_query_.get());
    published_[typeid(sdk::InnerRights)] = static_cast<sdk::InnerRights*>(&inner_rights_);
    published_[typeid(sdk::RecordLists)] = static_cast<sdk::RecordLists*>(&record_lists_);
    published_[typeid(sdk::FamilyOperations)] =
        static_cast<sdk::FamilyOperations*>(&family_operations_);
    published_[typeid(sdk::InnerOperations)] =
        static_cast<sdk::InnerOperations*>(inner_operations_.get());
    published_[typeid(sdk::Families)] = static_cast<sdk::Families*>(families_.get());
    published_[typeid(sdk::RecordBinaries)] = static_cast<sdk::RecordBinaries*>(&record_binaries_);
    published_[typeid(sdk::Upkeep)] = static_cast<sdk::Upkeep*>(&upkeep_);
    published_[typeid(sdk::CollectionIndexes)] =
        static_cast<sdk::CollectionIndexes*>(&collection_indexes_);
    published_[typeid(sdk::Teams)] = static_cast<sdk::Teams*>(&services_->teams);
    published_[typeid(sdk::Platforms)] = static_cast<sdk::Platforms*>(platforms_.get());
}

/// Archives are bytes in a folder.
void GiftServer::keep_files() {
    static const stele::testing::TemporaryFolder folder;
    services_->data_folder = folder.path();
    resource::testing::expect(services_->binaries.add(
        sdk::kFileProvider, value_of(storage::open_blob_directory(folder.path() / "blobs", 0))));
}

GiftServer::GiftServer(bool has_nodes)
    : services_(std::make_unique<resource::Services>(
          std::make_unique<sdk::testing::MemoryEngine>(),
          sdk::Sealer(std::string(sdk::Sealer::kKeySize, 'k')))) {
    resource::add_kernel_families(services_->registry);
    jobs_ = std::make_unique<job::JobService>(*services_->engine, job::JobRunnerOptions{});
    row_query_ = std::make_unique<resource::RowQuery>(false);
    platforms_ = std::make_unique<resource::PlatformService>(*services_, installations_);
    inner_operations_ = std::make_unique<resource::InnerOperations>(*services_);
    families_ = std::make_unique<resource::Families>(*services_);
    publish();
    if (has_nodes) {
        open_plugins({"identity", "access_policies", "platform", "nodes"});
    } else {
        add_family(*services_, "webhost", "platform", "webhosts", {.data_store = true});
        add_family(*services_, "page", "webhost", "pages", {});
        add_family(*services_, "repository", "platform", "repositories",
                   {.data_store = true, .reaching_grants = true});
        add_family(*services_, "drawer", "repository", "drawers", {});
        keep_files();
        open_plugins({"identity", "access_policies", "platform", "archives"});
    }
    for (const resource::Route& route : services_->registry.routes())
        routes_.emplace(route.method + " " + route.path, &route);

    const auto made =
        sdk::write_with_retry(*services_->engine, [this](sdk::Transaction& transaction) {
            auto scope = services_->platforms.create(transaction, "Gifts");
            return scope ? sdk::Result<void>() : sdk::Result<void>(scope.error());
        });
    resource::testing::expect(made);
    const sdk::PlatformScope root = value_of(services_->platforms.root());
    resource::testing::expect(resource::apply_declarations(*services_));
    resource::testing::expect(
        resource::install_plugins(*services_, installations_, root, {}, true));
    resource::testing::expect(resource::give_standard_teams(*services_));
    stand_on(root);
}

sdk::PlatformScope GiftServer::make_platform(const std::string& title) {
    sdk::PlatformScope made;
    work([&](sdk::Context& context) -> sdk::Result<void> {
        auto platform = platforms_->create(context, title);
        if (!platform) return platform.error();
        made = *std::move(platform);
        return {};
    });
    return made;
}

void GiftServer::stand_on(const sdk::PlatformScope& platform) {
    system_ = std::make_shared<const sdk::Session>(resource::system_session(platform));
    const sdk::Json clients = as_system("GET", "/clients", {});
    client_ = clients.at("rows").at(0).at("key").get<std::string>();
}

void GiftServer::open_plugins(std::vector<std::string> enabled) {
    const plugin::ScanResult found = plugin::scan({STELE_PLUGINS});
    const auto plugins = value_of(plugin::order(found, enabled));
    for (const plugin::PluginFile& file : plugins) {
        auto& registrar = registrars_.emplace_back(std::make_unique<resource::PluginRegistrar>(
            file.id, *services_, settings_, published_, installations_));
        resource::testing::expect(host_.open(file, *registrar));
        resource::testing::expect(registrar->finish());
    }
    const auto transfer = published_.find(typeid(sdk::RecordTransfer));
    if (transfer != published_.end())
        services_->transfer = static_cast<sdk::RecordTransfer*>(transfer->second);
    resource::testing::expect(
        resource::freeze(services_->registry, services_->transfer != nullptr));
    services_->principals =
        static_cast<sdk::PrincipalDirectory*>(published_.at(typeid(sdk::PrincipalDirectory)));
    const auto sizes = published_.find(typeid(sdk::ContentSizes));
    if (sizes != published_.end())
        services_->content_sizes = static_cast<sdk::ContentSizes*>(sizes->second);
    services_->team_groups = static_cast<sdk::TeamGroups*>(published_.at(typeid(sdk::TeamGroups)));
    auto* policies = static_cast<sdk::PolicySource*>(published_.at(typeid(sdk::PolicySource)));
    services_->authorities.set_policy_source(policies);
    services_->authority_cache.watch(*policies);
}

sdk::Result<sdk::Json> GiftServer::request(const sdk::SessionPtr& session,
                                           const std::string& method, const std::string& route,
                                           std::vector<std::string> values, Parameters parameters,
                                           sdk::Json body) {
    const auto found = routes_.find(method + " " + route);
    if (found == routes_.end()) throw std::logic_error("no route " + method + " " + route);
    resource::testing::TestRequest one(*services_, *found->second, std::move(values),
                                       std::move(parameters), session, std::move(body));
    auto reply = one.run();
    if (!reply) return reply.error();
    if (auto committed = one.commit(); !committed) return committed.error();
    return sdk::parse_json(reply->take_body());
}

sdk::Json GiftServer::as_system(const std::string& method, const std::string& route,
                                std::vector<std::string> values, Parameters parameters,
                                sdk::Json body) {
    return value_of(
        request(system_, method, route, std::move(values), std::move(parameters), std::move(body)));
}

void GiftServer::work(const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    resource::testing::expect(resource::run_as_system(*services_, platform(), work));
}

void GiftServer::read_as(const sdk::SessionPtr& session,
                         const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    resource::testing::expect(inner_operations_->read_as(platform(), session->principal, work));
}

sdk::SessionPtr GiftServer::session_of(const std::string& domain, const std::string& id) {
    sdk::Session session;
    session.platform = platform();
    session.client_key = client_;
    work([&](sdk::Context& context) -> sdk::Result<void> {
        auto principal = services_->principals->find(context, domain + "/" + id);
        if (!principal) return principal.error();
        session.principal = *std::move(principal);
        return {};
    });
    return std::make_shared<const sdk::Session>(std::move(session));
}

sdk::RecordKey GiftServer::key_of(const sdk::CollectionName& collection, const std::string& id) {
    sdk::RecordKey key;
    work([&](sdk::Context& context) -> sdk::Result<void> {
        auto record = context.documents().read(collection, id);
        if (!record) return record.error();
        key = record->key;
        return {};
    });
    return key;
}

std::vector<std::string> GiftServer::routes() const {
    std::vector<std::string> names;
    for (const auto& [name, route] : routes_)
        names.push_back(name);
    return names;
}

}  // namespace stele::kernel::gifts

#include "kernel/plugin_check/checking_registrar.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/services/families.hpp>
#include <stele/sdk/services/inner_operations.hpp>
#include <stele/sdk/services/teams.hpp>

#include "kernel/resource/registration/registration.hpp"
#include "kernel/resource/registry/plugin_setting.hpp"

namespace stele::kernel::plugin_check {

namespace {

/// May be kept for later, as plugins do in `open`, but not used before the server serves.
class UnopenedEngine final : public sdk::Engine {
public:
    std::unique_ptr<sdk::Reader> snapshot() override { refuse(); }
    std::unique_ptr<sdk::Transaction> begin() override { refuse(); }
    bool is_local() const override { return true; }
    void observe(std::string, sdk::CommitObserver) override {}
    std::uint64_t approximate_size(const sdk::KeyRange&) override { refuse(); }

private:
    [[noreturn]] static void refuse() {
        throw std::logic_error("the store is used before the server serves");
    }
};

class UnopenedTeams final : public sdk::Teams {
public:
    sdk::Result<sdk::Team> create(sdk::Context&, const sdk::RecordKey&, std::string_view,
                                  const sdk::Json&) override {
        refuse();
    }
    sdk::Result<std::optional<sdk::Team>> find(sdk::Context&, const sdk::RecordKey&,
                                               std::string_view) override {
        refuse();
    }
    sdk::Result<std::optional<sdk::Team>> team_of(sdk::Context&, const sdk::RecordKey&) override {
        refuse();
    }
    sdk::Result<sdk::Json> describe(sdk::Context&, const sdk::Team&) override { refuse(); }

private:
    [[noreturn]] static void refuse() {
        throw std::logic_error("teams are used before the server serves");
    }
};

/// The same for operations of jobs.
class UnopenedOperations final : public sdk::InnerOperations {
public:
    bool is_offered(std::string_view, bool, const sdk::InnerOperation&) const override { refuse(); }
    sdk::Result<sdk::Reply> on_record(sdk::Context&, const sdk::RecordKey&,
                                      const sdk::InnerOperation&) override {
        refuse();
    }
    sdk::Result<sdk::Reply> on_collection(sdk::Context&, std::string_view, const sdk::RecordKey&,
                                          const sdk::InnerOperation&) override {
        refuse();
    }
    sdk::Result<void> run_as(const sdk::PlatformScope&, const sdk::Principal&,
                             const std::function<sdk::Result<void>(sdk::Context&)>&) override {
        refuse();
    }
    sdk::Result<void> read_as(const sdk::PlatformScope&, const sdk::Principal&,
                              const std::function<sdk::Result<void>(sdk::Context&)>&) override {
        refuse();
    }

private:
    [[noreturn]] static void refuse() {
        throw std::logic_error("operations are run before the server serves");
    }
};

/// The same for the families, of which not all are there yet.
class UnopenedFamilies final : public sdk::Families {
public:
    const sdk::FamilyInfo* find(std::string_view) const override { refuse(); }
    const sdk::FamilyInfo* find_word(std::string_view) const override { refuse(); }
    sdk::Result<const sdk::FamilyInfo*> of(sdk::Context&, const sdk::RecordKey&) const override {
        refuse();
    }
    sdk::Result<std::optional<sdk::RecordKey>> container_of(sdk::Context&,
                                                            const sdk::RecordKey&) const override {
        refuse();
    }
    sdk::Result<void> for_each(
        sdk::Context&, std::string_view, const sdk::RecordKey&,
        const std::function<sdk::Result<bool>(const sdk::RecordKey&)>&) const override {
        refuse();
    }
    sdk::Result<std::vector<sdk::Companion>> companions(sdk::Context&,
                                                        const sdk::RecordKey&) const override {
        refuse();
    }
    sdk::Result<void> accompany(sdk::Context&, const sdk::RecordKey&,
                                const sdk::Companion&) const override {
        refuse();
    }
    sdk::Result<sdk::Json> secrets(sdk::Context&, const sdk::RecordKey&) const override {
        refuse();
    }
    sdk::Result<bool> restore_secrets(sdk::Context&, const sdk::RecordKey&,
                                      const sdk::Json&) const override {
        refuse();
    }

private:
    [[noreturn]] static void refuse() {
        throw std::logic_error("families are asked about before the server serves");
    }
};

/// The same for platforms.
class UnopenedPlatforms final : public sdk::Platforms {
public:
    sdk::Result<sdk::PlatformScope> create(sdk::Context&, std::string_view) override { refuse(); }
    sdk::Result<sdk::PlatformScope> find(sdk::Context&, std::string_view) override { refuse(); }
    sdk::Result<void> run_on(sdk::Context&, const sdk::PlatformScope&,
                             const std::function<sdk::Result<void>(sdk::Context&)>&) override {
        refuse();
    }
    sdk::Result<void> set_open(sdk::Context&, const sdk::PlatformScope&, bool) override {
        refuse();
    }
    sdk::Result<void> remove(sdk::Context&, const sdk::PlatformScope&) override { refuse(); }

private:
    [[noreturn]] static void refuse() {
        throw std::logic_error("platforms are used before the server serves");
    }
};

/// The same for figures.
class UnopenedUsage final : public sdk::Usage {
public:
    sdk::Result<sdk::MonthlyUsage> read(sdk::Context&, const sdk::PlatformScope&,
                                        std::chrono::year_month) override {
        throw std::logic_error("figures are read before the server serves");
    }
    sdk::Result<void> close(sdk::Context&, const sdk::PlatformScope&, std::int64_t) override {
        throw std::logic_error("figures are closed before the server serves");
    }
    void on_written(Written) override {}
};

bool is_setting_name(std::string_view name) {
    return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") ==
                                std::string_view::npos;
}

}  // namespace

CheckingRegistrar::CheckingRegistrar()
    : engine_(std::make_unique<UnopenedEngine>()),
      platforms_(std::make_unique<UnopenedPlatforms>()),
      usage_(std::make_unique<UnopenedUsage>()),
      jobs_(*engine_, {}),
      row_query_(false) {
    resource::add_kernel_families(registry_);
    static UnopenedTeams teams;
    static UnopenedOperations operations;
    static UnopenedFamilies families;
    services_[typeid(sdk::InnerOperations)] = static_cast<sdk::InnerOperations*>(&operations);
    services_[typeid(sdk::Families)] = static_cast<sdk::Families*>(&families);
    services_[typeid(sdk::Teams)] = static_cast<sdk::Teams*>(&teams);
    services_[typeid(sdk::Jobs)] = static_cast<sdk::Jobs*>(&jobs_);
    services_[typeid(sdk::RowQuery)] = static_cast<sdk::RowQuery*>(&row_query_);
    services_[typeid(sdk::RecordLists)] = static_cast<sdk::RecordLists*>(&record_lists_);
    services_[typeid(sdk::InnerRights)] = static_cast<sdk::InnerRights*>(&inner_rights_);
    services_[typeid(sdk::FamilyOperations)] =
        static_cast<sdk::FamilyOperations*>(&family_operations_);
    services_[typeid(sdk::Upkeep)] = static_cast<sdk::Upkeep*>(&upkeep_);
    services_[typeid(sdk::CollectionIndexes)] =
        static_cast<sdk::CollectionIndexes*>(&collection_indexes_);
    services_[typeid(sdk::RecordBinaries)] = static_cast<sdk::RecordBinaries*>(&record_binaries_);
    services_[typeid(sdk::Platforms)] = platforms_.get();
    services_[typeid(sdk::Usage)] = usage_.get();
}
CheckingRegistrar::~CheckingRegistrar() = default;

void CheckingRegistrar::refuse(sdk::Error error) {
    if (!refusal_) refusal_ = std::move(error);
}

void CheckingRegistrar::add(std::unique_ptr<sdk::Resource> resource) {
    auto added = resource::add_family(registry_, plugin_id_, std::move(resource));
    if (!added) refuse(added.error());
}

void CheckingRegistrar::add(std::string provider, std::unique_ptr<sdk::BlobStore> binaries) {
    auto added = binaries_.add(std::move(provider), std::move(binaries));
    if (!added) refuse(added.error());
}

void CheckingRegistrar::add(sdk::Endpoint endpoint) {
    auto added = resource::add_endpoint(registry_, plugin_id_, std::move(endpoint));
    if (!added) refuse(added.error());
}

void CheckingRegistrar::on_install(
    std::function<sdk::Result<void>(sdk::Context&, const sdk::Json&)> install) {
    if (install) return;
    refuse(sdk::make_error(sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
                           fmt::format("plugin {}: on_install got an empty function", plugin_id_)));
}

void CheckingRegistrar::add_seed(sdk::SeedMember member) {
    auto added = seed_members_.add(plugin_id_, std::move(member));
    if (!added) refuse(added.error());
}

void CheckingRegistrar::on_platform_removed(std::function<sdk::Result<bool>(sdk::Context&)> step) {
    if (step) return;
    refuse(sdk::make_error(
        sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
        fmt::format("plugin {}: on_platform_removed got an empty function", plugin_id_)));
}

std::string CheckingRegistrar::setting(sdk::Setting setting) {
    const std::string key = fmt::format("{}.{}", plugin_id_, setting.name);
    std::string problem;
    if (!is_setting_name(setting.name)) problem = "its name is not in small letters";
    if (setting.description.empty()) problem = "it has no description";
    if (!settings_.insert(key).second) problem = "it is declared twice";
    config::Settings defaults;
    auto value = resource::read_plugin_setting(defaults, plugin_id_, setting);
    if (!value) problem = "its default is not what it may be";
    if (!problem.empty()) {
        refuse(sdk::make_error(sdk::ErrorKind::invalid, "plugin.descriptor_incomplete",
                               fmt::format("plugin {}: setting {}: {}", plugin_id_, key, problem)));
    }
    return std::move(setting.default_value);
}

sdk::Engine& CheckingRegistrar::engine() {
    return *engine_;
}

sdk::Result<void> CheckingRegistrar::run_as_system(
    const sdk::PlatformScope&, const std::function<sdk::Result<void>(sdk::Context&)>&) {
    throw std::logic_error("the store is used before the server serves");
}

sdk::Result<sdk::PlatformScope> CheckingRegistrar::find_platform(std::uint64_t) {
    throw std::logic_error("platforms are looked up before the server serves");
}

sdk::PlatformScope CheckingRegistrar::root_platform() {
    return {.number = 1, .id = "root", .root = "root"};
}

std::string CheckingRegistrar::shared_key_space(std::string_view name) {
    return fmt::format("shared/{}/", name);
}

void CheckingRegistrar::publish_typed(std::type_index type, void* service) {
    services_[type] = service;
}

void* CheckingRegistrar::find_typed(std::type_index type) {
    const auto found = services_.find(type);
    return found == services_.end() ? nullptr : found->second;
}

}  // namespace stele::kernel::plugin_check

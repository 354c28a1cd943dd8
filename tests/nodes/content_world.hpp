#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/services/principal_directory.hpp>

#include "attachment/content_sizes.hpp"
#include "branch/services.hpp"
#include "kernel/config/settings.hpp"
#include "kernel/job/job_service.hpp"
#include "kernel/resource/operations/record_lists.hpp"
#include "kernel/resource/record/row_query.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/registration/plugin_registrar.hpp"
#include "kernel/resource/work/collection_indexes.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::tests {

/// Knows two users, by their ids.
class UserDirectory final : public sdk::PrincipalDirectory {
public:
    std::vector<sdk::Principal> users;

    sdk::Result<sdk::Principal> find(sdk::Context& context, std::string_view form,
                                     std::string_view home_domain) override;
    sdk::Result<sdk::Principal> describe(sdk::Context& context, const sdk::RecordKey& key) override;
    sdk::Result<bool> can_log_in(sdk::Context& context, const sdk::Principal& user) override;
};

/// The kernel's services with the families of nodes, over a store of their own: what a server is
/// without its protocol. One platform, one repository, two users who own everything.
class ContentWorld {
public:
    using Parameters = std::vector<std::pair<std::string, std::string>>;
    struct Request {
        std::string_view method;
        /// Below the repository's branches, as the routes are written: `/{branchId}/nodes`.
        std::string_view path;
        std::vector<std::string> values;
        Parameters parameters = {};
        sdk::Json body = sdk::Json::object();
    };

    ContentWorld();
    ~ContentWorld();

    /// The operation with everything around it, commit included; conflicts are repeated.
    sdk::Result<sdk::Json> ask(std::size_t user, const Request& request);
    /// Work of a user in a transaction of its own, committed where it succeeds; whether it wrote.
    sdk::Result<bool> work(std::size_t user,
                           const std::function<sdk::Result<void>(sdk::Context&)>& work);
    /// A user with a role on everything; by number. Without one they have no right at all.
    std::size_t add_user(const std::string& id, std::string_view role);
    const sdk::Principal& user(std::size_t user) const { return sessions_[user]->principal; }
    /// Another repository: the key of its master branch.
    sdk::RecordKey add_repository();
    /// Waits for a job and answers how it ended.
    sdk::Result<sdk::Json> wait(const std::string& job);

    const sdk::RecordKey& branch_key(const std::string& branch);
    const std::string& user_name(std::size_t user) const;
    nodes::Services& services() { return *services_; }
    kernel::resource::Services& kernel() { return kernel_; }
    const sdk::PlatformScope& platform() const { return platform_; }
    const std::string& master() const { return master_; }

private:
    void add_families();
    void make_repository();
    const kernel::resource::Route& route(std::string_view method, std::string_view path) const;
    sdk::Result<sdk::Json> ask_once(std::size_t user, const Request& request);

    testing::TemporaryFolder folder_;
    kernel::resource::Services kernel_;
    kernel::config::Settings settings_;
    kernel::resource::ServiceTable table_;
    std::vector<kernel::resource::Installation> installations_;
    kernel::resource::PluginRegistrar registrar_;
    kernel::resource::RowQuery rows_{false};
    kernel::resource::RecordLists lists_;
    kernel::resource::CollectionIndexes indexes_;
    UserDirectory users_;
    kernel::job::JobService jobs_;
    std::unique_ptr<nodes::Services> services_;
    std::unique_ptr<nodes::ContentSizes> sizes_;
    std::map<std::string, const kernel::resource::Route*, std::less<>> routes_;
    sdk::PlatformScope platform_;
    std::vector<sdk::SessionPtr> sessions_;
    std::map<std::string, sdk::RecordKey> branch_keys_;
    std::string repository_;
    std::string master_;
};

template <class T>
T must(sdk::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().code + ": " + result.error().message);
    return *std::move(result);
}
void must(const sdk::Result<void>& result);

}  // namespace stele::tests

#pragma once

#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/principal_directory.hpp>

#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/work/work_context.hpp"

/// The services of a server over an engine in memory, with families that contain one another:
///
///     /libraries/{libraryId}/shelves/{shelfId}/books/{bookId}
///
/// Each adds a member `shouted` to its records where the parameter `shout` asks for it, and writes
/// to the store what the parameter `carve` says.
namespace stele::kernel::resource::testing {

template <class T>
T value_of(sdk::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().code + ": " + result.error().message);
    return *std::move(result);
}
void expect(const sdk::Result<void>& result);

/// Knows the users that a test has made, by their ids.
class TestDirectory final : public sdk::PrincipalDirectory {
public:
    std::vector<sdk::Principal> principals;
    /// Those who have no password.
    std::set<sdk::RecordKey> locked_out;

    sdk::Result<sdk::Principal> find(sdk::Context& context, std::string_view form,
                                     std::string_view home_domain) override;
    sdk::Result<sdk::Principal> describe(sdk::Context& context, const sdk::RecordKey& key) override;
    sdk::Result<bool> can_log_in(sdk::Context& context, const sdk::Principal& user) override;
};

/// A request whose transaction begins when it is made; `run` does the rest.
class TestRequest {
public:
    using Parameters = std::vector<std::pair<std::string, std::string>>;

    TestRequest(Services& services, const Route& route, std::vector<std::string> values,
                Parameters parameters, sdk::SessionPtr session, sdk::Json body);

    /// Sends these bytes in place of the JSON.
    void send(std::string body, std::string content_type);
    /// Everything up to the handler's answer.
    sdk::Result<sdk::Reply> run();
    /// Commits what was written; a conflict is an error here.
    sdk::Result<void> commit();
    /// What comes between the commit and the answer.
    void complete(sdk::Reply& reply) { context_.complete(reply); }

    const RoutedCall& call() const { return call_; }
    RequestInput& input() { return input_; }
    WorkContext& context() { return context_; }

private:
    RequestInput input_;
    std::string raw_body_;
    std::string content_type_;
    WorkContext context_;
    RoutedCall call_;
};

class ResourceFixture {
public:
    /// `more` are families beside the fixture's own.
    explicit ResourceFixture(std::vector<std::unique_ptr<sdk::Resource>> more = {});

    /// A user without any right, `CONNECT` on the platform excepted.
    sdk::SessionPtr make_user(const std::string& id);
    sdk::SessionPtr system() const { return system_; }
    const sdk::PlatformScope& platform() const { return system_->platform; }

    /// Works in a transaction of the server.
    void as_system(const std::function<sdk::Result<void>(sdk::Context&)>& work);
    /// Creates a record as the server and answers its key.
    sdk::RecordKey create(const sdk::CollectionName& collection, sdk::Json fields);
    void grant(const sdk::RecordKey& record, const sdk::SessionPtr& user, std::string_view role,
               bool is_deep = false);
    void revoke(const sdk::RecordKey& record, const sdk::SessionPtr& user, std::string_view role);

    /// `path` may have a query string without escapes. A path that leads nowhere is a mistake of
    /// the test.
    std::unique_ptr<TestRequest> begin(const sdk::SessionPtr& session, std::string_view method,
                                       std::string_view path, sdk::Json body = sdk::Json::object());
    /// The whole request, commit included, without repetitions.
    sdk::Result<sdk::Reply> request(const sdk::SessionPtr& session, std::string_view method,
                                    std::string_view path, sdk::Json body = sdk::Json::object());
    /// The same as JSON; it must succeed.
    sdk::Json json(const sdk::SessionPtr& session, std::string_view method, std::string_view path,
                   sdk::Json body = sdk::Json::object());

    Services services;
    TestDirectory directory;

private:
    sdk::SessionPtr system_;
};

}  // namespace stele::kernel::resource::testing

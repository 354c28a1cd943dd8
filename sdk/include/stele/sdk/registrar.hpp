#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <typeindex>
#include <utility>
#include <vector>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/context.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/resource.hpp>
#include <stele/sdk/setting.hpp>

namespace stele::sdk {

struct SeedMember;

/// Who may call an endpoint.
enum class EndpointAccess {
    open,      ///< everybody, without a token
    platform,  ///< holders of `Endpoint::permission` on the platform
};

/// An operation at a path that no resource owns (`/oauth/token`, `/ref/read`).
struct Endpoint {
    std::string method;
    std::string path;   ///< placeholders in braces
    std::string title;  ///< what it does, for the OpenAPI document
    EndpointAccess access = EndpointAccess::platform;
    Permission permission = Permission::connect;
    std::function<Result<Reply>(const Call&)> run = {};
    std::vector<Parameter> parameters = {};
    bool paged = false;
    bool slow = false;
    /// The body is not JSON: `Call::body` stays `{}`, `Call::raw_body` has it.
    bool raw_body = false;
    /// Callers prove here who they are: those of an address that fails too often are turned away
    /// for a while (settings `limits.login_*`).
    bool checks_credentials = false;
    BodyUse body = BodyUse::parameters;
    Bounds bounds = {};
    /// As `Action::urgent`. What checks credentials is urgent anyway, as the way to what makes
    /// room.
    bool urgent = false;
    /// As `Action::takes` and `Action::answers`.
    Shape takes = {};
    Shape answers = {};
    /// Other paths of the same operation, with the same placeholders.
    std::vector<std::string> path_aliases = {};
};

/// Given to `PluginManifest::open`: the plugin says what it offers and asks for what it needs.
/// Nothing is served yet; no context exists. What a plugin gives must live as long as the
/// registrar, which outlives the store (`own`): a plugin may keep it, but adds nothing after `open`
/// has returned.
class Registrar {
public:
    virtual ~Registrar();

    /// Adds a family. A duplicate type or path stops start-up.
    virtual void add(std::unique_ptr<Resource> resource) = 0;
    virtual void add(Endpoint endpoint) = 0;
    /// Offers a place for binaries under the name by which a data store picks it. A duplicate name
    /// stops start-up.
    virtual void add(std::string provider, std::unique_ptr<BlobStore> binaries) = 0;

    /// Runs in a transaction of its own for every platform: at `stele init`, and at start-up when
    /// the platform has not seen this plugin. Acts as the system; must be safe to repeat. `seed`
    /// has the members of the seed file that this plugin takes (`add_seed`), `{}` when there are
    /// none. Order: as plugins require one another.
    virtual void on_install(std::function<Result<void>(Context&, const Json& seed)> install) = 0;

    /// Takes a member of the seed file. A name that is taken stops start-up
    /// (`plugin.seed_duplicate`).
    virtual void add_seed(SeedMember member);

    /// Runs for every platform that was removed, again and again, each time in a transaction of its
    /// own, until it answers true: nothing is left. Removes some hundred rows at a time of what the
    /// plugin keeps about the platform outside of it (`shared_key_space`); what lies on it goes by
    /// itself. The context has the platform's number and nothing else of it.
    virtual void on_platform_removed(std::function<Result<bool>(Context&)> step) = 0;

    /// The value of a setting of this plugin. One that does not fit stops start-up when `open` has
    /// returned (`config.value_invalid`, which names where it stands); `open` goes on with the
    /// default. Numbers, sizes too, come as digits.
    virtual std::string setting(Setting setting) = 0;
    /// One of the words.
    std::string choice(Setting setting, std::vector<std::string> one_of);
    std::int64_t number(Setting setting, std::int64_t least,
                        std::int64_t most = std::numeric_limits<std::int64_t>::max());
    /// A number of bytes, which may be written with a unit.
    std::int64_t bytes(Setting setting, std::int64_t least);
    bool flag(Setting setting);

    /// The store, for what happens outside of any request.
    virtual Engine& engine() = 0;
    /// What `Context::shared_key_space` answers, for reading and observing outside of a context.
    virtual std::string shared_key_space(std::string_view name) = 0;
    /// Runs `work` in a context of the server itself on the platform; retries conflicts; waits.
    virtual Result<void> run_as_system(const PlatformScope& platform,
                                       const std::function<Result<void>(Context&)>& work) = 0;
    /// The platform of a number; `not_found` when there is none, or (`platform.closed`) while it is
    /// closed.
    virtual Result<PlatformScope> find_platform(std::uint64_t number) = 0;
    virtual PlatformScope root_platform() = 0;

    /// The server's own folder, for what a plugin can make anew from the store; it takes a folder
    /// below, named by its purpose. Empty where there is none, as when a plugin is only checked.
    virtual std::filesystem::path data_folder();
    /// Runs once, when every plugin is open and the server is about to serve; never for a command
    /// that opens the store beside it, such as `stele check`. What a plugin does to the store by
    /// itself begins here, not when the plugin is opened. An exception keeps the server from
    /// starting.
    virtual void on_start(std::function<void()> start);
    /// Runs once, after the last request and before the store closes: ends a plugin's threads.
    virtual void on_stop(std::function<void()> stop);
    /// Runs at `stele check`, after records and indexes: compares what the plugin keeps beside them
    /// and adds a line for each difference, and for what it could not look at.
    virtual void on_check(std::function<void(std::vector<std::string>& differences)> check);

    /// Publishes an interface of `stele/sdk/services/` for others. One plugin per interface.
    template <class Service>
    void publish(Service& service) {
        publish_typed(typeid(Service), &service);
    }
    /// The published service of a plugin that this one requires, or of the kernel; null when nobody
    /// published it. Published services are found by plugins that are opened later.
    template <class Service>
    Service* find() {
        return static_cast<Service*>(find_typed(typeid(Service)));
    }

    /// Those without which the plugin cannot work, as a tuple of references; `unavailable`
    /// (`plugin.service_missing`, which names it) for the first that nobody published.
    template <class... Services>
    Result<std::tuple<Services&...>> require() {
        Result<void> found;
        ((found && find<Services>() == nullptr ? void(found = service_missing(typeid(Services)))
                                               : void()),
         ...);
        if (!found) return found.error();
        return std::tuple<Services&...>(*find<Services>()...);
    }

    /// Keeps an object as long as what a plugin gives must live: it is destroyed after the store is
    /// closed. Its thread, if it has one, ends before (`on_stop`).
    template <class Owned>
    Owned& own(std::unique_ptr<Owned> object) {
        Owned& kept = *object;
        owned_.push_back(std::move(object));
        return kept;
    }

private:
    static Error service_missing(std::type_index type);
    virtual void publish_typed(std::type_index type, void* service) = 0;
    virtual void* find_typed(std::type_index type) = 0;

    std::vector<std::shared_ptr<void>> owned_;
};

}  // namespace stele::sdk

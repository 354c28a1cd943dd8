#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/time.hpp>

#include "kernel/instance/instance_state.hpp"
#include "kernel/resource/consistency/declarations.hpp"
#include "kernel/resource/consistency/standard_teams.hpp"

namespace stele::kernel::instance {

namespace {

/// Says that the installation has run to its end, so that one that was cut off runs again.
std::string prepared_key() {
    return storage::plugin_space(0, "kernel.prepared");
}

/// Held by the server that prepares the store, with the time of its claim.
std::string claim_key() {
    return storage::plugin_space(0, "kernel.preparing");
}

/// Who claimed the store so long ago has died over it.
constexpr std::int64_t kClaimMs = 60'000;
constexpr std::chrono::milliseconds kClaimPause{200};

/// True when the store is this server's to prepare; false when it is prepared. Servers that start
/// on one empty store at the same time wait here for the first of them.
sdk::Result<bool> claim_preparation(sdk::Engine& engine) {
    while (true) {
        bool is_prepared = false;
        bool is_claimed = false;
        auto tried =
            sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
                auto prepared = transaction.get(prepared_key());
                auto claim = transaction.get(claim_key());
                if (!prepared) return prepared.error();
                if (!claim) return claim.error();
                const std::int64_t now = sdk::now_ms();
                is_prepared = prepared->has_value();
                is_claimed = claim->has_value() && now - sdk::read_counter(*claim) < kClaimMs;
                if (!is_prepared && !is_claimed)
                    transaction.put(claim_key(), sdk::counter_bytes(now));
                return {};
            });
        if (!tried) return tried.error();
        if (is_prepared) return false;
        if (!is_claimed) return true;
        std::this_thread::sleep_for(kClaimPause);
    }
}

std::string text_at(const sdk::Json& seed, const char* part, const char* name) {
    const auto members = seed.find(part);
    if (members == seed.end()) return {};
    const auto value = members->find(name);
    return value == members->end() ? std::string() : value->get<std::string>();
}

}  // namespace

bool Instance::is_prepared() const {
    auto row = state_->services->engine->snapshot()->get(prepared_key());
    return row && row->has_value();
}

sdk::Result<sdk::PlatformScope> Instance::open_root(const std::string& title) {
    resource::Services& services = *state_->services;
    auto root = services.platforms.root();
    if (root || !sdk::is_missing(root.error())) return root;
    auto made = sdk::write_with_retry(*services.engine, [&](sdk::Transaction& transaction) {
        // Another server may have been faster.
        if (services.platforms.root()) return sdk::Result<void>();
        auto scope = services.platforms.create(transaction, title);
        return scope ? sdk::Result<void>() : sdk::Result<void>(scope.error());
    });
    if (!made) return made.error();
    return services.platforms.root();
}

sdk::Result<Instance::Prepared> Instance::prepare(const sdk::Json& seed) {
    const resource::SeedMembers& members = state_->seed_members;
    if (auto checked = members.check(seed); !checked) return checked.error();
    const std::string title =
        text_at(seed, resource::SeedMembers::kPlatform, resource::SeedMembers::kTitle);
    auto root = open_root(title.empty() ? "Root Platform" : title);
    if (!root) return root.error();
    Prepared prepared;
    prepared.is_new = !is_prepared();
    // A local store has one server.
    if (prepared.is_new && !state_->services->engine->is_local()) {
        auto claimed = claim_preparation(*state_->services->engine);
        if (!claimed) return claimed.error();
        prepared.is_new = *claimed;
    }
    sdk::Json complete = seed;
    if (prepared.is_new) {
        // What nobody chose is made here, shown once, and stored only as hash or sealed.
        auto login = members.complete(complete);
        if (!login) return login.error();
        prepared.login = std::move(*login);
    }
    resource::Services& services = *state_->services;
    if (auto applied = resource::apply_declarations(services); !applied) return applied.error();
    auto installed = resource::install_plugins(services, state_->installations, *root,
                                               members.by_plugin(complete), true);
    if (!installed) return installed.error();
    if (auto given = resource::give_standard_teams(services); !given) return given.error();
    auto marked = sdk::write_with_retry(*services.engine, [](sdk::Transaction& transaction) {
        transaction.put(prepared_key(), "1");
        transaction.remove(claim_key());
        return sdk::Result<void>();
    });
    if (!marked) return marked.error();
    return prepared;
}

}  // namespace stele::kernel::instance

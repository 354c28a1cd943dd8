#include <array>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/instance/instance_state.hpp"
#include "kernel/resource/consistency/declarations.hpp"
#include "kernel/resource/consistency/standard_teams.hpp"

namespace stele::kernel::http {

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

/// The texts that a seed may hold; everything else in it is a mistake worth a sentence.
sdk::Result<void> check_seed(const sdk::Json& seed) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTexts{
        {{"admin", "password"},
         {"client", "key"},
         {"client", "secret"},
         {"grant", "key"},
         {"grant", "secret"},
         {"platform", "title"}}};
    sdk::Violations violations;
    for (const auto& [part, members] : seed.items()) {
        if (!members.is_object()) {
            violations.push_back({part, "instance.seed_invalid", part + " must be an object"});
            continue;
        }
        for (const auto& [name, value] : members.items()) {
            const std::string path = part + "." + name;
            const bool is_known = std::any_of(kTexts.begin(), kTexts.end(),
                                              [&part = part, &name = name](const auto& text) {
                                                  return text.first == part && text.second == name;
                                              });
            if (!is_known) {
                violations.push_back({path, "instance.seed_invalid", path + " is no seed"});
            } else if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
                violations.push_back(
                    {path, "instance.seed_invalid", path + " must be a text that is not empty"});
            }
        }
    }
    if (violations.empty()) return {};
    return sdk::make_error(std::move(violations));
}

std::string text_at(const sdk::Json& seed, const char* part, const char* name) {
    const auto members = seed.find(part);
    if (members == seed.end()) return {};
    const auto value = members->find(name);
    return value == members->end() ? std::string() : value->get<std::string>();
}

void fill_in(sdk::Json& seed, const char* part, const char* name, const std::string& value) {
    if (text_at(seed, part, name).empty()) seed[part][name] = value;
}

}  // namespace

bool Instance::is_prepared() const {
    auto row = state_->rooms->engine->snapshot()->get(prepared_key());
    return row && row->has_value();
}

sdk::Result<sdk::PlatformScope> Instance::open_root(const std::string& title) {
    resource::Rooms& rooms = *state_->rooms;
    auto root = rooms.platforms.root();
    if (root || !sdk::is_missing(root.error())) return root;
    auto made = sdk::write_with_retry(*rooms.engine, [&](sdk::Transaction& transaction) {
        // Another server may have been faster.
        if (rooms.platforms.root()) return sdk::Result<void>();
        auto scope = rooms.platforms.create(transaction, title);
        return scope ? sdk::Result<void>() : sdk::Result<void>(scope.error());
    });
    if (!made) return made.error();
    return rooms.platforms.root();
}

sdk::Result<Instance::Prepared> Instance::prepare(const sdk::Json& seed) {
    if (auto checked = check_seed(seed); !checked) return checked.error();
    const std::string title = text_at(seed, "platform", "title");
    auto root = open_root(title.empty() ? "Root Platform" : title);
    if (!root) return root.error();
    Prepared prepared;
    prepared.is_new = !is_prepared();
    // A local store has one server.
    if (prepared.is_new && !state_->rooms->engine->is_local()) {
        auto claimed = claim_preparation(*state_->rooms->engine);
        if (!claimed) return claimed.error();
        prepared.is_new = *claimed;
    }
    sdk::Json complete = seed;
    if (prepared.is_new) {
        // What nobody chose is made here, shown once, and stored only as hash or sealed.
        prepared.is_password_generated = text_at(seed, "admin", "password").empty();
        fill_in(complete, "admin", "password", sdk::random_token(12));
        fill_in(complete, "client", "key", sdk::random_hex(16));
        fill_in(complete, "client", "secret", sdk::random_token(24));
    }
    prepared.admin_password = text_at(complete, "admin", "password");
    prepared.client_key = text_at(complete, "client", "key");
    prepared.client_secret = text_at(complete, "client", "secret");
    resource::Rooms& rooms = *state_->rooms;
    if (auto applied = resource::apply_declarations(rooms); !applied) return applied.error();
    auto installed = resource::install_plugins(rooms, state_->installations, *root, complete, true);
    if (!installed) return installed.error();
    if (auto given = resource::give_standard_teams(rooms); !given) return given.error();
    auto marked = sdk::write_with_retry(*rooms.engine, [](sdk::Transaction& transaction) {
        transaction.put(prepared_key(), "1");
        transaction.remove(claim_key());
        return sdk::Result<void>();
    });
    if (!marked) return marked.error();
    return prepared;
}

}  // namespace stele::kernel::http

#include "seed.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/seed_member.hpp>

namespace stele::identity {

namespace {

constexpr std::size_t kPasswordBytes = 12;
constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kSecretBytes = 24;

std::vector<sdk::LoginLine> complete_admin(sdk::Json& admin) {
    std::vector<sdk::LoginLine> lines{{"administrator", "admin"}};
    if (sdk::text_member(admin, "password").empty()) {
        const std::string password = sdk::random_token(kPasswordBytes);
        admin["password"] = password;
        lines.push_back({"password", password, true});
    }
    return lines;
}

std::vector<sdk::LoginLine> complete_client(sdk::Json& client) {
    if (sdk::text_member(client, "key").empty()) client["key"] = sdk::random_hex(kKeyBytes);
    if (sdk::text_member(client, "secret").empty()) {
        client["secret"] = sdk::random_token(kSecretBytes);
    }
    return {{"client key", sdk::text_member(client, "key")},
            {"client secret", sdk::text_member(client, "secret")}};
}

}  // namespace

void take_seed(sdk::Registrar& registrar) {
    registrar.add_seed({"admin", {"password"}, &complete_admin});
    registrar.add_seed({"client", {"key", "secret"}, &complete_client});
    registrar.add_seed({"grant", {"key", "secret"}});
}

}  // namespace stele::identity

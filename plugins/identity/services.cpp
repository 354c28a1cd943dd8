#include "services.hpp"

#include <charconv>
#include <memory>
#include <vector>

#include <stele/sdk/registrar.hpp>

#include "auth_endpoints.hpp"
#include "authorization_codes.hpp"
#include "authorize_endpoint.hpp"
#include "endpoints.hpp"
#include "group_keeper.hpp"
#include "invitation_desk.hpp"
#include "principal_lookup.hpp"
#include "token_authenticator.hpp"
#include "token_endpoint.hpp"
#include "token_issuer.hpp"
#include "user_accounts.hpp"

namespace stele::identity {

namespace {

/// What lives until the process ends.
struct Services {
    Services(sdk::Registrar& registrar, std::size_t cached_sessions, Validity validity,
             std::int64_t code_seconds, TicketCookie cookie)
        : invitations(registrar),
          authenticator(registrar, cached_sessions),
          issuer(registrar, validity),
          codes(issuer, code_seconds),
          token(registrar, issuer, codes, cookie),
          authorize(registrar, codes),
          auth(issuer, cookie) {}

    PrincipalLookup lookup;
    GroupKeeper groups;
    UserAccounts accounts;
    InvitationDesk invitations;
    TokenAuthenticator authenticator;
    TokenIssuer issuer;
    AuthorizationCodes codes;
    TokenEndpoint token;
    AuthorizeEndpoint authorize;
    AuthEndpoints auth;
};

sdk::Result<std::int64_t> number_setting(sdk::Registrar& registrar, sdk::Setting setting) {
    const std::string name = setting.name;
    const std::string text = registrar.setting(std::move(setting));
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || value < 1) {
        return sdk::make_error(
            sdk::ErrorKind::invalid, "identity.setting_malformed",
            "setting identity." + name + " must be a number above 0, not " + text);
    }
    return value;
}

sdk::Result<bool> flag_setting(sdk::Registrar& registrar, sdk::Setting setting) {
    const std::string name = setting.name;
    const std::string text = registrar.setting(std::move(setting));
    if (text == "true" || text == "false") return text == "true";
    return sdk::make_error(sdk::ErrorKind::invalid, "identity.setting_malformed",
                           "setting identity." + name + " must be true or false, not " + text);
}

}  // namespace

sdk::Result<void> open_services(sdk::Registrar& registrar) {
    auto cached =
        number_setting(registrar, {"cached_sessions", "65536", "Sessions that are kept in memory"});
    if (!cached) return cached.error();
    auto access = number_setting(registrar, {"access_token_seconds", "86400",
                                             "Validity of access tokens of clients that set none; "
                                             "above 3600, or clients refresh all the time"});
    if (!access) return access.error();
    auto refresh =
        number_setting(registrar, {"refresh_token_seconds", "2592000",
                                   "Validity of refresh tokens of clients that set none"});
    if (!refresh) return refresh.error();
    auto code = number_setting(registrar, {"authorization_code_seconds", "60",
                                           "Time that a client has to get the tokens for an "
                                           "authorization code"});
    if (!code) return code.error();
    auto http_only = flag_setting(registrar, {"ticket_http_only", "false",
                                              "Whether scripts in browsers cannot read the ticket "
                                              "cookie; the published browser client reads it"});
    if (!http_only) return http_only.error();
    auto secure = flag_setting(
        registrar,
        {"ticket_secure", "false", "Whether browsers send the ticket cookie over TLS only"});
    if (!secure) return secure.error();

    static std::vector<std::unique_ptr<Services>> kept;
    kept.push_back(std::make_unique<Services>(registrar, static_cast<std::size_t>(*cached),
                                              Validity{*access, *refresh}, *code,
                                              TicketCookie{*http_only, *secure}));
    Services& services = *kept.back();
    registrar.publish<sdk::Authenticator>(services.authenticator);
    registrar.publish<sdk::PrincipalDirectory>(services.lookup);
    registrar.publish<sdk::Accounts>(services.accounts);
    registrar.publish<sdk::TeamGroups>(services.groups);
    registrar.publish<sdk::Invitations>(services.invitations);
    add_endpoints(registrar, services.token, services.authorize, services.auth);
    return {};
}

}  // namespace stele::identity

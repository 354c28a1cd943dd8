#include "services.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <stele/sdk/registrar.hpp>

#include "auth_endpoints.hpp"
#include "authorization_codes.hpp"
#include "authorize_endpoint.hpp"
#include "endpoints.hpp"
#include "group_keeper.hpp"
#include "invitation_desk.hpp"
#include "login_guard.hpp"
#include "principal_lookup.hpp"
#include "settings.hpp"
#include "token_authenticator.hpp"
#include "token_endpoint.hpp"
#include "token_issuer.hpp"
#include "user_accounts.hpp"

namespace stele::identity {

namespace {

/// What lives until the process ends.
struct Services {
    Services(sdk::Registrar& registrar, LoginGuard& guard, std::size_t cached_sessions,
             Validity validity, std::int64_t code_seconds, TicketCookie cookie,
             bool guest_is_everyone)
        : lookup(guest_is_everyone, registrar.shared_key_space(kSessionSpace)),
          invitations(registrar),
          authenticator(registrar, cached_sessions),
          issuer(registrar, validity),
          codes(issuer, code_seconds),
          token(registrar, guard, issuer, codes, cookie),
          authorize(registrar, guard, codes),
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

sdk::Result<GuessRules> guess_rules(sdk::Registrar& registrar) {
    auto free = number_setting(registrar,
                               {"login_failures", "5",
                                "Failed logins of one address at one account before it has to "
                                "wait; 0: nobody waits"},
                               0);
    if (!free) return free.error();
    auto longest = number_setting(
        registrar, {"login_delay_seconds", "900",
                    "Longest wait after a failed login; it begins with a second and doubles"});
    if (!longest) return longest.error();
    constexpr std::int64_t kMostFree = 1'000'000;
    return GuessRules{static_cast<std::uint32_t>(std::min(*free, kMostFree)), 1000 * *longest};
}

sdk::Result<PasswordRules> read_password_rules(sdk::Registrar& registrar) {
    auto shortest = number_setting(
        registrar, {"password_length", "8", "Characters that a new password has at least"});
    if (!shortest) return shortest.error();
    const std::string ask = registrar.setting(
        {"ask_present_password", "cookie",
         "Who changes the own password has to tell the present one: never, always, or cookie: "
         "callers with nothing but the cookie, as published drivers send none"});
    PasswordRules rules;
    rules.shortest = static_cast<std::size_t>(*shortest);
    using enum PasswordRules::AskPresent;
    if (ask != "never" && ask != "cookie" && ask != "always") {
        return sdk::make_error(
            sdk::ErrorKind::invalid, "identity.setting_malformed",
            "setting identity.ask_present_password must be never, cookie or always, not " + ask);
    }
    rules.ask_present = ask == "never" ? never : ask == "always" ? always : by_cookie;
    return rules;
}

}  // namespace

sdk::Result<PasswordRules> open_password_rules(sdk::Registrar& registrar) {
    auto rules = read_password_rules(registrar);
    if (!rules) return rules;
    auto guesses = guess_rules(registrar);
    if (!guesses) return guesses.error();
    static std::vector<std::unique_ptr<LoginGuard>> kept;
    kept.push_back(std::make_unique<LoginGuard>(registrar, *guesses));
    rules->guard = kept.back().get();
    return rules;
}

sdk::Result<void> open_services(sdk::Registrar& registrar, LoginGuard& guard) {
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
        {"ticket_secure", "false",
         "Whether browsers send the ticket cookie over TLS only, also where the server cannot know "
         "that they came by TLS"});
    if (!secure) return secure.error();
    auto guest_is_everyone = flag_setting(
        registrar,
        {"guest_is_everyone", "false",
         "Whether the guest, as whom anybody may log in, has what everyone was granted"});
    if (!guest_is_everyone) return guest_is_everyone.error();

    static std::vector<std::unique_ptr<Services>> kept;
    kept.push_back(std::make_unique<Services>(
        registrar, guard, static_cast<std::size_t>(*cached), Validity{*access, *refresh}, *code,
        TicketCookie{*http_only, *secure}, *guest_is_everyone));
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

#include "services.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <stele/sdk/registrar.hpp>

#include "family/group_keeper.hpp"
#include "family/invitation_desk.hpp"
#include "family/user_accounts.hpp"
#include "guard/login_guard.hpp"
#include "oauth/auth_endpoints.hpp"
#include "oauth/authorization_codes.hpp"
#include "oauth/authorize_endpoint.hpp"
#include "oauth/endpoints.hpp"
#include "oauth/token_endpoint.hpp"
#include "rights/principal_lookup.hpp"
#include "token/token_authenticator.hpp"
#include "token/token_issuer.hpp"

namespace stele::identity {

namespace {

/// In seconds 30,000 years, and in milliseconds no overflow.
constexpr std::int64_t kMaxNumber = 1'000'000'000'000;

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

GuessRules guess_rules(sdk::Registrar& registrar) {
    constexpr std::int64_t kMaxFree = 1'000'000;
    const std::int64_t free =
        registrar.number({"login_failures", "5",
                          "Failed logins of one address at one account before it has to "
                          "wait; 0: nobody waits"},
                         0, kMaxNumber);
    const std::int64_t longest =
        registrar.number({"login_delay_seconds", "900",
                          "Longest wait after a failed login; it begins with a second and doubles"},
                         1, kMaxNumber);
    return {static_cast<std::uint32_t>(std::min(free, kMaxFree)), 1000 * longest};
}

/// How long tokens last.
std::int64_t seconds_of(sdk::Registrar& registrar, sdk::Setting setting) {
    return registrar.number(std::move(setting), 1, kMaxNumber);
}

Validity read_validity(sdk::Registrar& registrar) {
    const std::int64_t access =
        seconds_of(registrar, {"access_token_seconds", "86400",
                               "Validity of access tokens of clients that set none; "
                               "above 3600, or clients refresh all the time"});
    const std::int64_t refresh =
        seconds_of(registrar, {"refresh_token_seconds", "2592000",
                               "Validity of refresh tokens of clients that set none"});
    return {access, refresh};
}

TicketCookie read_ticket_cookie(sdk::Registrar& registrar) {
    const bool http_only = registrar.flag({"ticket_http_only", "false",
                                           "Whether scripts in browsers cannot read the ticket "
                                           "cookie; the published browser client reads it"});
    const bool secure = registrar.flag(
        {"ticket_secure", "false",
         "Whether browsers send the ticket cookie over TLS only, also where the server cannot know "
         "that they came by TLS"});
    return {http_only, secure};
}

}  // namespace

PasswordRules open_password_rules(sdk::Registrar& registrar) {
    PasswordRules rules;
    rules.shortest = static_cast<std::size_t>(registrar.number(
        {"password_length", "8", "Characters that a new password has at least"}, 1, kMaxNumber));
    const std::string ask = registrar.choice(
        {"ask_present_password", "cookie",
         "Who changes the own password has to tell the present one: never, always, or cookie: "
         "callers with nothing but the cookie, as published drivers send none"},
        {"never", "cookie", "always"});
    using enum PasswordRules::AskPresent;
    rules.ask_present = ask == "never" ? never : ask == "always" ? always : by_cookie;
    rules.guard = &registrar.own(std::make_unique<LoginGuard>(registrar, guess_rules(registrar)));
    return rules;
}

void open_services(sdk::Registrar& registrar, LoginGuard& guard) {
    const std::int64_t cached = registrar.number(
        {"cached_sessions", "65536", "Sessions that are kept in memory"}, 1, kMaxNumber);
    const Validity validity = read_validity(registrar);
    const std::int64_t code = seconds_of(
        registrar, {"authorization_code_seconds", "60",
                    "Time that a client has to get the tokens for an authorization code"});
    const TicketCookie cookie = read_ticket_cookie(registrar);
    const bool guest_is_everyone = registrar.flag(
        {"guest_is_everyone", "false",
         "Whether the guest, as whom anybody may log in, has what everyone was granted"});

    Services& services =
        registrar.own(std::make_unique<Services>(registrar, guard, static_cast<std::size_t>(cached),
                                                 validity, code, cookie, guest_is_everyone));
    registrar.publish<sdk::Authenticator>(services.authenticator);
    registrar.publish<sdk::PrincipalDirectory>(services.lookup);
    registrar.publish<sdk::Accounts>(services.accounts);
    registrar.publish<sdk::TeamGroups>(services.groups);
    registrar.publish<sdk::Invitations>(services.invitations);
    add_endpoints(registrar, services.token, services.authorize, services.auth);
}

}  // namespace stele::identity

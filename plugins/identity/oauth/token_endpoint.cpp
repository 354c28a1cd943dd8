#include "token_endpoint.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/activities.hpp>

#include "guard/login_guard.hpp"
#include "login.hpp"
#include "rights/client_rights.hpp"
#include "token/form_parameters.hpp"
#include "token/oauth_error.hpp"
#include "token/token_authenticator.hpp"

namespace stele::identity {

namespace {

sdk::Result<std::optional<std::int64_t>> seconds_parameter(const std::string& text) {
    if (text.empty()) return std::optional<std::int64_t>();
    std::int64_t seconds = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (problem != std::errc() || end != text.data() + text.size() || seconds < 0) {
        return sdk::invalid_parameter("ticketMaxAge", "must be a number of seconds");
    }
    return std::optional<std::int64_t>(seconds);
}

sdk::Result<ClientCredentials> client_credentials(const sdk::Call& call,
                                                  const FormParameters& parameters) {
    const auto header = call.header("Authorization");
    if (auto basic = parse_basic(header.value_or(""))) return *std::move(basic);
    ClientCredentials credentials{parameters.text("client_id"), parameters.text("client_secret")};
    if (credentials.key.empty()) return invalid_client("the client must say who it is");
    return credentials;
}

}  // namespace

std::string TicketCookie::set(std::string_view token, std::optional<std::int64_t> max_age) const {
    std::string cookie = std::string(kTicketName) + "=" + std::string(token) + "; Path=/";
    if (max_age) cookie += "; Max-Age=" + std::to_string(*max_age);
    if (is_http_only) cookie += "; HttpOnly";
    if (is_secure) cookie += "; Secure";
    return cookie + "; SameSite=Lax";
}

std::string TicketCookie::forget() const {
    return set("", 0);
}

sdk::Reply token_reply(const IssuedTokens& issued, const TicketCookie& cookie,
                       std::optional<std::int64_t> ticket_max_age) {
    sdk::Reply reply = sdk::Reply::json({{"access_token", issued.access_token},
                                         {"token_type", "bearer"},
                                         {"refresh_token", issued.refresh_token},
                                         {"expires_in", issued.expires_in_seconds},
                                         {"scope", issued.scope}});
    reply.header("Cache-Control", "no-store");
    reply.header("Set-Cookie", cookie.set(issued.access_token, ticket_max_age));
    return reply;
}

struct TokenEndpoint::Request {
    ClientCredentials client;
    std::string grant_type;
    std::string username;
    std::optional<std::string> password;
    std::string refresh_token;
    CodeClaim claim;
    std::string scope;
    std::optional<std::int64_t> ticket_max_age;
};

sdk::Result<TokenEndpoint::Request> TokenEndpoint::read(const sdk::Call& call) {
    auto form = parse_form(call.raw_body());
    if (!form) return invalid_request("the form body is not rightly encoded");
    const FormParameters parameters(call, *std::move(form));
    auto client = client_credentials(call, parameters);
    if (!client) return client.error();
    auto max_age = seconds_parameter(parameters.text("ticketMaxAge"));
    if (!max_age) return max_age.error();
    Request request;
    request.client = *std::move(client);
    request.grant_type = parameters.text("grant_type");
    request.username = parameters.text("username");
    request.password = parameters.find("password");
    request.refresh_token = parameters.text("refresh_token");
    request.claim = {parameters.text("code"), parameters.text("redirect_uri"),
                     parameters.text("code_verifier")};
    request.scope = parameters.text("scope");
    request.ticket_max_age = *max_age;
    if (request.grant_type.empty()) return invalid_request("grant_type is missing");
    return request;
}

TokenEndpoint::TokenEndpoint(sdk::Registrar& registrar, LoginGuard& guard, TokenIssuer& issuer,
                             AuthorizationCodes& codes, TicketCookie cookie)
    : registrar_(registrar),
      guard_(guard),
      issuer_(issuer),
      codes_(codes),
      cookie_(cookie),
      activities_(registrar.find<sdk::Activities>()) {}

sdk::Error TokenEndpoint::refused(const sdk::PlatformScope& platform, const sdk::Call& call,
                                  const Request& request, const sdk::Error& error) const {
    const std::string& claimed = request.username.empty() ? request.client.key : request.username;
    note_refused_login(activities_, platform, call, claimed, error);
    return error;
}

sdk::Result<IssuedTokens> TokenEndpoint::grant(sdk::Context& context, const sdk::Call& call,
                                               const sdk::RecordKey& client,
                                               const Request& request) {
    auto record = authenticate_client(context, client, request.client);
    if (!record) return refused(context.platform(), call, request, record.error());
    const bool is_refresh = request.grant_type == "refresh_token";
    const bool is_code = request.grant_type == "authorization_code";
    if (!is_refresh && !is_code && request.grant_type != "password") {
        return unsupported_grant_type(request.grant_type);
    }
    if (auto may = check_grant_type(*record, request.grant_type); !may) return may.error();
    if (is_refresh) return issuer_.refresh(context, *record, request.refresh_token);
    if (is_code) {
        auto redeemed = codes_.redeem(context, *record, request.claim);
        if (!redeemed) return refused(context.platform(), call, request, redeemed.error());
        return redeemed;
    }
    auto scope = granted_scope(*record, request.scope);
    if (!scope) return scope.error();
    auto principal = guard_.log_in(context, call, request.username, [&] {
        return log_in(context, *record, request.username, request.password);
    });
    if (!principal) return refused(context.platform(), call, request, principal.error());
    if (activities_) {
        auto noted = activities_->note(context, call, {.type = "login", .user = *principal});
        if (!noted) return noted.error();
    }
    return issuer_.issue(context, *record, *principal, *scope);
}

sdk::Result<sdk::Reply> TokenEndpoint::run(const sdk::Call& call) {
    auto request = read(call);
    if (!request) return request.error();
    issuer_.sweep();
    sdk::Context& context = call.context().as_system();
    std::optional<sdk::PlatformScope> platform;
    sdk::Result<IssuedTokens> issued = IssuedTokens{};
    const auto work = [&](sdk::Context& at_client,
                          const sdk::RecordKey& client) -> sdk::Result<void> {
        platform = at_client.platform();
        issued = grant(at_client, call, client, *request);
        return issued ? sdk::Result<void>() : issued.error();
    };
    auto done = run_at_client(registrar_, context, request->client.key, work);
    if (done) return token_reply(*issued, cookie_, request->ticket_max_age);
    if (!platform) return refused(context.platform(), call, *request, done.error());
    if (done.error().code == kCodeReused) {
        // In a transaction of its own: that of a refused request is dropped.
        auto revoked = registrar_.run_as_system(
            *platform, [&](sdk::Context& own) { return codes_.revoke(own, request->claim.code); });
        if (!revoked) return revoked.error();
    }
    return done.error();
}

}  // namespace stele::identity

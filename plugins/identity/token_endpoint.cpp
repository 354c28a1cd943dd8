#include "token_endpoint.hpp"

#include <charconv>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/activities.hpp>

#include "login.hpp"
#include "oauth_error.hpp"
#include "row_access.hpp"
#include "session_rows.hpp"
#include "token_authenticator.hpp"

namespace stele::identity {

namespace {

constexpr char kDefaultScope[] = "api";
/// How `Registrar::find_platform` refuses.
constexpr char kClosedPlatform[] = "platform.closed";

/// A parameter of the form body, else of the query string.
class Parameters {
public:
    Parameters(const sdk::Call& call, FormFields form) : call_(call), form_(std::move(form)) {}

    std::optional<std::string> find(std::string_view name) const {
        const auto field = form_.find(name);
        if (field != form_.end()) return field->second;
        return call_.parameter(name);
    }
    std::string text(std::string_view name) const { return find(name).value_or(std::string()); }

private:
    const sdk::Call& call_;
    FormFields form_;
};

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
                                                  const Parameters& parameters) {
    const auto header = call.header("Authorization");
    if (auto basic = parse_basic(header.value_or(""))) return *std::move(basic);
    ClientCredentials credentials{parameters.text("client_id"), parameters.text("client_secret")};
    if (credentials.key.empty()) return invalid_client("the client must say who it is");
    return credentials;
}

/// Whether a client's list holds the word; a client whose record lost the list has the default.
bool allows(const sdk::Document& client, const char* member, std::string_view word,
            bool is_default) {
    const auto list = client.fields.find(member);
    if (list == client.fields.end() || list->is_null()) return is_default;
    return sdk::lists_text(client.fields, member, word);
}

/// The wanted scope, or the default one; every word of it must be among the client's.
sdk::Result<std::string> granted_scope(const sdk::Document& client, const std::string& wanted) {
    if (wanted.empty()) return std::string(kDefaultScope);
    std::string_view rest = wanted;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (word.empty() || allows(client, "scope", word, word == kDefaultScope)) continue;
        return invalid_scope(word);
    }
    return wanted;
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
    std::string scope;
    std::optional<std::int64_t> ticket_max_age;
};

sdk::Result<TokenEndpoint::Request> TokenEndpoint::read(const sdk::Call& call) {
    auto form = parse_form(call.raw_body());
    if (!form) return invalid_request("the form body is not rightly encoded");
    const Parameters parameters(call, *std::move(form));
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
    request.scope = parameters.text("scope");
    request.ticket_max_age = *max_age;
    if (request.grant_type.empty()) return invalid_request("grant_type is missing");
    return request;
}

TokenEndpoint::TokenEndpoint(sdk::Registrar& registrar, TokenIssuer& issuer, TicketCookie cookie)
    : registrar_(registrar),
      issuer_(issuer),
      cookie_(cookie),
      activities_(registrar.find<sdk::Activities>()) {}

/// Failed logins are in the trail, with what the caller claimed to be.
sdk::Error TokenEndpoint::refused(const sdk::PlatformScope& platform, const sdk::Call& call,
                                  const Request& request, const sdk::Error& error) const {
    using enum sdk::ErrorKind;
    const bool is_refusal = error.kind == invalid || error.kind == unauthenticated;
    if (!activities_ || !is_refusal) return error;
    sdk::NewActivity activity{.type = "login.refused", .user = {}};
    activity.user.name = request.username.empty() ? request.client.key : request.username;
    activities_->note_refused(platform, call, activity);
    return error;
}

sdk::Result<IssuedTokens> TokenEndpoint::grant(sdk::Context& context, const sdk::Call& call,
                                               const sdk::RecordKey& client,
                                               const Request& request) {
    auto record = authenticate_client(context, client, request.client);
    if (!record) return refused(context.platform(), call, request, record.error());
    const bool is_refresh = request.grant_type == "refresh_token";
    // Authorization codes need a login page, which this server does not have.
    if (!is_refresh && request.grant_type != "password") {
        return unsupported_grant_type(request.grant_type);
    }
    if (!allows(*record, "authorizedGrantTypes", request.grant_type, true)) {
        return unauthorized_client("the client may not use grant_type " + request.grant_type);
    }
    if (is_refresh) return issuer_.refresh(context, *record, request.refresh_token);
    auto scope = granted_scope(*record, request.scope);
    if (!scope) return scope.error();
    auto principal = log_in(context, *record, request.username, request.password);
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
    const SessionKeys keys = SessionKeys::of(context);
    auto place = read_row<ClientPlace>(context.transaction(), keys.client_key(request->client.key));
    if (!place) return place.error();
    if (!*place) {
        return refused(context.platform(), call, *request, invalid_client("the client is unknown"));
    }

    sdk::Result<IssuedTokens> issued = IssuedTokens{};
    const auto work = [&](sdk::Context& at_client) -> sdk::Result<void> {
        issued = grant(at_client, call, (*place)->client, *request);
        if (!issued) return issued.error();
        return {};
    };
    if ((*place)->platform == context.platform().number) {
        static_cast<void>(work(context));
    } else {
        // The client decides on which platform the token acts, whatever platform was asked.
        auto platform = registrar_.find_platform((*place)->platform);
        if (!platform) {
            if (platform.error().code == kClosedPlatform) {
                return invalid_grant("the platform is closed");
            }
            return invalid_client("the client's platform is gone");
        }
        auto done = registrar_.run_as_system(*platform, work);
        if (!done) return done.error();
    }
    if (!issued) return issued.error();
    return token_reply(*issued, cookie_, request->ticket_max_age);
}

}  // namespace stele::identity

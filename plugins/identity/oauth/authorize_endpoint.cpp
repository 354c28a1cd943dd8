#include "authorize_endpoint.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/services/activities.hpp>
#include <stele/sdk/text.hpp>

#include "guard/login_guard.hpp"
#include "login.hpp"
#include "login_page.hpp"
#include "rights/client_rights.hpp"
#include "token/form_parameters.hpp"
#include "token/oauth_error.hpp"

namespace stele::identity {

namespace {

constexpr char kCodeGrant[] = "authorization_code";
/// RFC 7636, 4.1: what a verifier, and hence a plain challenge, consists of.
constexpr std::size_t kMinVerifierLength = 43;
constexpr std::size_t kMaxVerifierLength = 128;
constexpr std::size_t kHashBytes = 32;

/// The client's address with a parameter after those that it has.
void add_parameter(std::string& uri, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    uri += uri.find('?') == std::string::npos ? '?' : '&';
    uri += std::string(name) + "=" + sdk::percent_encoded(value);
}

sdk::Error unsupported_response_type(const std::string& type) {
    sdk::Error error = invalid_request("response_type must be code, not " + type);
    error.protocol_error = "unsupported_response_type";
    return error;
}

/// Sets the challenge of a binding from what was sent.
sdk::Result<void> bind_challenge(CodeBinding& binding, const std::string& challenge,
                                 const std::string& method) {
    if (challenge.empty()) {
        if (method.empty()) return {};
        return invalid_request("code_challenge_method without a code_challenge");
    }
    const bool is_text = challenge.size() >= kMinVerifierLength &&
                         challenge.size() <= kMaxVerifierLength &&
                         std::all_of(challenge.begin(), challenge.end(), sdk::is_unreserved);
    if (!is_text)
        return invalid_request("code_challenge must have 43 to 128 unreserved characters");
    if (method.empty() || method == "plain") {
        binding.challenge = challenge;
        return {};
    }
    if (method != "S256") return invalid_request("code_challenge_method must be S256 or plain");
    auto hash = sdk::base64_bytes(challenge);
    if (!hash || hash->size() != kHashBytes) {
        return invalid_request("code_challenge must be a SHA-256 in base64 for URLs");
    }
    binding.challenge = *std::move(hash);
    binding.is_challenge_hashed = true;
    return {};
}

}  // namespace

struct AuthorizeEndpoint::Request {
    std::string client_id;
    std::string response_type;
    std::string redirect_uri;
    std::string scope;
    std::string state;
    std::string challenge;
    std::string challenge_method;
    std::string username;
    std::optional<std::string> password;

    std::vector<std::pair<std::string, std::string>> hidden() const {
        return {{"client_id", client_id},
                {"response_type", response_type},
                {"redirect_uri", redirect_uri},
                {"scope", scope},
                {"state", state},
                {"code_challenge", challenge},
                {"code_challenge_method", challenge_method}};
    }
    /// What a code is bound to, as far as the client may ask for it.
    sdk::Result<CodeBinding> binding(const sdk::Document& client,
                                     const RedirectTarget& target) const {
        if (response_type != "code") return unsupported_response_type(response_type);
        if (auto may = check_grant_type(client, kCodeGrant); !may) return may.error();
        auto granted = granted_scope(client, scope);
        if (!granted) return granted.error();
        CodeBinding bound{target.uri, target.is_named, *std::move(granted), {}, false};
        if (challenge.empty() &&
            sdk::flag_member(client.fields, "allowOpenDriverAuthentication", false)) {
            return invalid_request("a client without a secret needs a code_challenge");
        }
        auto challenged = bind_challenge(bound, challenge, challenge_method);
        if (!challenged) return challenged.error();
        return bound;
    }
};

AuthorizeEndpoint::AuthorizeEndpoint(sdk::Registrar& registrar, LoginGuard& guard,
                                     AuthorizationCodes& codes)
    : registrar_(registrar),
      guard_(guard),
      codes_(codes),
      activities_(registrar.find<sdk::Activities>()) {}

sdk::Result<sdk::Reply> AuthorizeEndpoint::show(const sdk::Call& call) {
    return run(call, false);
}

sdk::Result<sdk::Reply> AuthorizeEndpoint::decide(const sdk::Call& call) {
    return run(call, true);
}

sdk::Result<AuthorizeEndpoint::Request> AuthorizeEndpoint::read(const sdk::Call& call) {
    auto form = parse_form(call.raw_body());
    if (!form) return invalid_request("the form body is not rightly encoded");
    const FormParameters parameters(call, *std::move(form));
    Request request;
    request.client_id = parameters.text("client_id");
    request.response_type = parameters.text("response_type");
    request.redirect_uri = parameters.text("redirect_uri");
    request.scope = parameters.text("scope");
    request.state = parameters.text("state");
    request.challenge = parameters.text("code_challenge");
    request.challenge_method = parameters.text("code_challenge_method");
    request.username = parameters.text("username");
    request.password = parameters.find("password");
    if (request.client_id.empty()) return invalid_request("client_id is missing");
    return request;
}

sdk::Result<sdk::Reply> AuthorizeEndpoint::run(const sdk::Call& call, bool is_decision) {
    auto request = read(call);
    if (!request) return request.error();
    sdk::Result<sdk::Reply> reply = sdk::Reply::status();
    const auto work = [&](sdk::Context& at_client,
                          const sdk::RecordKey& client) -> sdk::Result<void> {
        reply = answer(at_client, call, client, *request, is_decision);
        return reply ? sdk::Result<void>() : reply.error();
    };
    auto done = run_at_client(registrar_, call.context().as_system(), request->client_id, work);
    if (!done) return done.error();
    return reply;
}

sdk::Result<sdk::Reply> AuthorizeEndpoint::answer(sdk::Context& context, const sdk::Call& call,
                                                  const sdk::RecordKey& client_key,
                                                  const Request& request, bool is_decision) {
    auto client = context.documents().read(client_key);
    if (!client && !sdk::is_missing(client.error())) return client.error();
    if (!client || !sdk::flag_member(client->fields, "enabled", true)) {
        return invalid_client("the client is unknown or disabled");
    }
    // Until the address is known to be the client's, nobody is sent there, not even with an error.
    auto target = redirect_target(*client, request.redirect_uri);
    if (!target) return target.error();
    std::string location = target->uri;
    auto binding = request.binding(*client, *target);
    if (!binding) {
        add_parameter(location, "error", binding.error().protocol_error);
        add_parameter(location, "error_description", binding.error().message);
        add_parameter(location, "state", request.state);
        return sdk::Reply::redirect(std::move(location)).header("Cache-Control", "no-store");
    }
    if (!is_decision) {
        const std::string title = sdk::text_member(client->fields, "title");
        return login_page(title.empty() ? request.client_id : title, request.hidden());
    }
    auto user = user_of(context, call, *client, request);
    if (!user) return user.error();
    auto code = codes_.issue(context, *client, *user, *binding);
    if (!code) return code.error();
    add_parameter(location, "code", *code);
    add_parameter(location, "state", request.state);
    return sdk::Reply::redirect(std::move(location)).header("Cache-Control", "no-store");
}

/// Never without a password: what a grant opens to its client's secret is not open to browsers.
sdk::Result<sdk::Principal> AuthorizeEndpoint::user_of(sdk::Context& context, const sdk::Call& call,
                                                       const sdk::Document& client,
                                                       const Request& request) {
    if (request.password.value_or("").empty()) return invalid_grant("password is missing");
    auto user = guard_.log_in(context, call, request.username, [&] {
        return log_in(context, client, request.username, request.password);
    });
    if (!user) {
        note_refused_login(activities_, context.platform(), call, request.username, user.error());
        return user;
    }
    if (activities_) {
        auto noted = activities_->note(context, call, {.type = "login", .user = *user});
        if (!noted) return noted.error();
    }
    return user;
}

}  // namespace stele::identity

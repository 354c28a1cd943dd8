#include "endpoints.hpp"

#include <vector>

#include <stele/sdk/registrar.hpp>

#include "auth_endpoints.hpp"
#include "authorize_endpoint.hpp"
#include "token_endpoint.hpp"

namespace stele::identity {

namespace {

using sdk::shape::object;
using sdk::shape::optional;
using sdk::shape::text;

constexpr const char* kTokenParameters[] = {
    "grant_type", "username",     "password",      "scope",     "refresh_token",
    "code",       "redirect_uri", "code_verifier", "client_id", "client_secret"};
constexpr const char* kAuthorizeParameters[] = {
    "response_type", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"};

/// As a query has them. None is required there: forms may have them, too.
std::vector<sdk::Parameter> token_parameters() {
    std::vector<sdk::Parameter> parameters{{"ticketMaxAge", false, sdk::FieldKind::integer}};
    for (const char* name : kTokenParameters)
        parameters.push_back({name});
    return parameters;
}

std::vector<sdk::Parameter> authorize_parameters() {
    std::vector<sdk::Parameter> parameters{{"client_id"}};
    for (const char* name : kAuthorizeParameters)
        parameters.push_back({name});
    return parameters;
}

sdk::Shape form(const std::vector<sdk::ShapeMember>& fields) {
    sdk::Shape shape = object(fields);
    shape.media_type = "application/x-www-form-urlencoded";
    return shape;
}

sdk::Shape token_form() {
    std::vector<sdk::ShapeMember> fields{optional("ticketMaxAge", sdk::shape::integer())};
    for (const char* name : kTokenParameters)
        fields.push_back(optional(name, text()));
    return form(fields);
}

sdk::Shape login_form() {
    std::vector<sdk::ShapeMember> fields{
        optional("client_id", text()), optional("username", text()), optional("password", text())};
    for (const char* name : kAuthorizeParameters)
        fields.push_back(optional(name, text()));
    return form(fields);
}

sdk::Shape tokens() {
    return object({{"access_token", text()},
                   {"token_type", text({"bearer"})},
                   {"refresh_token", text()},
                   {"expires_in", sdk::shape::integer()},
                   {"scope", text()}});
}

/// Whose the token of the request is, and where.
sdk::Shape auth_info() {
    const sdk::Shape tenant = object({{"_doc", text()}, {"title", text()}, {"platformId", text()}});
    return object({{"principalId", text()},
                   {"principalDomainId", text()},
                   {"principalName", text()},
                   {"tenantId", text()},
                   {"tenantTitle", text()},
                   {"tenantDescription", text()},
                   {"tenantRegistrarId", text()},
                   {"tenant", tenant},
                   {"clientId", text()},
                   {"ticket", text()},
                   {"directoryId", text()},
                   {"identityId", text()},
                   {"accessToken", text()},
                   optional("refreshToken", text()),
                   {"user", sdk::shape::record("principal")}});
}

void add_authorize_endpoints(sdk::Registrar& registrar, AuthorizeEndpoint& authorize) {
    registrar.add(
        sdk::Endpoint{.method = "GET",
                      .path = "/oauth/authorize",
                      .title = "show the page on which a user logs in to a client",
                      .access = sdk::EndpointAccess::open,
                      .run = [&authorize](const sdk::Call& call) { return authorize.show(call); },
                      .parameters = authorize_parameters(),
                      .slow = true,
                      .raw_body = true,
                      .answers = sdk::shape::bytes("text/html")});
    registrar.add(
        sdk::Endpoint{.method = "POST",
                      .path = "/oauth/authorize",
                      .title = "log in to a client and return to it with a code",
                      .access = sdk::EndpointAccess::open,
                      .run = [&authorize](const sdk::Call& call) { return authorize.decide(call); },
                      .slow = true,
                      .raw_body = true,
                      .checks_credentials = true,
                      .takes = login_form(),
                      .answers = sdk::shape::bytes("text/html")});
}

}  // namespace

void add_endpoints(sdk::Registrar& registrar, TokenEndpoint& token, AuthorizeEndpoint& authorize,
                   AuthEndpoints& auth) {
    add_authorize_endpoints(registrar, authorize);
    for (const bool is_form : {true, false}) {
        registrar.add(sdk::Endpoint{
            .method = is_form ? "POST" : "GET",
            .path = "/oauth/token",
            .title = "get or refresh an access token",
            .access = sdk::EndpointAccess::open,
            .run = [&token](const sdk::Call& call) { return token.run(call); },
            .parameters = is_form ? std::vector<sdk::Parameter>() : token_parameters(),
            .slow = true,
            .raw_body = true,
            .checks_credentials = true,
            .takes = token_form(),
            .answers = tokens()});
    }
    registrar.add(sdk::Endpoint{.method = "GET",
                                .path = "/auth/info",
                                .title = "read who the caller is",
                                .run = [&auth](const sdk::Call& call) { return auth.info(call); },
                                .answers = auth_info()});
    registrar.add(sdk::Endpoint{.method = "POST",
                                .path = "/auth/expire",
                                .title = "end the caller's token",
                                .run = [&auth](const sdk::Call& call) { return auth.expire(call); },
                                .parameters = {{"all", false, sdk::FieldKind::boolean}},
                                .urgent = true,
                                .answers = sdk::shape::status()});
    registrar.add(
        sdk::Endpoint{.method = "POST",
                      .path = "/auth/impersonate/{domainId}/{principalId}",
                      .title = "get a token for another user",
                      .run = [&auth](const sdk::Call& call) { return auth.impersonate(call); },
                      .slow = true,
                      .answers = tokens()});
    registrar.add(sdk::Endpoint{.method = "GET",
                                .path = "/ping",
                                .title = "answer that the server is there",
                                .access = sdk::EndpointAccess::open,
                                .run = [&auth](const sdk::Call& call) { return auth.ping(call); },
                                .answers = sdk::shape::status()});
}

}  // namespace stele::identity

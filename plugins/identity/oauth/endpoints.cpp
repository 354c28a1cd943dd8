#include "endpoints.hpp"

#include <stele/sdk/registrar.hpp>

#include "auth_endpoints.hpp"
#include "authorize_endpoint.hpp"
#include "token_endpoint.hpp"

namespace stele::identity {

namespace {

void add_authorize_endpoints(sdk::Registrar& registrar, AuthorizeEndpoint& authorize) {
    registrar.add(
        sdk::Endpoint{.method = "GET",
                      .path = "/oauth/authorize",
                      .title = "show the page on which a user logs in to a client",
                      .access = sdk::EndpointAccess::open,
                      .run = [&authorize](const sdk::Call& call) { return authorize.show(call); },
                      .slow = true,
                      .raw_body = true});
    registrar.add(
        sdk::Endpoint{.method = "POST",
                      .path = "/oauth/authorize",
                      .title = "log in to a client and return to it with a code",
                      .access = sdk::EndpointAccess::open,
                      .run = [&authorize](const sdk::Call& call) { return authorize.decide(call); },
                      .slow = true,
                      .raw_body = true,
                      .checks_credentials = true});
}

}  // namespace

void add_endpoints(sdk::Registrar& registrar, TokenEndpoint& token, AuthorizeEndpoint& authorize,
                   AuthEndpoints& auth) {
    add_authorize_endpoints(registrar, authorize);
    for (const char* method : {"POST", "GET"}) {
        registrar.add(
            sdk::Endpoint{.method = method,
                          .path = "/oauth/token",
                          .title = "get or refresh an access token",
                          .access = sdk::EndpointAccess::open,
                          .run = [&token](const sdk::Call& call) { return token.run(call); },
                          .slow = true,
                          .raw_body = true,
                          .checks_credentials = true});
    }
    registrar.add(sdk::Endpoint{.method = "GET",
                                .path = "/auth/info",
                                .title = "read who the caller is",
                                .run = [&auth](const sdk::Call& call) { return auth.info(call); }});
    registrar.add(sdk::Endpoint{.method = "POST",
                                .path = "/auth/expire",
                                .title = "end the caller's token",
                                .run = [&auth](const sdk::Call& call) { return auth.expire(call); },
                                .parameters = {{"all"}},
                                .urgent = true});
    registrar.add(
        sdk::Endpoint{.method = "POST",
                      .path = "/auth/impersonate/{domainId}/{principalId}",
                      .title = "get a token for another user",
                      .run = [&auth](const sdk::Call& call) { return auth.impersonate(call); },
                      .slow = true});
    registrar.add(sdk::Endpoint{.method = "GET",
                                .path = "/ping",
                                .title = "answer that the server is there",
                                .access = sdk::EndpointAccess::open,
                                .run = [&auth](const sdk::Call& call) { return auth.ping(call); }});
}

}  // namespace stele::identity

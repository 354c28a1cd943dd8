#include "oauth_error.hpp"

#include <string>

namespace stele::identity {

namespace {

sdk::Error oauth_error(sdk::ErrorKind kind, const char* code, const char* protocol_error,
                       std::string_view message) {
    sdk::Error error = sdk::make_error(kind, code, std::string(message));
    error.protocol_error = protocol_error;
    return error;
}

}  // namespace

sdk::Error invalid_client(std::string_view message) {
    return oauth_error(sdk::ErrorKind::unauthenticated, "identity.authentication_client_invalid",
                       "invalid_client", message);
}

sdk::Error unauthorized_client(std::string_view message) {
    return oauth_error(sdk::ErrorKind::invalid, "identity.authentication_client_unauthorized",
                       "unauthorized_client", message);
}

sdk::Error invalid_grant(std::string_view message) {
    return oauth_error(sdk::ErrorKind::invalid, "identity.authentication_grant_invalid",
                       "invalid_grant", message);
}

sdk::Error unsupported_grant_type(std::string_view grant_type) {
    return oauth_error(sdk::ErrorKind::invalid, "identity.authentication_grant_type_unsupported",
                       "unsupported_grant_type",
                       "grant_type " + std::string(grant_type) + " is not supported");
}

sdk::Error invalid_scope(std::string_view scope) {
    return oauth_error(sdk::ErrorKind::invalid, "identity.authentication_scope_invalid",
                       "invalid_scope", "the client may not ask for scope " + std::string(scope));
}

sdk::Error invalid_request(std::string_view message) {
    return oauth_error(sdk::ErrorKind::invalid, "identity.authentication_request_malformed",
                       "invalid_request", message);
}

}  // namespace stele::identity

#pragma once

#include <string_view>

#include <stele/sdk/error.hpp>

namespace stele::identity {

/// Failures of the token endpoint (docs/specification/platform.md 2.2): each carries the code that
/// the OAuth protocol prescribes.
sdk::Error invalid_client(std::string_view message);
sdk::Error unauthorized_client(std::string_view message);
sdk::Error invalid_grant(std::string_view message);
sdk::Error unsupported_grant_type(std::string_view grant_type);
sdk::Error invalid_scope(std::string_view scope);
sdk::Error invalid_request(std::string_view message);

}  // namespace stele::identity

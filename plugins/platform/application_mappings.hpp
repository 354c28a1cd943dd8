#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/services/row_query.hpp>

namespace stele::platform {

/// Mappings of web hosts that concern an application, of those that the caller may READ, as the
/// page that the call asks for: the auto client mappings that name it, and the trusted domain
/// mappings of the web hosts that have such a one or to which it is deployed.
sdk::Result<sdk::Reply> list_auto_client_mappings(const sdk::Call& call, sdk::RowQuery& rows);
sdk::Result<sdk::Reply> list_trusted_domain_mappings(const sdk::Call& call, sdk::RowQuery& rows);

/// What applications can be: the types that applications name which the caller may READ.
sdk::Result<sdk::Reply> list_application_types(const sdk::Call& call, sdk::RowQuery& rows);

}  // namespace stele::platform

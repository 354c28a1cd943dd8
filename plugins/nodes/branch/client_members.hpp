#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/error.hpp>
#include <stele/sdk/json.hpp>

namespace stele::nodes {

/// Takes away what begins with an underscore and is none of the members that clients write on nodes
/// and associations: the rest belongs to the server (docs/specification/semantics.md 0.1).
void drop_server_members(sdk::Json& fields);

/// Features as clients send them: null is as if they were not sent, and one driver writes empty
/// objects back as empty arrays (docs/specification/nodes.md 1.1).
void mend_features(sdk::Json& fields);
/// Adds a violation (`nodes.feature_malformed`) where they are no object. What was stored so before
/// this was looked at may be sent back.
void check_features(const sdk::Json* before, const sdk::Json& after, sdk::Violations& violations);

/// Features that the server alone gives and takes: those of `before`, null for something new, stay.
/// `may_relate`: `f:relator` is as it is given.
void keep_servers_features(const sdk::Json* before, sdk::Json& after, bool may_relate);

/// A feature by the name under which it is kept: two have a second one
/// (docs/specification/semantics.md 3.5 and 17).
std::string kept_feature_name(std::string_view name);
/// Gives features the names under which they are kept; one that has both names keeps what the kept
/// one says.
void rename_features(sdk::Json& features);
/// The same for the paths below `_features` that a query asks about.
void rename_queried_features(sdk::Json& query);
/// Whether a query asks for a member, at any depth.
bool mentions(const sdk::Json& query, const char* name);

}  // namespace stele::nodes

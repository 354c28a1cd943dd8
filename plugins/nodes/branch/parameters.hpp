#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::nodes {

/// Ids for an operation on many records, in every form that clients send: `{_docs: [...]}`, the
/// array itself, or numbered parameters (`0=..&1=..`). Each once, in order; `invalid`
/// (`nodes.request_ids_malformed`) when there is something else among them.
sdk::Result<std::vector<std::string>> id_list(const sdk::Call& call);

/// A parameter without the one pair of quotes that a driver puts around it
/// (docs/specification/nodes.md 1.1); empty when it is missing.
std::string text_parameter(const sdk::Call& call, std::string_view name);

/// A type that a parameter names: a QName, or empty where there is none; `invalid`
/// (`nodes.qname_malformed`) naming the parameter otherwise.
sdk::Result<std::string> checked_type(std::string type, std::string_view parameter);
/// The same of a call's parameter.
sdk::Result<std::string> type_parameter(const sdk::Call& call, std::string_view name);

/// Whether the query string says false, in any letter case. Other text asks for nothing: one driver
/// that repeats a request sends `true?full=true`.
bool is_declined(const sdk::Call& call, std::string_view name);
/// The query with the projection that `full=false` and `metadata=false` of a list ask for: rows of
/// `_doc` alone, or without `_system` (docs/specification/nodes.md 1.3). A query with `_fields`
/// says it itself.
sdk::Json shown_query(const sdk::Call& call, sdk::Json query);

}  // namespace stele::nodes

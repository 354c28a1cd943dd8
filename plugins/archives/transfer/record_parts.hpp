#pragma once

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/families.hpp>

#include "transfer/transfer_source.hpp"

namespace stele::archives {

/// What clients say of a role that a record defines, and of a team: without what is the server's
/// or has operations of its own.
sdk::Json said_of_role(sdk::Json role);
sdk::Json said_of_team(sdk::Json team);

/// What a record says of itself and of others: without what is the server's, and without its place.
sdk::Json said_of_record(sdk::Json fields, const sdk::FamilyInfo& family);

/// `invalid` (`archives.record_malformed`) where a role or a team is no object.
sdk::Result<void> check_parts(const TransferRecord& record);

/// Whether the record tells which policies are assigned to whom.
bool has_assignments(const TransferRecord& record);

/// `present` with the members of `brought` written over it.
sdk::Json brought_up_to_date(const sdk::Json& present, const sdk::Json& brought);

/// Whether both give the same bytes; reads no further than the first that differ.
sdk::Result<bool> are_same_bytes(const sdk::PieceSource& one, const sdk::PieceSource& other);

}  // namespace stele::archives

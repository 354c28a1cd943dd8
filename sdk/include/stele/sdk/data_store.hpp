#pragma once

#include <string_view>

#include <stele/sdk/descriptor.hpp>

namespace stele::sdk {

struct Change;

/// The fields that every data store has (interface.md, Data store fields), to be followed by a
/// family's own: applications, directories, domains, registrars, repositories, vaults, web hosts.
Fields data_store_fields();

/// For `Resource::prepare` of a data store: on create fills in `datastoreId` and `datastoreTypeId`,
/// on update keeps what only the server sets (`lockedBy`). Nothing on remove.
void prepare_data_store(Change& change, std::string_view type);

}  // namespace stele::sdk

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::resource {

/// Custom roles as clients see them, beside what they mean (`AuthorityStore::define_role`). Keys
/// are compared without regard to case.

/// By role key, else by id; nothing when the record defines none.
sdk::Result<std::optional<sdk::Json>> read_role(const sdk::Reader& reader,
                                                const sdk::RecordKey& record,
                                                std::string_view key_or_id);
/// In order of creation.
sdk::Result<std::vector<sdk::Json>> read_roles(const sdk::Reader& reader,
                                               const sdk::RecordKey& record);
/// `role` has its `roleKey`.
void write_role(sdk::Transaction& transaction, const sdk::RecordKey& record, const sdk::Json& role);
void erase_role(sdk::Transaction& transaction, const sdk::RecordKey& record,
                std::string_view role_key);
/// All roles of a record that goes.
sdk::Result<void> forget_roles(sdk::Transaction& transaction, const sdk::RecordKey& record);

}  // namespace stele::kernel::resource

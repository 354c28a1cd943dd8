#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/documents.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/resource.hpp>

#include "kernel/storage/record/record.hpp"

namespace stele::kernel::resource {

/// What a body becomes before it is stored: reserved and read-only members taken out, secrets set
/// apart, defaults filled in, kinds checked.
struct DecodedFields {
    sdk::Json fields;
    sdk::Json secrets;
    /// `_doc` of the body; empty when it has none.
    std::string wanted_id;
};

/// Decodes the body of a create. All problems are reported at once.
sdk::Result<DecodedFields> decode_create(const sdk::ResourceDescriptor& descriptor, sdk::Json body);
/// Decodes the body of an update: keeps what the body cannot change from `before`; a secret that
/// the body does not mention stays (docs/specification/platform.md 1.2).
sdk::Result<DecodedFields> decode_update(const sdk::ResourceDescriptor& descriptor, sdk::Json body,
                                         const sdk::Document& before);

/// Whether what hooks have made of a record can be read again and is what its family declares, as
/// `before` the hooks was checked: nesting, kinds of declared fields, `_doc` and the ids of what it
/// lies in. `internal` (`resource.hook_broke_record`) naming the member otherwise: the family is at
/// fault, unless what came in made it so deep.
sdk::Result<void> check_hooked(const sdk::ResourceDescriptor& descriptor,
                               const sdk::Document& after);

/// The `_system` member of a record that `session` writes now; `before` is its former one or null.
sdk::Json system_member(const sdk::Session& session, const sdk::Json* before, std::int64_t now);

/// A stored record as plugins see it. `secrets` is the opened seal.
sdk::Result<sdk::Document> document_of(const storage::Record& record, sdk::Json secrets);

/// `_doc` of a record's text without parsing all of it.
std::string id_of(const storage::Record& record);

/// Adds a member that the object does not have yet, without looking for it: looking makes wide
/// records quadratic.
void append_member(sdk::Json& object, const std::string& name, sdk::Json value);

/// Gives a member the value that it had before; without one there, none.
void keep_member(const sdk::Json& before, sdk::Json& after, const std::string& name);

}  // namespace stele::kernel::resource

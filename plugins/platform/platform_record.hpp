#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

namespace stele::platform {

/// GET / : the platform's own record.
sdk::Result<sdk::Reply> read_platform(const sdk::Call& call);

/// PUT / and POST /update : replaces the record's custom fields.
sdk::Result<sdk::Reply> update_platform(const sdk::Call& call);

/// GET /info : how many stores of each kind the platform has.
sdk::Result<sdk::Reply> read_info(const sdk::Call& call);

/// POST and GET /tools/types/contained/{typeId}
sdk::Result<sdk::Reply> list_contained_types(const sdk::Call& call);

}  // namespace stele::platform

#pragma once

#include <string_view>

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Updates of records that an operation names by reference, whatever family they belong to.
/// Published by the kernel. Any thread.
class RecordUpdates {
public:
    virtual ~RecordUpdates();

    /// Does with `fields` what a PUT to the record's own path does, in the transaction of `call`
    /// and for its caller: rights, bounds, `If-Match` of the call, hooks and the audit trail. The
    /// answer is that of a GET there. `invalid` naming `parameter` where nothing updates such
    /// records.
    virtual Result<Reply> update(const Call& call, std::string_view parameter,
                                 std::string_view reference, Json fields) = 0;
};

}  // namespace stele::sdk

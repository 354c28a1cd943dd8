#pragma once

#include <string_view>

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Operations of whatever family, for those that name records or collections by what they are told.
/// They run in the transaction of `call` and for its caller, as if the request had gone to the path
/// of the record or collection itself: with the same rights, bounds and hooks. `invalid` naming
/// `parameter` where there is no such operation. Published by the kernel. Any thread.
class FamilyOperations {
public:
    virtual ~FamilyOperations();

    /// Does with `fields` what a PUT to the record does; `If-Match` of the call counts, and the
    /// audit log tells of the record. The answer is that of a GET there. Without the query
    /// string.
    virtual Result<Reply> update(const Call& call, std::string_view parameter,
                                 std::string_view reference, Json fields) = 0;

    /// What a query of the collection answers, with the query string of the call, which is declared
    /// as paged. `type` is a type id or another word of references; `container` a reference, empty
    /// for what lies on the platform itself.
    virtual Result<Reply> query(const Call& call, std::string_view parameter, std::string_view type,
                                std::string_view container, Json condition) = 0;
};

}  // namespace stele::sdk

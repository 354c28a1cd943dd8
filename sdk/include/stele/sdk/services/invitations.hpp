#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/call.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// What invitations to domains and to projects share (docs/reference/identity.md). Published by the
/// plugin that keeps principals. Any thread.
class Invitations {
public:
    virtual ~Invitations();

    /// The user of the domain, named by its id or an alias, to whom a mail address belongs. Where
    /// nobody whom the caller may read has it, a user is made of the address and what the call's
    /// body says; that needs CREATE_SUBOBJECTS on the domain and computes long. `invalid` for what
    /// is no address, `conflict` when several users have it.
    virtual Result<Principal> find_or_make(const Call& call, std::string_view domain,
                                           std::string_view address) = 0;

    /// Tells the invited user by mail, when the call names `applicationId` or, without one, when
    /// `application` (which may be empty) has an email provider that the caller may use. `title`
    /// says where to. Answers members for the reply, `{}` when no mail goes out.
    virtual Result<Json> announce(const Call& call, const Principal& invited,
                                  std::string_view title, std::string_view application) = 0;
};

}  // namespace stele::sdk

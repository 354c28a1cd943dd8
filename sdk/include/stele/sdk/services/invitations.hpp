#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/descriptor.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/shape.hpp>

namespace stele::sdk {

/// Whom an invitation is for; one of the two is empty.
struct Invitee {
    std::string id;
    std::string email;
};
/// The parameters `id` and `email`: `invalid` for `id` unless the call has one of the two.
Result<Invitee> read_invitee(const Call& call);

/// What operations that invite declare: their parameters, and a body which may also say who a new
/// user is and what the mail says.
std::vector<Parameter> invitation_parameters();
Shape invitation_body();

/// What invitations to domains and to projects share (docs/reference/identity.md). Published by the
/// plugin that keeps principals. Any thread.
class Invitations {
public:
    virtual ~Invitations();

    /// A new user of the domain, named by its id or an alias, made of a mail address and what the
    /// call's body says; needs CREATE_SUBOBJECTS on the domain and computes long. `invalid` for
    /// what is no address, `conflict` when a user whom the caller may read has it.
    virtual Result<Principal> make_user(const Call& call, std::string_view domain,
                                        std::string_view address) = 0;

    /// Tells the invited user by mail, when the call names `applicationId` or, without one, when
    /// `application` (which may be empty) has an email provider that the caller may use. `title`
    /// says where to. Answers members for the reply, `{}` when no mail goes out.
    virtual Result<Json> announce(const Call& call, const Principal& invited,
                                  std::string_view title, std::string_view application) = 0;
};

}  // namespace stele::sdk

#include <stele/sdk/services/invitations.hpp>

#include <utility>

#include <stele/sdk/error.hpp>

namespace stele::sdk {

Result<Invitee> read_invitee(const Call& call) {
    Invitee invitee{call.parameter("id").value_or(""), call.parameter("email").value_or("")};
    if (invitee.id.empty() == invitee.email.empty()) {
        return invalid_parameter("id", "or email is required, one of the two");
    }
    return invitee;
}

}  // namespace stele::sdk

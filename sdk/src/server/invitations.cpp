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

std::vector<Parameter> invitation_parameters() {
    return {{"id"},
            {"email"},
            {"applicationId"},
            {"emailProviderId"},
            {"notify", false, FieldKind::boolean}};
}

Shape invitation_body() {
    std::vector<ShapeMember> mail;
    for (const char* name : {"from", "replyTo", "subject", "body", "html"})
        mail.push_back(shape::optional(name, shape::text()));
    std::vector<ShapeMember> members{shape::optional("mail", shape::object(mail))};
    for (const char* name :
         {"name", "firstName", "lastName", "jobTitle", "companyName", "password"})
        members.push_back(shape::optional(name, shape::text()));
    for (const Parameter& parameter : invitation_parameters()) {
        const bool is_flag = parameter.kind == FieldKind::boolean;
        members.push_back(
            shape::optional(parameter.name, is_flag ? shape::boolean() : shape::text()));
    }
    return shape::object(members);
}

}  // namespace stele::sdk

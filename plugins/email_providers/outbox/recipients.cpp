#include "recipients.hpp"

#include <unordered_set>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

namespace stele::email_providers {

namespace {

constexpr char kPrincipalMember[] = "toPrincipalId";

sdk::Error wrong(const char* member, const char* code, const std::string& problem) {
    return sdk::make_error({{member, code, problem}});
}

/// Collects addresses of the envelope.
class Envelope {
public:
    explicit Envelope(std::vector<std::string>& addresses) : addresses_(addresses) {}

    void add(const std::string& address) {
        if (seen_.insert(sdk::lower_case(address)).second) addresses_.push_back(address);
    }
    void add(const std::vector<Mailbox>& mailboxes) {
        for (const Mailbox& mailbox : mailboxes)
            add(mailbox.address);
    }

private:
    std::vector<std::string>& addresses_;
    std::unordered_set<std::string> seen_;
};

std::string shown_name(const sdk::Principal& principal) {
    std::string name = principal.first_name;
    if (!name.empty() && !principal.last_name.empty()) name += ' ';
    name += principal.last_name;
    if (name.empty()) name = principal.name;
    return has_control_character(name) ? std::string() : name;
}

/// The named principal, if the caller may know of it.
sdk::Result<sdk::Principal> addressee(sdk::Context& context, sdk::PrincipalDirectory& principals,
                                      const sdk::Json& fields) {
    const std::string domain = sdk::text_member(fields, "toDomainId");
    const std::string id = sdk::text_member(fields, kPrincipalMember);
    auto found = principals.find(context, domain.empty() ? id : domain + "/" + id);
    if (!found && !sdk::is_missing(found.error())) return found;
    if (found) {
        auto is_readable = sdk::holds(context, found->key, sdk::Permission::read);
        if (!is_readable) return is_readable.error();
        if (*is_readable) return found;
    }
    return wrong(kPrincipalMember, "email_providers.principal_unknown",
                 "toPrincipalId names no principal, or none that you may read: " + id);
}

sdk::Result<void> add_members(sdk::Context& context, sdk::PrincipalDirectory& principals,
                              const sdk::Principal& group, Envelope& envelope,
                              Recipients& recipients) {
    auto members = context.authorities().members(group.key, sdk::MemberKind::user, false);
    if (!members) return members.error();
    for (const sdk::RecordKey& key : *members) {
        auto member = principals.describe(context, key);
        if (!member && sdk::is_missing(member.error())) continue;
        if (!member) return member.error();
        if (const auto address = wire_address(member->email)) {
            envelope.add(*address);
        } else {
            recipients.missing.push_back(member->qualified_name());
        }
    }
    recipients.group = shown_name(group);
    if (recipients.group.empty()) recipients.group = group.id;
    return {};
}

sdk::Result<void> add_principal(sdk::Context& context, sdk::PrincipalDirectory& principals,
                                const sdk::Json& fields, Envelope& envelope,
                                Recipients& recipients) {
    auto principal = addressee(context, principals, fields);
    if (!principal) return principal.error();
    if (principal->kind == sdk::PrincipalKind::group) {
        return add_members(context, principals, *principal, envelope, recipients);
    }
    const auto address = wire_address(principal->email);
    if (!address) {
        return wrong(kPrincipalMember, "email_providers.address_missing",
                     "the user that toPrincipalId names has no mail address: " +
                         principal->qualified_name());
    }
    recipients.to.push_back({shown_name(*principal), *address});
    envelope.add(*address);
    return {};
}

}  // namespace

sdk::Result<Recipients> find_recipients(sdk::Context& context, sdk::PrincipalDirectory& principals,
                                        const sdk::Document& email, std::size_t limit) {
    Recipients recipients;
    Envelope envelope(recipients.addresses);
    sdk::Violations violations;
    recipients.to = read_mailboxes(email.fields, "to", violations);
    recipients.cc = read_mailboxes(email.fields, "cc", violations);
    const auto bcc = read_mailboxes(email.fields, "bcc", violations);
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    envelope.add(recipients.to);
    envelope.add(recipients.cc);
    envelope.add(bcc);
    if (!sdk::text_member(email.fields, kPrincipalMember).empty()) {
        auto added = add_principal(context, principals, email.fields, envelope, recipients);
        if (!added) return added.error();
    }
    const bool is_group = !recipients.group.empty();
    if (recipients.addresses.empty()) {
        return wrong(is_group ? kPrincipalMember : "to", "email_providers.recipients_missing",
                     is_group ? "no member of the group that toPrincipalId names has a mail address"
                              : "the email has no recipient");
    }
    if (recipients.addresses.size() > limit) {
        return wrong(is_group ? kPrincipalMember : "to", "email_providers.recipients_too_many",
                     "the email has " + std::to_string(recipients.addresses.size()) +
                         " recipients, at most " + std::to_string(limit) + " are allowed");
    }
    return recipients;
}

}  // namespace stele::email_providers

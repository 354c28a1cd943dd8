#include "invitation_desk.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/services/mailer.hpp>

#include "invited_user.hpp"
#include "rights/principal_lookup.hpp"

namespace stele::identity {

namespace {

constexpr std::size_t kMaxAddressLength = 254;
/// Users of one address that are looked at; more are a mistake of somebody else's.
constexpr std::int64_t kMaxUsers = 100;

constexpr char kSubject[] = "You are invited to ${title}";
constexpr char kBody[] =
    "Hello ${name},\n\n${inviter} has invited you to ${title}.\nYour user name is ${username}.\n";

/// What a body may say about a user who is made.
constexpr const char* kUserMembers[] = {"name",     "firstName",   "lastName",
                                        "jobTitle", "companyName", "password"};
/// What a body's `mail` may say about the mail.
constexpr const char* kMailMembers[] = {"from", "replyTo", "subject", "body", "html"};

bool is_control(unsigned char c) {
    return c < 0x20 || c == 0x7f;
}

/// Not every address of RFC 5322, but each that is also a name of a user and a line of a header.
bool is_address(std::string_view text) {
    const std::size_t at = text.find('@');
    const bool is_whole = at != std::string_view::npos && at > 0 && at + 1 < text.size() &&
                          text.find('@', at + 1) == std::string_view::npos;
    return is_whole && text.size() <= kMaxAddressLength &&
           std::none_of(text.begin(), text.end(), [](unsigned char c) {
               return is_control(c) || c == ' ' || c == '/' || c == ',' || c == '<' || c == '>';
           });
}

/// The text as part of a header line.
std::string one_line(std::string_view text) {
    std::string line(text);
    std::replace_if(line.begin(), line.end(), is_control, ' ');
    return line;
}

std::string shown_name(const sdk::Principal& principal) {
    std::string name = principal.first_name;
    if (!name.empty() && !principal.last_name.empty()) name += ' ';
    name += principal.last_name;
    return one_line(name.empty() ? principal.name : name);
}

/// Refuses an address that a user has whom the caller may read. Everybody sets the address of the
/// own record, so that it is no proof of who somebody is.
sdk::Result<void> check_free(sdk::Context& context, const sdk::CollectionName& principals,
                             const std::string& address) {
    sdk::PageRequest page;
    page.limit = kMaxUsers;
    const sdk::Json addresses = sdk::Json::array({address, sdk::lower_case(address)});
    auto users = context.documents().query(
        principals, {{"type", "USER"}, {"email", {{"$in", addresses}}}}, page);
    if (!users) return users.error();
    for (const sdk::Document& user : users->rows) {
        auto readable = sdk::holds(context, user.key, sdk::Permission::read);
        if (!readable) return readable.error();
        if (!*readable) continue;
        return sdk::make_error(
            sdk::ErrorKind::conflict, "identity.principal_email_taken",
            "a user has the address " + address + "; whoever is meant is invited by id");
    }
    return {};
}

sdk::Json user_fields(const sdk::Call& call, const std::string& address) {
    sdk::Json fields = {{"type", "USER"}, {"name", address}, {"email", address}};
    for (const char* member : kUserMembers) {
        std::string value = sdk::text_member(call.body(), member);
        if (!value.empty()) fields[member] = std::move(value);
    }
    return fields;
}

sdk::Result<sdk::NewMail> mail_to(const sdk::Call& call, const sdk::Principal& invited,
                                  std::string_view title) {
    const sdk::Principal& inviter = call.context().principal();
    sdk::NewMail mail;
    mail.addressee = invited;
    const auto wanted = call.body().find("mail");
    if (wanted != call.body().end() && !wanted->is_object()) {
        return sdk::invalid_parameter("mail", "must be an object");
    }
    for (const char* member : kMailMembers) {
        if (wanted == call.body().end()) break;
        std::string value = sdk::text_member(*wanted, member);
        if (!value.empty()) mail.email[member] = std::move(value);
    }
    if (!mail.email.contains("subject")) mail.email["subject"] = kSubject;
    if (!mail.email.contains("body") && !mail.email.contains("html")) mail.email["body"] = kBody;
    mail.model = {{"name", shown_name(invited)},
                  {"username", invited.qualified_name()},
                  {"inviter", shown_name(inviter)},
                  {"title", one_line(title)}};
    return mail;
}

sdk::Error no_mailer() {
    return sdk::make_error(sdk::ErrorKind::conflict, "identity.invitation_mailer_missing",
                           "no enabled plugin of this server sends mails");
}

sdk::Error no_provider(const std::string& application) {
    return sdk::make_error(
        {{"applicationId", "identity.invitation_provider_missing",
          "there is no application " + application + " with an email provider that you may use"}});
}

}  // namespace

sdk::Result<sdk::Principal> InvitationDesk::make_user(const sdk::Call& call,
                                                      std::string_view domain,
                                                      std::string_view address) {
    if (!is_address(address)) {
        return sdk::make_error({{"email", "identity.principal_email_malformed",
                                 "email must be one mail address, without a name"}});
    }
    sdk::Context& context = call.context();
    auto record = context.documents().read({kDomainType, ""}, domain);
    if (!record) return record.error();
    const sdk::CollectionName principals{kPrincipalType, record->id, record->key};
    const std::string text(address);
    if (auto free = check_free(context, principals, text); !free) return free.error();
    auto may = sdk::holds(context, record->key, sdk::Permission::create_subobjects);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                               "CREATE_SUBOBJECTS on domain " + record->id +
                                   " is needed to make a user of the address " + text);
    }
    auto made = context.documents().create(principals, user_fields(call, text));
    if (!made) return made.error();
    auto noted = note_inviter(context, principals, *made);
    if (!noted) return noted.error();
    return principal_of(*noted);
}

sdk::Result<sdk::Json> InvitationDesk::announce(const sdk::Call& call,
                                                const sdk::Principal& invited,
                                                std::string_view title,
                                                std::string_view application) {
    auto notify = call.flag("notify");
    if (!notify) return notify.error();
    const std::string named = call.parameter("applicationId").value_or("");
    const std::string provider = call.parameter("emailProviderId").value_or("");
    const bool is_wanted = !named.empty() || !provider.empty();
    const std::string sender = named.empty() ? std::string(application) : named;
    if (sender.empty() && is_wanted) return sdk::invalid_parameter("applicationId", "is required");
    const bool is_silent = !is_wanted && invited.email.empty();
    if (sender.empty() || is_silent || !notify->value_or(true)) return sdk::Json::object();

    // Asked for at each invitation: whoever sends mails is opened after this plugin.
    auto* mailer = registrar_.find<sdk::Mailer>();
    if (!mailer) return is_wanted ? sdk::Result<sdk::Json>(no_mailer()) : sdk::Json::object();
    sdk::Context& context = call.context();
    auto mail = mail_to(call, invited, title);
    if (!mail) return mail.error();
    mail->application_id = sender;
    mail->provider_id = provider;
    if (provider.empty()) {
        auto first = mailer->provider_of(context, sender);
        if (!first) return first.error();
        if (!*first && is_wanted) return no_provider(sender);
        if (!*first) return sdk::Json::object();
        mail->provider_id = **first;
    }
    auto posted = mailer->post(context, *mail);
    if (!posted) return posted.error();
    return sdk::Json{{"emailId", posted->email_id}, {"emailJobId", posted->job_id}};
}

}  // namespace stele::identity

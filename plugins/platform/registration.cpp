#include "registration.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/services/mailer.hpp>
#include <stele/sdk/time.hpp>

namespace stele::platform {

namespace {

constexpr char kRegistration[] = "registration";
constexpr char kRegistrationId[] = "registrationId";
constexpr char kUserEmail[] = "userEmail";
constexpr char kCompleted[] = "completed";

/// What a mail says where neither the registration nor the call does.
sdk::Json usual_mail(const char* kind) {
    const bool is_welcome = std::string_view(kind) == "welcome";
    return {
        {"subject", is_welcome ? "Welcome" : "Please confirm your registration"},
        {"body", is_welcome ? "Welcome, ${userEmail}." : "Your registration: ${registrationId}"}};
}

const sdk::Json* object_in(const sdk::Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_object() ? &*found : nullptr;
}

/// What whoever wrote the registration may say about a mail that is composed for others: words, but
/// nothing that would be looked up.
constexpr const char* kMailMembers[] = {"from", "cc", "bcc", "replyTo", "subject", "body", "html"};

/// `emails.{kind}`, or `{kind}EmailProperties`.
sdk::Json mail_of(const sdk::Json& registration, const char* kind) {
    sdk::Json mail = usual_mail(kind);
    const sdk::Json* emails = object_in(registration, "emails");
    const sdk::Json* said = emails ? object_in(*emails, kind) : nullptr;
    if (said == nullptr)
        said = object_in(registration, (std::string(kind) + "EmailProperties").c_str());
    for (const char* member : kMailMembers) {
        if (said != nullptr && said->contains(member)) mail[member] = said->at(member);
    }
    mail["to"] = sdk::text_member(registration, kUserEmail);
    return mail;
}

sdk::Json model_of(const sdk::Document& registration) {
    sdk::Json model = {{kRegistrationId, registration.id}};
    for (const char* name : {kUserEmail, "userId", "userDomainId", "tenantTitle"})
        model[name] = sdk::text_member(registration.fields, name);
    return model;
}

sdk::Result<sdk::Document> container(const sdk::Call& call, const char* type, const std::string& id,
                                     const char* member) {
    sdk::Context& context = call.context();
    auto found = sdk::if_readable(context, context.documents().read({type, ""}, id));
    if (!found) return found.error();
    if (!*found) {
        return sdk::make_error({{member, "platform.registration_container_unknown",
                                 fmt::format("there is no {} {}", type, id)}});
    }
    auto may = sdk::holds(context, (*found)->key, sdk::Permission::create_subobjects);
    if (!may) return may.error();
    if (*may) return **std::move(found);
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           fmt::format("CREATE_SUBOBJECTS on {} {} is needed for this", type, id));
}

std::string domain_of(const sdk::Json& registration) {
    std::string domain = sdk::text_member(registration, "newUserDomainId");
    if (domain.empty()) domain = sdk::text_member(registration, "userDomainId");
    return domain.empty() ? "default" : domain;
}

sdk::Json user_of(const sdk::Call& call) {
    const sdk::Json& registration = call.record().fields;
    sdk::Json user = sdk::Json::object();
    if (const sdk::Json* said = object_in(registration, "userProperties")) user = *said;
    // Whoever wrote the registration gives nothing in the name of who confirms it.
    for (const char* name : {"_doc", "groups", "directoryId", "identityId", "password"})
        user.erase(name);
    user["type"] = "USER";
    user["email"] = sdk::text_member(registration, kUserEmail);
    const std::string name = sdk::text_member(registration, "userId");
    if (!user.contains("name")) user["name"] = name.empty() ? user["email"] : sdk::Json(name);
    // Of the query string or the body; it is never stored with the registration.
    if (const auto password = call.parameter("password")) user["password"] = *password;
    return user;
}

/// The tenant that a registration asks for; nothing when it asks for none.
sdk::Result<std::optional<std::string>> make_tenant(const sdk::Call& call,
                                                    const sdk::Document& user,
                                                    const std::string& domain) {
    const sdk::Json& registration = call.record().fields;
    const std::string registrar = sdk::text_member(registration, "tenantRegistrarId");
    const std::string plan = sdk::text_member(registration, "tenantPlanKey");
    if (registrar.empty() || plan.empty()) return std::optional<std::string>();
    auto place = container(call, "registrar", registrar, "tenantRegistrarId");
    if (!place) return place.error();
    sdk::Json tenant = sdk::Json::object();
    if (const sdk::Json* said = object_in(registration, "tenantProperties")) tenant = *said;
    tenant["planKey"] = plan;
    tenant["principalId"] = user.id;
    tenant["domainId"] = domain;
    tenant["title"] = sdk::text_member(registration, "tenantTitle");
    tenant["description"] = sdk::text_member(registration, "tenantDescription");
    auto made =
        call.context().documents().create({"tenant", place->id, place->key}, std::move(tenant));
    if (!made) return made.error();
    return std::optional<std::string>(made->id);
}

sdk::Fields registration_fields() {
    using enum sdk::FieldKind;
    sdk::Fields fields{{.name = kUserEmail, .kind = text, .required = true},
                       {.name = "userProperties", .kind = object},
                       {.name = "signupProperties", .kind = object, .default_json = "{}"},
                       {.name = "tenantProperties", .kind = object},
                       {.name = "confirmationEmailProperties", .kind = object},
                       {.name = "emails", .kind = object}};
    for (const char* name :
         {"userDomainId", "userId", "newUserDomainId", "tenantRegistrarId", "tenantPlanKey",
          "tenantTitle", "tenantDescription", "emailProviderId"})
        fields.push_back({.name = name, .kind = text});
    for (const char* name : {"confirmationSent", "welcomeSent", kCompleted})
        fields.push_back(
            {.name = name, .kind = boolean, .default_json = "false", .read_only = true});
    for (const char* name : {"confirmationSentOn", "welcomeSentOn", "completedOn"})
        fields.push_back({.name = name, .kind = timestamp, .read_only = true});
    for (const char* name : {"completedPrincipalId", "completedDomainId", "completedTenantId"})
        fields.push_back({.name = name, .kind = text, .read_only = true});
    return fields;
}

}  // namespace

sdk::ResourceDescriptor Registration::describe() const {
    using sdk::action;
    constexpr auto kUpdate = sdk::Permission::update;
    const sdk::Shape changed = sdk::shape::written(kRegistration);
    return {.type = kRegistration,
            .container = "application",
            .path = "registrations",
            .placeholder = kRegistrationId,
            .container_member = "applicationId",
            .fields = registration_fields(),
            .actions = {{.name = "lookup",
                         .method = "GET",
                         .scope = sdk::ActionScope::collection,
                         .permission = sdk::Permission::connect,
                         .run = action<&Registration::look_up>(),
                         .parameters = {{kRegistrationId, true}},
                         .answers = sdk::shape::record(kRegistration)},
                        {.name = "send/confirmation",
                         .permission = kUpdate,
                         .run = action<&Registration::send_confirmation>(),
                         .answers = changed},
                        {.name = "send/welcome",
                         .permission = kUpdate,
                         .run = action<&Registration::send_welcome>(),
                         .answers = changed},
                        {.name = "confirm",
                         .permission = kUpdate,
                         .run = action<&Registration::confirm>(),
                         .parameters = {{"password"}},
                         .slow = true,
                         .answers = changed}},
            .title = "registrations"};
}

sdk::Result<void> Registration::prepare(sdk::Change& change, sdk::Context&) {
    if (change.kind == sdk::ChangeKind::remove) return {};
    const auto user = change.after->fields.find("userProperties");
    if (user != change.after->fields.end() && user->is_object()) user->erase("password");
    return {};
}

sdk::Result<sdk::Reply> Registration::look_up(const sdk::Call& call) {
    auto id = call.required_parameter(kRegistrationId);
    if (!id) return id.error();
    auto found =
        sdk::if_readable(call.context(), call.context().documents().read(call.collection(), *id));
    if (!found) return found.error();
    if (*found) return sdk::Reply::json((*found)->fields);
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           "there is no registration " + *id);
}

sdk::Result<sdk::Reply> Registration::send(const sdk::Call& call, const char* kind) {
    // Whoever sends mails is opened after this plugin.
    auto* const mailer = registrar_.find<sdk::Mailer>();
    if (mailer == nullptr) {
        return sdk::make_error(sdk::ErrorKind::unimplemented,
                               "platform.registration_mailer_missing",
                               "no enabled plugin of this server sends mails");
    }
    const sdk::Document& registration = call.record();
    sdk::NewMail mail;
    mail.application_id = sdk::text_member(registration.fields, "applicationId");
    mail.provider_id = sdk::text_member(registration.fields, "emailProviderId");
    if (mail.provider_id.empty()) {
        auto first = mailer->provider_of(call.context(), mail.application_id);
        if (!first) return first.error();
        if (!*first) {
            return sdk::make_error({{"emailProviderId", "platform.registration_provider_missing",
                                     "the application has no email provider that you may use"}});
        }
        mail.provider_id = **first;
    }
    mail.email = mail_of(registration.fields, kind);
    mail.model = model_of(registration);
    auto posted = mailer->post(call.context(), mail);
    if (!posted) return posted.error();
    const std::string sent = std::string(kind) + "Sent";
    auto noted = call.context().documents().patch(
        call.collection(), registration.id,
        {{sent, true}, {sent + "On", sdk::time_value(sdk::now_ms())}});
    if (!noted) return noted.error();
    return sdk::Reply::status(noted->fields);
}

sdk::Result<sdk::Reply> Registration::send_confirmation(const sdk::Call& call) {
    return send(call, "confirmation");
}

sdk::Result<sdk::Reply> Registration::send_welcome(const sdk::Call& call) {
    return send(call, "welcome");
}

sdk::Result<sdk::Reply> Registration::confirm(const sdk::Call& call) {
    const sdk::Document& registration = call.record();
    if (sdk::flag_member(registration.fields, kCompleted, false)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "platform.registration_completed",
                               "the registration was confirmed already");
    }
    auto domain = container(call, "domain", domain_of(registration.fields), "newUserDomainId");
    if (!domain) return domain.error();
    auto user =
        call.context().documents().create({"principal", domain->id, domain->key}, user_of(call));
    if (!user) return user.error();
    auto tenant = make_tenant(call, *user, domain->id);
    if (!tenant) return tenant.error();
    sdk::Json done = {{kCompleted, true},
                      {"completedOn", sdk::time_value(sdk::now_ms())},
                      {"completedPrincipalId", user->id},
                      {"completedDomainId", domain->id}};
    if (*tenant) done["completedTenantId"] = **tenant;
    auto noted = call.context().documents().patch(call.collection(), registration.id, done);
    if (!noted) return noted.error();
    return sdk::Reply::status(noted->fields);
}

}  // namespace stele::platform

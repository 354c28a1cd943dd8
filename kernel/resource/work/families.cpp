#include "kernel/resource/work/families.hpp"

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

sdk::FamilyInfo describe(const RegisteredResource& family) {
    const sdk::ResourceDescriptor& descriptor = family.descriptor;
    sdk::FamilyInfo info{
        .type = descriptor.type,
        .container = descriptor.container,
        .path = descriptor.path,
        .part_members = family.part_members,
        .title = descriptor.title,
        .reference_type_member = descriptor.reference_type_member,
        .has_teams = descriptor.capabilities.teams,
        .has_roles = descriptor.capabilities.roles,
        .has_attachments = descriptor.capabilities.attachments && !descriptor.has_space,
        .has_space = descriptor.has_space,
        .is_transferred = descriptor.operations.transfer,
        .is_created = descriptor.operations.create,
        .is_updated = descriptor.operations.update,
        .unique_fields = {},
        .unmoved_members = descriptor.unmoved_members,
        .has_secrets = false,
        .secret_fields = {},
        .required_fields = {},
        .contained = {}};
    for (const sdk::Field& field : descriptor.fields) {
        if (field.unique || field.addresses) info.unique_fields.push_back(field.name);
        info.has_secrets = info.has_secrets || field.secret;
        if (field.secret && !field.read_only) info.secret_fields.push_back(field.name);
        if (field.required) info.required_fields.push_back(field.name);
    }
    for (const RegisteredResource* contained : family.contained)
        info.contained.push_back(contained->descriptor.type);
    return info;
}

sdk::Result<void> require_credentials(sdk::Context& context, const sdk::RecordKey& record) {
    auto may = sdk::holds(context, record, sdk::Permission::modify_credentials);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "MODIFY_CREDENTIALS on the record is needed for its secrets");
}

sdk::Error unknown_family(std::string_view type) {
    return sdk::make_error(sdk::ErrorKind::not_found, "resource.type_unknown",
                           "no enabled plugin offers " + std::string(type));
}

}  // namespace

const std::map<std::string, sdk::FamilyInfo, std::less<>>& Families::infos() const {
    std::call_once(is_described_, [this] {
        const Registry& registry = services_.registry;
        for (const RegisteredResource& family : registry.resources())
            infos_.emplace(family.descriptor.type, describe(family));
        sdk::FamilyInfo& platform = infos_.find(kPlatformType)->second;
        platform.container.clear();
        platform.has_teams = platform.has_roles = platform.has_attachments = true;
        platform.is_transferred = platform.is_updated = true;
        for (const RegisteredResource& family : registry.resources()) {
            if (!family.container && family.descriptor.type != kPlatformType)
                platform.contained.push_back(family.descriptor.type);
        }
    });
    return infos_;
}

const sdk::FamilyInfo* Families::find(std::string_view type) const {
    const auto found = infos().find(type);
    return found == infos().end() ? nullptr : &found->second;
}

const sdk::FamilyInfo* Families::find_word(std::string_view word) const {
    if (const sdk::FamilyInfo* const known = find(word)) return known;
    const RegisteredResource* const family = services_.registry.find_reference_type(word);
    return family ? find(family->descriptor.type) : nullptr;
}

sdk::Result<const RegisteredResource*> Families::family_of(sdk::Context& context,
                                                           const sdk::RecordKey& record) const {
    if (record == context.platform().root) return services_.registry.find(kPlatformType);
    return services_.records.resource_of(context.transaction(), record);
}

sdk::Result<const sdk::FamilyInfo*> Families::of(sdk::Context& context,
                                                 const sdk::RecordKey& record) const {
    auto family = family_of(context, record);
    if (!family) return family.error();
    return *family ? find((*family)->descriptor.type) : nullptr;
}

sdk::Result<std::optional<sdk::RecordKey>> Families::container_of(
    sdk::Context& context, const sdk::RecordKey& record) const {
    if (record == context.platform().root) return std::optional<sdk::RecordKey>();
    return services_.records.container_of(context.transaction(), record);
}

sdk::Result<void> Families::for_each(
    sdk::Context& context, std::string_view type, const sdk::RecordKey& container,
    const std::function<sdk::Result<bool>(const sdk::RecordKey& record)>& visit) const {
    const sdk::Transaction& reader = context.transaction();
    const RegisteredResource* const family = services_.registry.find(type);
    if (!family) return unknown_family(type);
    const sdk::CollectionName name{std::string(type), {}, container};
    auto place = services_.records.collection(reader, context.platform(), name);
    if (!place) return place.error();
    if (!place->id) return {};
    auto everything = storage::Query::parse(sdk::Json::object());
    if (!everything) return everything.error();
    sdk::PageRequest page;
    page.limit = -1;
    auto run = services_.documents.query(reader, *place->id, family->rules, *std::move(everything),
                                         page, {}, services_.has_numeric_sort);
    if (!run) return run.error();
    storage::Record record;
    for (;;) {
        if (auto left = context.go_on(); !left) return left;
        auto more = (*run)->next(record);
        if (!more) return more.error();
        if (!*more) return {};
        auto goes_on = visit(record.key());
        if (!goes_on) return goes_on.error();
        if (!*goes_on) return {};
    }
}

sdk::Result<std::vector<sdk::Companion>> Families::companions(sdk::Context& context,
                                                              const sdk::RecordKey& record) const {
    auto family = family_of(context, record);
    if (!family) return family.error();
    if (!*family) return std::vector<sdk::Companion>();
    auto document = context.documents().read(record);
    if (!document) return document.error();
    return plugin::guarded<std::vector<sdk::Companion>>((*family)->plugin_id, "companions", [&] {
        return (*family)->resource->companions(context, *document);
    });
}

sdk::Result<void> Families::accompany(sdk::Context& context, const sdk::RecordKey& record,
                                      const sdk::Companion& companion) const {
    auto family = family_of(context, record);
    if (!family) return family.error();
    if (!*family) return unknown_family("the record");
    auto document = context.documents().read(record);
    if (!document) return document.error();
    return plugin::guarded<void>((*family)->plugin_id, "accompany", [&] {
        return (*family)->resource->accompany(context, *document, companion);
    });
}

sdk::Result<sdk::Json> Families::secrets(sdk::Context& context,
                                         const sdk::RecordKey& record) const {
    if (auto may = require_credentials(context, record); !may) return may.error();
    auto family = family_of(context, record);
    if (!family) return family.error();
    sdk::Json secrets = sdk::Json::object();
    if (!*family) return secrets;
    auto document = context.documents().read(record);
    if (!document) return document.error();
    for (const std::string& name : find((*family)->descriptor.type)->secret_fields) {
        const auto kept = document->secrets.find(name);
        if (kept != document->secrets.end()) secrets[name] = *kept;
    }
    auto completed = plugin::guarded<void>((*family)->plugin_id, "complete_secrets", [&] {
        return (*family)->resource->complete_secrets(context, *document, secrets);
    });
    if (!completed) return completed.error();
    return secrets;
}

sdk::Result<bool> Families::restore_secrets(sdk::Context& context, const sdk::RecordKey& record,
                                            const sdk::Json& secrets) const {
    if (auto may = require_credentials(context, record); !may) return may.error();
    auto family = family_of(context, record);
    if (!family) return family.error();
    if (!*family) return unknown_family("the record");
    auto document = context.documents().read(record);
    if (!document) return document.error();
    return plugin::guarded<bool>((*family)->plugin_id, "restore_secrets", [&] {
        return (*family)->resource->restore_secrets(context, *document, secrets);
    });
}

}  // namespace stele::kernel::resource

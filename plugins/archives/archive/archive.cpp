#include "archive.hpp"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/members.hpp>

#include "archive_template.hpp"
#include "archive_upload.hpp"
#include "vault.hpp"

namespace stele::archives {

namespace {

constexpr char kContainerType[] = "_containerType";
constexpr char kPublished[] = "published";
constexpr char kTargetVault[] = "targetVaultId";

sdk::Fields archive_fields() {
    using enum sdk::FieldKind;
    sdk::Fields fields{
        {.name = "contentType", .kind = text, .read_only = true},
        {.name = "length", .kind = integer, .read_only = true},
        {.name = "size", .kind = integer, .read_only = true},
        {.name = "contentCount", .kind = integer, .read_only = true},
        {.name = kContainerType, .kind = text, .read_only = true},
        {.name = kPublished, .kind = boolean, .default_json = "false"},
        {.name = "childrenOnly", .kind = boolean},
        {.name = "tipChangesetOnly", .kind = boolean},
        {.name = "startDate"},
        {.name = "endDate"},
        {.name = "template"},
    };
    for (const char* name :
         {"model", "type", "group", "artifact", "version", "title", "description", "startChangeset",
          "endChangeset", "templateType", "templateKey"})
        fields.push_back({.name = name, .kind = text});
    // Maps and lists of whatever length, which nobody asks for by what is in them.
    for (const char* name : {"contents", "dependencies", "includes", "parts", "sources"})
        fields.push_back({.name = name, .unindexed = true});
    return fields;
}

/// Where an archive of the type can be imported; empty where nobody says.
std::string container_type(const std::string& type) {
    static const std::map<std::string, const char*, std::less<>> kContainers{
        {"application", "platform"}, {"branch", "repository"},  {"directory", "platform"},
        {"domain", "platform"},      {"group", "domain"},       {"node", "node"},
        {"project", "platform"},     {"registrar", "platform"}, {"repository", "platform"},
        {"stack", "platform"},       {"user", "domain"},        {"vault", "platform"},
        {"webhost", "platform"}};
    const auto found = kContainers.find(type);
    return found == kContainers.end() ? std::string() : found->second;
}

/// What identifies an archive and whether it is published outlive an update that is silent.
void keep_unsaid(const sdk::Json& before, sdk::Json& fields) {
    for (const char* name : {"group", "artifact", "version"}) {
        if (sdk::text_member(fields, name).empty()) fields[name] = sdk::text_member(before, name);
    }
    if (const auto published = before.find(kPublished); published != before.end())
        if (!fields.contains(kPublished)) fields[kPublished] = *published;
}

Coordinates named_coordinates(const sdk::Call& call, const char* group, const char* artifact,
                              const char* version, std::optional<sdk::Error>& missing) {
    const auto text = [&](const char* name) {
        auto value = call.required_parameter(name);
        if (!value && !missing) missing = value.error();
        return value ? *value : std::string();
    };
    return {text(group), text(artifact), text(version)};
}

/// The archive that parameters of these names say; `not_found` where there is none for the caller.
sdk::Result<sdk::Document> find_named(const sdk::Call& call, const char* group,
                                      const char* artifact, const char* version) {
    std::optional<sdk::Error> missing;
    const Coordinates wanted = named_coordinates(call, group, artifact, version, missing);
    if (missing) return *missing;
    auto found = ArchiveStore::find(call.context(), call.collection(), wanted);
    if (!found) return found.error();
    if (*found) return std::move(**found);
    return sdk::make_error(sdk::ErrorKind::not_found, "archives.unknown",
                           fmt::format("the vault has no archive {}-{}-{}", wanted.group,
                                       wanted.artifact, wanted.version));
}

sdk::Result<sdk::Reply> set_published(const sdk::Call& call, bool is_published) {
    auto changed = call.context().documents().patch(call.collection(), call.record().id,
                                                    {{kPublished, is_published}});
    if (!changed) return changed.error();
    return sdk::Reply::status(changed->fields);
}

sdk::Actions archive_actions() {
    using enum sdk::ActionScope;
    using enum sdk::Permission;
    using sdk::action;
    const sdk::Shape zip = sdk::shape::bytes(kArchiveContentType);
    const sdk::Shape written = sdk::shape::written(kArchiveType);
    return {
        {.name = "",
         .scope = collection,
         .permission = create_subobjects,
         .run = action<&Archive::upload>(),
         .parameters = {{"group"},
                        {"artifact"},
                        {"version"},
                        {"type"},
                        {"title"},
                        {"description"},
                        {kPublished, false, sdk::FieldKind::boolean},
                        {"filename"}},
         .streamed_body = true,
         .takes = sdk::shape::bytes(),
         .answers = written},
        {.name = "lookup",
         .method = "GET",
         .scope = collection,
         .permission = connect,
         .run = action<&Archive::look_up>(),
         .parameters = {{"group", true}, {"artifact", true}, {"version", true}},
         .answers = sdk::shape::record(kArchiveType)},
        {.name = "download",
         .method = "GET",
         .scope = collection,
         .permission = connect,
         .run = action<&Archive::download_by_coordinates>(),
         .parameters = {{"groupId", true}, {"artifactId", true}, {"versionId", true}},
         .answers = zip},
        {.name = "download",
         .method = "GET",
         .permission = read,
         .run = action<&Archive::download>(),
         .answers = zip},
        {.name = "copy",
         .method = "GET",
         .permission = read,
         .run = action<&Archive::copy>(),
         .parameters = {{kTargetVault, true}},
         .slow = true,
         .answers = written},
        {.name = "publish",
         .permission = update,
         .run = action<&Archive::publish>(),
         .answers = written},
        {.name = "unpublish",
         .permission = update,
         .run = action<&Archive::unpublish>(),
         .answers = written},
    };
}

}  // namespace

sdk::ResourceDescriptor Archive::describe() const {
    return {.type = kArchiveType,
            .container = kVaultType,
            .path = "archives",
            .placeholder = "archiveId",
            .container_member = kVaultId,
            .fields = archive_fields(),
            .operations = {.create = false, .query_by_get = true},
            .actions = archive_actions(),
            .composite_indexes = {{"group", "artifact", "version"},
                                  {"published", "type", "_system.created_on.ms"},
                                  {"templateKey", "published", "type", "_system.created_on.ms"}},
            .title = "archives"};
}

sdk::Result<void> Archive::prepare(sdk::Change& change, sdk::Context& context) {
    if (!change.after) return {};
    sdk::Json& fields = change.after->fields;
    if (change.before) keep_unsaid(change.before->fields, fields);
    settle_template(change.before ? &change.before->fields : nullptr, fields);
    fields.erase(kContainerType);
    const std::string container = container_type(sdk::text_member(fields, "type"));
    if (!container.empty()) fields[kContainerType] = container;
    const Coordinates coordinates = coordinates_of(fields);
    if (change.before && coordinates_of(change.before->fields) == coordinates) return {};
    auto present = find_by_coordinates(context, change.collection, coordinates);
    if (!present) return present.error();
    return *present ? coordinates_taken(coordinates) : sdk::Result<void>();
}

void Archive::validate(const sdk::Change& change, sdk::Context&, sdk::Violations& violations) {
    if (change.after) check_coordinates(coordinates_of(change.after->fields), violations);
}

sdk::Result<sdk::Reply> Archive::upload(const sdk::Call& call) {
    auto received = receive_archive(call, store_);
    if (!received) return received.error();
    auto archive = store_.put(call.context(), call.collection(), std::move(*received));
    if (!archive) return archive.error();
    return sdk::Reply::status(archive->fields);
}

sdk::Result<sdk::Reply> Archive::look_up(const sdk::Call& call) {
    auto archive = find_named(call, "group", "artifact", "version");
    if (!archive) return archive.error();
    return sdk::Reply::json(archive->fields);
}

sdk::Result<sdk::Reply> Archive::zip_reply(const sdk::Call& call,
                                           const sdk::Document& archive) const {
    auto zip = store_.content(call.context(), archive);
    if (!zip) return zip.error();
    auto binaries = call.context().data_stores().binaries(archive.key);
    if (!binaries) return binaries.error();
    return sdk::inert_download(**binaries, *zip, true, zip->file_name);
}

sdk::Result<sdk::Reply> Archive::download_by_coordinates(const sdk::Call& call) {
    auto archive = find_named(call, "groupId", "artifactId", "versionId");
    if (!archive) return archive.error();
    return zip_reply(call, *archive);
}

sdk::Result<sdk::Reply> Archive::download(const sdk::Call& call) {
    return zip_reply(call, call.record());
}

sdk::Result<sdk::Reply> Archive::copy(const sdk::Call& call) {
    if (call.method() == "HEAD") {
        return sdk::make_error(sdk::ErrorKind::method_unknown, "archives.copy_needs_get",
                               "a copy is made by GET, not by HEAD");
    }
    auto target = call.required_parameter(kTargetVault);
    if (!target) return target.error();
    auto archives = ArchiveStore::of_vault(call.context(), *target);
    if (!archives) return archives.error();
    auto copied = store_.copy(call.context(), call.record(), *archives);
    if (!copied) return copied.error();
    return sdk::Reply::status(copied->fields);
}

sdk::Result<sdk::Reply> Archive::publish(const sdk::Call& call) {
    return set_published(call, true);
}

sdk::Result<sdk::Reply> Archive::unpublish(const sdk::Call& call) {
    return set_published(call, false);
}

}  // namespace stele::archives

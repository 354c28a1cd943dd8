#include "templates/project_templates.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/error.hpp>
#include <stele/sdk/members.hpp>

#include "templates/template_search.hpp"
#include "transfer/archive_files.hpp"
#include "transfer/archive_manifest.hpp"
#include "transfer/archive_source.hpp"
#include "transfer/import_run.hpp"

namespace stele::archives {

namespace {

sdk::Error unknown_template(std::string_view reference) {
    return sdk::make_error(
        {{"projectType", "archives.template_unknown",
          "projectType names no published archive of a project: " + sdk::shown_path(reference)}});
}

}  // namespace

sdk::Result<std::vector<sdk::Json>> PublishedProjects::list(sdk::Context& context) {
    std::vector<sdk::Json> types;
    const auto add = [&](const sdk::Document& archive) -> sdk::Result<void> {
        auto reference = context.reference(archive.key);
        if (!reference) return reference.error();
        const std::string identifier = template_identifier(archive.fields);
        const std::string title = sdk::text_member(archive.fields, "title");
        sdk::Json& type = types.emplace_back(
            sdk::Json{{"_doc", archive.id},
                      {"identifier", identifier},
                      {"reference", *reference},
                      {"title", title.empty() ? identifier : title},
                      {"description", sdk::text_member(archive.fields, "description")}});
        const std::string key = sdk::text_member(archive.fields, "templateKey");
        if (!key.empty()) type["templateKey"] = key;
        return {};
    };
    auto listed = TemplateSearch(services_.families, context).for_each(add);
    if (!listed) return listed.error();
    return types;
}

sdk::Result<void> PublishedProjects::apply(sdk::Context& context, std::string_view name,
                                           const sdk::RecordKey& project) {
    // A project that comes along brings what it was filled with, and an archive of a project that
    // names itself would never end.
    if (ImportRun::is_running()) return {};
    auto archive = TemplateSearch(services_.families, context).find(std::string(name));
    if (!archive) return archive.error();
    // Other words are those of clients.
    if (!*archive) return is_archive_reference(name) ? unknown_template(name) : sdk::Result<void>();
    const Step step = [&context] { return context.go_on(); };
    auto place = bound_.enter(step);
    if (!place) return place.error();
    auto bytes = services_.archives.open(context, **archive);
    if (!bytes) return bytes.error();
    auto zip = sdk::ZipReader::open(**bytes, kArchiveLimits, services_.scratch_folder());
    if (!zip) return zip.error();
    auto manifest = verify_manifest(*zip, step);
    if (!manifest) return manifest.error();
    ArchiveFiles files(services_.scratch_folder(), step);
    files.add(*zip);
    auto source = ArchiveSource::open(services_.families, files, *std::move(manifest));
    if (!source) return source.error();
    TransferConfiguration wanted;
    wanted.keeps_target = true;
    // Who publishes a template gives nobody rights in what others make of it. A role that it
    // defined would be what policies of elsewhere give by that key.
    wanted.has_acls = wanted.has_teams = wanted.has_team_members = wanted.has_roles = false;
    ImportRun run(services_, context, **source, wanted, project,
                  [](std::uint64_t, std::uint64_t) { return sdk::Result<void>(); });
    auto outcome = run.run();
    return outcome ? sdk::Result<void>() : outcome.error();
}

}  // namespace stele::archives

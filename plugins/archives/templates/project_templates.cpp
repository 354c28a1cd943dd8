#include "templates/project_templates.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "transfer/archive_files.hpp"
#include "transfer/archive_manifest.hpp"
#include "transfer/archive_source.hpp"
#include "transfer/import_run.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr char kProject[] = "project";

bool is_template(const sdk::Json& archive) {
    return sdk::flag_member(archive, "published", false) &&
           sdk::text_member(archive, "type") == kProject;
}

sdk::Error unknown_template(std::string_view reference) {
    return sdk::make_error(
        {{"projectType", "archives.template_unknown",
          "projectType names no published archive of a project: " + std::string(reference)}});
}

}  // namespace

sdk::Result<std::vector<sdk::Json>> PublishedProjects::list(sdk::Context& context) {
    std::vector<sdk::Json> types;
    sdk::PageRequest everything;
    everything.limit = -1;
    const auto add = [&](const sdk::RecordKey& vault) -> sdk::Result<bool> {
        auto archives = context.documents().query(
            {kArchiveType, {}, vault}, {{"published", true}, {"type", kProject}}, everything);
        if (!archives) return archives.error();
        for (const sdk::Document& archive : archives->rows) {
            auto may = sdk::holds(context, archive.key, sdk::Permission::read);
            if (!may) return may.error();
            if (!*may) continue;
            auto reference = context.reference(archive.key);
            if (!reference) return reference.error();
            const Coordinates coordinates = coordinates_of(archive.fields);
            const std::string identifier =
                coordinates.group + "-" + coordinates.artifact + "-" + coordinates.version;
            const std::string title = sdk::text_member(archive.fields, "title");
            types.push_back({{"_doc", archive.id},
                             {"identifier", identifier},
                             {"reference", *reference},
                             {"title", title.empty() ? identifier : title},
                             {"description", sdk::text_member(archive.fields, "description")}});
        }
        return true;
    };
    auto listed = services_.families.for_each(context, kVault, context.platform().root, add);
    if (!listed) return listed.error();
    return types;
}

sdk::Result<void> PublishedProjects::apply(sdk::Context& context, std::string_view reference,
                                           const sdk::RecordKey& project) {
    // A project that comes along brings what it was filled with, and an archive of a project that
    // names itself would never end.
    if (ImportRun::is_running()) return {};
    auto key = context.find_reference(reference);
    if (!key && (sdk::is_missing(key.error()) || key.error().kind == sdk::ErrorKind::invalid))
        return unknown_template(reference);
    if (!key) return key.error();
    auto archive = sdk::if_readable(context, context.documents().read(*key));
    if (!archive) return archive.error();
    if (!*archive || !is_template((*archive)->fields)) return unknown_template(reference);
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

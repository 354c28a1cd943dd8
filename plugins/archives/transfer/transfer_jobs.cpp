#include "transfer/transfer_jobs.hpp"

#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/services/node_copies.hpp>
#include <stele/sdk/time.hpp>

#include "paths/locations.hpp"
#include "transfer/archive_manifest.hpp"
#include "transfer/configuration.hpp"
#include "transfer/transfer_runs.hpp"

namespace stele::archives {

namespace {

using sdk::Json;

/// Bodies of exports name sources, and those of imports a target, beside their settings. The
/// passphrase is none that a job may show.
Json settings_of(const Json& body) {
    Json settings = body;
    for (const char* name : {"sources", "targets", "target", "configuration", "passphrase"})
        settings.erase(name);
    return settings;
}

/// The configuration, and the job that was started with it; or as it has ended, where the call
/// waits for that.
sdk::Result<sdk::Reply> reply_of(sdk::Jobs& jobs, const sdk::Call& call, const std::string& id,
                                 const TransferConfiguration& wanted) {
    const Json configuration = wanted.to_json();
    const auto complete = [configuration](Json job) {
        for (const auto& [name, value] : configuration.items()) {
            if (!job.contains(name)) job[name] = value;
        }
        return job;
    };
    std::string schedule = sdk::lower_case(call.parameter("schedule").value_or(""));
    if (schedule.size() > 2 && schedule.front() == '"')
        schedule = schedule.substr(1, schedule.size() - 2);
    if (schedule != "synchronous") {
        auto job = jobs.read(call.context(), id);
        if (!job) return job.error();
        return sdk::Reply::status(complete(*std::move(job)));
    }
    const auto body = [&jobs, platform = call.context().platform(), id,
                       complete](std::string& out) -> sdk::Result<bool> {
        auto job = jobs.wait(platform, id, std::chrono::minutes(10));
        if (!job) return job.error();
        out += sdk::dump_json(complete(*std::move(job)));
        return false;
    };
    return sdk::Reply::stream(body, "application/json;charset=UTF-8");
}

/// The vault of a call, which whoever acts may write to.
sdk::Result<sdk::Document> vault_of(sdk::Context& context, const std::string& vault,
                                    sdk::Permission needed) {
    auto archives = ArchiveStore::of_vault(context, vault);
    if (!archives) return archives.error();
    auto record = context.documents().read(archives->container_key);
    if (!record) return record.error();
    auto may = sdk::holds(context, record->key, needed);
    if (!may) return may.error();
    if (*may) return record;
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        fmt::format("{} on vault {} is needed for this", sdk::permission_name(needed), record->id));
}

/// What nobody chose.
void complete(TransferPlace& place, const std::string& reference) {
    const ReferenceParts parts = reference_parts(reference);
    if (place.group.empty()) place.group = "export";
    if (place.artifact.empty()) place.artifact = parts.word + "-" + parts.ids.back();
    if (place.version.empty()) {
        const std::int64_t now = sdk::now_ms();
        place.version = fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z",
                                    fmt::gmtime(static_cast<std::time_t>(now / 1000)), now % 1000);
    }
}

sdk::Result<void> check_place(const TransferPlace& place) {
    sdk::Violations violations;
    check_coordinates({place.group, place.artifact, place.version}, violations);
    if (violations.empty()) return {};
    return sdk::make_error(std::move(violations));
}

sdk::Result<std::vector<std::string>> references_in(const Json& body) {
    std::vector<std::string> references;
    const auto sources = body.find("sources");
    if (sources != body.end() && sources->is_array()) {
        for (const Json& source : *sources) {
            const std::string reference =
                source.is_string() ? source.get<std::string>() : sdk::text_member(source, "ref");
            if (reference.empty())
                return sdk::invalid_parameter("sources", "must be an array of references");
            references.push_back(reference);
        }
    }
    if (references.empty())
        return sdk::invalid_parameter("sources", "must be an array of references");
    return references;
}

/// What a chain of a copy names: the reference of its last link, or what the ids of all of them
/// make one of.
sdk::Result<std::string> end_of_chain(const Json& body, const char* name) {
    const auto chain = body.find(name);
    if (chain == body.end() || !chain->is_array() || chain->empty())
        return sdk::invalid_parameter(name, "must be an array of objects with typeId and id");
    ReferenceParts parts;
    for (const Json& link : *chain) {
        parts.word = sdk::text_member(link, "typeId");
        parts.ids.push_back(sdk::text_member(link, "id"));
        if (parts.word.empty() || parts.ids.back().empty())
            return sdk::invalid_parameter(name, "must be an array of objects with typeId and id");
        // A node lies in a branch, whatever changeset wrote it.
        if (parts.word == "changeset") parts.ids.pop_back();
    }
    const std::string reference = sdk::text_member(chain->back(), "ref");
    return reference.empty() ? parts.text() : reference;
}

bool ends_in_content(const Json& body) {
    const auto chain = body.find("sources");
    if (chain == body.end() || !chain->is_array() || chain->empty()) return false;
    const std::string type = sdk::text_member(chain->back(), "typeId");
    return type == "node" || type == "association";
}

std::vector<sdk::Parameter> place_parameters() {
    std::vector<sdk::Parameter> parameters;
    for (const char* name :
         {"group", "artifact", "version", "vault", "groupId", "artifactId", "versionId", "vaultId"})
        parameters.push_back({name});
    parameters.push_back(
        {"schedule", false, sdk::FieldKind::text, {"ASYNCHRONOUS", "SYNCHRONOUS"}});
    return parameters;
}

}  // namespace

sdk::Result<sdk::Reply> TransferJobs::start_export(const sdk::Call& call,
                                                   const sdk::RecordKey& record) {
    auto reference = call.context().reference(record);
    if (!reference) return reference.error();
    return start_export_of(call, {*reference});
}

sdk::Result<sdk::Reply> TransferJobs::start_export_of(
    const sdk::Call& call, const std::vector<std::string>& references) const {
    sdk::Context& context = call.context();
    const Json settings = settings_of(call.body());
    auto wanted = TransferConfiguration::read(call.body());
    if (!wanted) return wanted.error();
    TransferPlace place = TransferPlace::of(call);
    complete(place, references.front());
    if (auto fine = check_place(place); !fine) return fine.error();
    auto vault = vault_of(context, place.vault, sdk::Permission::create_subobjects);
    if (!vault) return vault.error();
    for (const std::string& reference : references) {
        auto key = context.find_reference(reference);
        auto may =
            key ? sdk::holds(context, *key, sdk::Permission::read) : sdk::Result<bool>(key.error());
        if (!may && !sdk::is_missing(may.error())) return may.error();
        if (!may || !*may) return sdk::invalid_parameter("sources", "leads nowhere: " + reference);
    }
    Json input{{"sources", references},           {"vaultId", vault->id},
               {"archiveGroup", place.group},     {"archiveArtifact", place.artifact},
               {"archiveVersion", place.version}, {"configuration", settings}};
    for (const char* name : {"title", "description", "templateType", "templateKey"}) {
        if (const auto value = call.parameter(name)) input[name] = *value;
    }
    auto published = call.flag("published");
    if (!published) return published.error();
    if (*published) input["published"] = **published;
    auto job = services_.jobs.start(
        context, {.type = kExportJob, .input = std::move(input), .secret = wanted->passphrase});
    if (!job) return job.error();
    return reply_of(services_.jobs, call, *job, *wanted);
}

sdk::Result<sdk::Reply> TransferJobs::start_import(const sdk::Call& call,
                                                   const sdk::RecordKey& record) {
    return start_import_into(call, record);
}

sdk::Result<sdk::Reply> TransferJobs::start_import_into(const sdk::Call& call,
                                                        const sdk::RecordKey& target) const {
    sdk::Context& context = call.context();
    const Json settings = settings_of(call.body());
    auto wanted = TransferConfiguration::read(call.body());
    if (!wanted) return wanted.error();
    const TransferPlace place = TransferPlace::of(call);
    sdk::Violations violations;
    const std::pair<const char*, const std::string*> needed[] = {
        {"group", &place.group}, {"artifact", &place.artifact}, {"version", &place.version}};
    for (const auto& [name, value] : needed) {
        if (value->empty())
            violations.push_back({name, "archives.coordinate_missing",
                                  std::string(name) + " is needed to find the archive"});
    }
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    auto archives = ArchiveStore::of_vault(context, place.vault);
    if (!archives) return archives.error();
    const Coordinates coordinates{place.group, place.artifact, place.version};
    auto archive = ArchiveStore::find(context, *archives, coordinates);
    if (!archive) return archive.error();
    if (!*archive) {
        return sdk::make_error(sdk::ErrorKind::not_found, "archives.unknown",
                               fmt::format("there is no archive {}-{}-{} in the vault", place.group,
                                           place.artifact, place.version));
    }
    if (auto fits = check_importable(context, **archive); !fits) return fits.error();
    auto reference = context.reference(target);
    if (!reference) return reference.error();
    auto vault = context.documents().read(archives->container_key);
    if (!vault) return vault.error();
    Json input{{"target", *reference},
               {"vaultId", vault->id},
               {"archiveGroup", place.group},
               {"archiveArtifact", place.artifact},
               {"archiveVersion", place.version},
               {"configuration", settings}};
    auto job = services_.jobs.start(context, {.type = kImportJob,
                                              .input = std::move(input),
                                              .result = {{"imports", Json::array()}},
                                              .secret = wanted->passphrase});
    if (!job) return job.error();
    return reply_of(services_.jobs, call, *job, *wanted);
}

/// A zip may lie in a vault whatever is in it; one without a manifest is none to import.
sdk::Result<void> TransferJobs::check_importable(sdk::Context& context,
                                                 const sdk::Document& archive) const {
    auto bytes = services_.archives.open(context, archive);
    if (!bytes) return bytes.error();
    auto zip = sdk::ZipReader::open(**bytes, kArchiveLimits, services_.scratch_folder());
    if (!zip) return zip.error();
    auto manifest = zip->find(kManifestPath);
    if (!manifest) return manifest.error();
    return *manifest ? sdk::Result<void>() : no_manifest();
}

sdk::Result<sdk::Reply> TransferJobs::export_references(const sdk::Call& call) const {
    auto references = references_in(call.body());
    if (!references) return references.error();
    return start_export_of(call, *references);
}

sdk::Result<sdk::Reply> TransferJobs::import_into_reference(const sdk::Call& call) const {
    auto reference = call.required_parameter("target");
    if (!reference) return reference.error();
    auto target = call.context().find_reference(*reference);
    auto may = target ? sdk::holds(call.context(), *target, sdk::Permission::read)
                      : sdk::Result<bool>(target.error());
    if (!may && !sdk::is_missing(may.error()) && may.error().kind != sdk::ErrorKind::invalid)
        return may.error();
    if (!may || !*may) return sdk::invalid_parameter("target", "leads nowhere: " + *reference);
    may = sdk::holds(call.context(), *target, sdk::Permission::update);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                               "UPDATE on " + *reference + " is needed for this");
    }
    return start_import_into(call, *target);
}

sdk::Result<sdk::Reply> TransferJobs::copy_chains(const sdk::Call& call) const {
    if (ends_in_content(call.body())) {
        if (auto* const copies = services_.registrar.find<sdk::NodeCopies>())
            return copies->copy(call);
    }
    sdk::Context& context = call.context();
    auto source = end_of_chain(call.body(), "sources");
    if (!source) return source.error();
    auto target = end_of_chain(call.body(), "targets");
    if (!target) return target.error();
    for (const auto& [name, reference] : {std::pair{"sources", *source}, {"targets", *target}}) {
        auto key = context.find_reference(reference);
        auto may =
            key ? sdk::holds(context, *key, sdk::Permission::read) : sdk::Result<bool>(key.error());
        if (!may && !sdk::is_missing(may.error()) && may.error().kind != sdk::ErrorKind::invalid)
            return may.error();
        if (!may || !*may) return sdk::invalid_parameter(name, "leads nowhere: " + reference);
    }
    const auto given = call.body().find("configuration");
    Json settings = given != call.body().end() && given->is_object() ? *given : Json::object();
    settings.erase("passphrase");
    const std::string strategy = call.parameter("strategy").value_or("");
    if (!strategy.empty()) settings["strategy"] = strategy;
    auto wanted = TransferConfiguration::read(settings);
    if (!wanted) return wanted.error();
    Json input{{"sources", Json::array({*source})},
               {"target", *target},
               {"configuration", std::move(settings)}};
    auto job = services_.jobs.start(
        context,
        {.type = kCopyJob, .input = std::move(input), .result = {{"imports", Json::array()}}});
    if (!job) return job.error();
    return reply_of(services_.jobs, call, *job, *wanted);
}

void TransferJobs::add_to(sdk::Registrar& registrar) const {
    const auto define = [this](const char* name, const char* shown_as, auto run) {
        services_.jobs.define({.name = name,
                               .run = [this, run](sdk::Job& job) { return run(services_, job); },
                               .shown_as = shown_as,
                               .lane = kTransferLane,
                               .lane_width = services_.most_running});
    };
    define(kExportJob, "", &run_export);
    define(kImportJob, "", &run_import);
    define(kCopyJob, "copy", &run_copy);

    std::vector<sdk::Parameter> export_parameters = place_parameters();
    for (const char* name : {"title", "description", "templateType", "templateKey"})
        export_parameters.push_back({name});
    export_parameters.push_back({"published", false, sdk::FieldKind::boolean});
    std::vector<sdk::Parameter> import_parameters = place_parameters();
    import_parameters.push_back({"target", true});
    const sdk::Shape configuration = sdk::shape::record("TransferConfiguration");
    const sdk::Shape started = sdk::shape::both(sdk::shape::job(), configuration);
    registrar.add(
        sdk::Endpoint{.method = "POST",
                      .path = "/transfer/export",
                      .title = "Export records by reference",
                      .run = [this](const sdk::Call& call) { return export_references(call); },
                      .parameters = export_parameters,
                      .slow = true,
                      .takes = configuration,
                      .answers = started});
    registrar.add(
        sdk::Endpoint{.method = "POST",
                      .path = "/transfer/import",
                      .title = "Import an archive into a record",
                      .run = [this](const sdk::Call& call) { return import_into_reference(call); },
                      .parameters = import_parameters,
                      .slow = true,
                      .takes = configuration,
                      .answers = started});
    const sdk::Shape chain = sdk::shape::array(
        sdk::shape::object({{"typeId", sdk::shape::text()}, {"id", sdk::shape::text()}}));
    registrar.add(sdk::Endpoint{
        .method = "POST",
        .path = "/tools/copy",
        .title = "Copy a record or a node to another place",
        .run = [this](const sdk::Call& call) { return copy_chains(call); },
        .parameters = {{"strategy", false, sdk::FieldKind::text, {"COPY_EVERYTHING", "CLONE"}},
                       {"schedule", false, sdk::FieldKind::text, {"ASYNCHRONOUS", "SYNCHRONOUS"}}},
        .slow = true,
        .takes = sdk::shape::object({{"sources", chain},
                                     {"targets", chain},
                                     sdk::shape::optional("configuration", configuration)}),
        .answers = sdk::shape::job()});
}

}  // namespace stele::archives

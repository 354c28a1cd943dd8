#include "transfer/transfer_runs.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/members.hpp>

#include "reading/second_look.hpp"
#include "transfer/archive_writer.hpp"
#include "transfer/configuration.hpp"
#include "transfer/import_run.hpp"
#include "transfer/imported_archive.hpp"
#include "transfer/live_source.hpp"

namespace stele::archives {

namespace {

/// Ends a transaction that was tried only.
constexpr char kDryRun[] = "archives.transfer_dry_run";

Coordinates coordinates_in(const sdk::Json& input) {
    return {sdk::text_member(input, "archiveGroup"), sdk::text_member(input, "archiveArtifact"),
            sdk::text_member(input, "archiveVersion")};
}

sdk::Result<TransferConfiguration> configuration_of(const sdk::Job& job) {
    auto wanted =
        TransferConfiguration::read(job.input().value("configuration", sdk::Json::object()));
    if (wanted) wanted->passphrase = job.secret();
    return wanted;
}

/// The members of a result that say which archive it was.
sdk::Json archive_told(const sdk::Json& input) {
    sdk::Json told = sdk::Json::object();
    for (const char* name : {"vaultId", "archiveGroup", "archiveArtifact", "archiveVersion"})
        told[name] = sdk::text_member(input, name);
    return told;
}

/// What is no content: members of the manifest and of every record, `word/member` of records with a
/// word (docs/reference/archive-format.md, "What may differ").
sdk::Json may_differ() {
    return {"group",
            "artifact",
            "version",
            "title",
            "description",
            "_system",
            "association/source_changeset",
            "association/source_type",
            "association/target_changeset",
            "association/target_type",
            "authenticationGrant/key",
            "branch/root",
            "branch/tip",
            "client/key",
            "deployedApplication/*",
            "meter/*",
            "node/ref"};
}

/// The manifest without its contents.
sdk::Json manifest_of(const sdk::Json& input, const LiveSource& source,
                      const TransferConfiguration& wanted) {
    const Coordinates coordinates = coordinates_in(input);
    sdk::Json sources = sdk::Json::array();
    for (const TransferSubject& subject : source.subjects())
        sources.push_back(subject.chain);
    sdk::Json manifest{{"model", "3.0.0"},
                       {"format", 1},
                       {"group", coordinates.group},
                       {"artifact", coordinates.artifact},
                       {"version", coordinates.version},
                       {"type", source.subjects().front().type}};
    for (const char* name : {"title", "description", "templateType", "templateKey"}) {
        const std::string text = sdk::text_member(input, name);
        if (!text.empty()) manifest[name] = text;
    }
    manifest["tipChangesetOnly"] = wanted.is_tip_only;
    manifest["includes"] = sdk::Json::array();
    manifest["dependencies"] = sdk::Json::array();
    manifest["mayDiffer"] = may_differ();
    manifest["configuration"] = wanted.to_json();
    manifest["sources"] = std::move(sources);
    return manifest;
}

/// What an export has written.
struct WrittenArchive {
    sdk::StoredBytes bytes;
    sdk::Json manifest;
    std::uint64_t entries = 0;
    std::uint64_t sealed_records = 0;
    /// What an import will refuse of it.
    std::vector<std::string> refusals;
    std::unique_ptr<LiveSource> source;
};

/// The bytes that are left in a vault, with those of the archive that is to be replaced; nothing
/// where it has no bound. The commit counts once more: others write meanwhile.
sdk::Result<std::optional<std::uint64_t>> room_in(sdk::Context& context,
                                                  const sdk::CollectionName& archives,
                                                  const Coordinates& coordinates) {
    auto vault = context.documents().read(archives.container_key);
    if (!vault) return vault.error();
    const std::int64_t most = sdk::integer_member(vault->fields, "maxsize").value_or(-1);
    if (most < 0) return std::optional<std::uint64_t>();
    auto held = context.data_stores().size(archives.container_key);
    if (!held) return held.error();
    auto replaced = find_by_coordinates(context, archives, coordinates);
    if (!replaced) return replaced.error();
    std::int64_t left = most - held->bytes;
    if (*replaced) left += sdk::integer_member((*replaced)->fields, "length").value_or(0);
    return std::optional(static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0)));
}

sdk::Result<WrittenArchive> write_archive(const TransferServices& services, sdk::Job& job,
                                          sdk::Context& context,
                                          const TransferConfiguration& wanted) {
    const sdk::Json& input = job.input();
    auto archives = ArchiveStore::of_vault(context, sdk::text_member(input, "vaultId"));
    if (!archives) return archives.error();
    auto binaries = context.data_stores().binaries(archives->container_key);
    if (!binaries) return binaries.error();
    auto blob = (*binaries)->create();
    if (!blob) return blob.error();
    auto room = room_in(context, *archives, coordinates_in(input));
    if (!room) return room.error();
    std::uint64_t size = 0;
    const auto sink = [&](std::string_view bytes) -> sdk::Result<void> {
        size += bytes.size();
        if (*room && size > **room) {
            return sdk::make_error(
                sdk::ErrorKind::storage_full, "data_store.full",
                fmt::format("the vault {} has {} bytes left, and the archive is longer",
                            archives->container, **room));
        }
        return (*blob)->write(bytes);
    };
    auto writer = ArchiveWriter::open(
        sink, services.scratch_folder(),
        [&job](const sdk::JobProgress& progress) { return job.progress(progress); });
    if (!writer) return writer.error();
    std::optional<ArchiveSeal> seal;
    if (!wanted.passphrase.empty()) {
        seal.emplace(ArchiveSeal::make(wanted.passphrase));
        writer->seal_with(*seal);
    }
    const auto references = input.at("sources").get<std::vector<std::string>>();
    auto source = LiveSource::open(services, context, references, wanted);
    if (!source) return source.error();
    auto records = (*source)->for_each(
        [&writer](const TransferRecord& record) { return writer->add(record); });
    if (!records) return records.error();
    auto content = (*source)->for_each_content(
        [&writer](const TransferContent& one) { return writer->add(one); });
    if (!content) return content.error();
    WrittenArchive written;
    written.manifest = manifest_of(input, **source, wanted);
    if (auto finished = writer->finish(written.manifest); !finished) return finished.error();
    auto name = (*blob)->finish();
    if (!name) return name.error();
    written.bytes = sdk::StoredBytes{*std::move(name), size};
    written.entries = writer->entries();
    written.sealed_records = writer->sealed_records();
    written.refusals = writer->refusals(kArchiveLimits);
    written.source = *std::move(source);
    return written;
}

/// `logged` is what was said before.
sdk::Result<void> log_omissions(sdk::Job& job, const TransferOmissions& omissions,
                                TransferOmissions& logged) {
    const std::string& name = job.run_as().name;
    if (omissions.may_be_partial && !std::exchange(logged.may_be_partial, true)) {
        auto done = job.log(sdk::JobLogLevel::status,
                            name +
                                " may not read everything that there may be; what is hidden "
                                "was left out");
        if (!done) return done;
    }
    if (!omissions.lacks_secrets || std::exchange(logged.lacks_secrets, true)) return {};
    return job.log(sdk::JobLogLevel::status, "secrets of records on which " + name +
                                                 " has no MODIFY_CREDENTIALS were left out");
}

/// So often an export is begun whose starter loses rights on what it tells.
constexpr std::size_t kExports = 4;
constexpr char kOvertaken[] = "archives.export_overtaken";
/// More records and nodes would be too many reads for one commit; they are looked at just before
/// it.
constexpr std::uint64_t kMostNoted = 100'000;

sdk::Result<void> require_told(const sdk::Result<bool>& is_lost) {
    if (!is_lost) return is_lost.error();
    if (!*is_lost) return {};
    return sdk::make_error(
        sdk::ErrorKind::conflict, kOvertaken,
        fmt::format("rights on what the export takes along ended during each of {} attempts",
                    kExports));
}

/// Lines of the job's log.
std::vector<std::string> warnings_of(const WrittenArchive& written) {
    std::vector<std::string> warnings;
    for (const std::string& refusal : written.refusals)
        warnings.push_back("no import will take this archive: " + refusal);
    return warnings;
}

/// Puts it into its vault, and ends the job with that. `former` is what the archive was written in.
sdk::Result<sdk::Json> keep_archive(const TransferServices& services, sdk::Job& job,
                                    sdk::Context& former, const WrittenArchive& written,
                                    const TransferConfiguration& wanted) {
    const sdk::Json& input = job.input();
    auto manifest = read_manifest(written.manifest);
    if (!manifest) return manifest.error();
    manifest->content_count = written.entries;
    sdk::Json result = archive_told(input);
    const ToldRecords& told = written.source->told();
    const bool has_few = told.count() <= kMostNoted;
    const auto require_each = [&](sdk::Context& context) {
        return require_told(told.is_one_lost(context, former, services.families));
    };
    if (!has_few) {
        auto may = services.operations.read_as(job.platform(), job.run_as(), require_each);
        if (!may) return may.error();
    }
    auto kept = services.operations.run_as(
        job.platform(), job.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto may = require_told(told.is_branch_lost(context, former)); !may) return may;
            if (has_few) {
                if (auto may = require_each(context); !may) return may;
            }
            auto archives = ArchiveStore::of_vault(context, sdk::text_member(input, "vaultId"));
            if (!archives) return archives.error();
            NewArchive archive;
            archive.coordinates = coordinates_in(input);
            archive.bytes = written.bytes;
            archive.manifest = *manifest;
            for (const char* name : {"title", "description", "published"}) {
                if (const auto value = input.find(name); value != input.end())
                    archive.members[name] = *value;
            }
            auto record = services.archives.put(context, *archives, std::move(archive));
            if (!record) return record.error();
            result["archiveId"] = record->id;
            result["entries"] = written.entries;
            result["bytes"] = written.bytes.length;
            result["secrets"] = written.sealed_records;
            result["complete"] = !written.source->omissions().may_be_partial;
            result["sources"] = written.manifest.at("sources");
            result["configuration"] = wanted.to_json();
            return job.finish(context.transaction(), result, warnings_of(written));
        });
    if (!kept) return kept.error();
    return result;
}

/// Makes a source in the context in which it is brought in, for a target.
using MakeSource = std::function<sdk::Result<std::shared_ptr<TransferSource>>(
    sdk::Context& context, const sdk::RecordKey& target)>;

/// Of the record that the job brings something into.
sdk::Result<std::string> target_type(const TransferServices& services, sdk::Job& job) {
    std::string type;
    auto done = services.operations.read_as(
        job.platform(), job.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
            auto target = context.find_reference(sdk::text_member(job.input(), "target"));
            if (!target) return target.error();
            auto family = services.families.of(context, *target);
            if (!family) return family.error();
            if (*family) type = (*family)->type;
            return {};
        });
    if (!done) return done.error();
    return type;
}

/// What was needed to start the job is needed as long as it runs.
sdk::Result<void> require_on_target(sdk::Context& context, const sdk::RecordKey& target,
                                    sdk::Permission needed) {
    auto may = sdk::holds(context, target, needed);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        fmt::format("{} on the target is needed for this", sdk::permission_name(needed)));
}

/// Of the store that everything comes into and of the vault that it is read from, for all attempts:
/// each reads their state before it has found out that it takes long.
sdk::Result<std::vector<std::shared_ptr<const void>>> hold_statistics(
    const TransferServices& services, sdk::Job& job) {
    std::vector<std::shared_ptr<const void>> held;
    const std::string vault = sdk::text_member(job.input(), "vaultId");
    auto done = services.operations.run_as(
        job.platform(), job.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
            auto target = context.find_reference(sdk::text_member(job.input(), "target"));
            if (!target) return target.error();
            std::vector<sdk::RecordKey> stores{*target};
            if (!vault.empty()) {
                auto archives = ArchiveStore::of_vault(context, vault);
                if (!archives) return archives.error();
                stores.push_back(archives->container_key);
            }
            held.clear();
            for (const sdk::RecordKey& store : stores) {
                auto holding = context.data_stores().hold_statistics(store);
                if (!holding) return holding.error();
                held.push_back(*std::move(holding));
            }
            return {};
        });
    if (!done) return done.error();
    return held;
}

/// `read` are the bytes of the archive.
sdk::Result<sdk::Json> bring(const TransferServices& services, sdk::Job& job,
                             const TransferConfiguration& wanted, std::uint64_t read,
                             const MakeSource& make_source) {
    const sdk::Json& input = job.input();
    sdk::Json result = archive_told(input);
    auto statistics = hold_statistics(services, job);
    if (!statistics) return statistics.error();
    auto done = services.operations.run_as(
        job.platform(), job.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            auto target = context.find_reference(sdk::text_member(input, "target"));
            if (!target) return target.error();
            auto source = make_source(context, *target);
            if (!source) return source.error();
            ImportRun run(
                services, context, **source, wanted, *target,
                [&job, read](std::uint64_t brought, std::uint64_t total) {
                    return job.progress(
                        {.done = brought, .total = total, .bytes = read, .total_bytes = read});
                });
            auto outcome = run.run();
            if (!outcome) return outcome.error();
            if (context.attempt() > 0) {
                outcome->note(
                    fmt::format("others changed what it goes by, so it was begun anew: "
                                "this is attempt {}",
                                context.attempt() + 1));
            }
            result["created"] = outcome->created;
            result["updated"] = outcome->updated;
            result["skipped"] = outcome->skipped;
            result["refused"] = outcome->refused;
            result["refusals"] = std::move(outcome->refusals);
            result["secrets"] = outcome->secrets;
            result["dryRun"] = wanted.is_dry_run;
            result["configuration"] = wanted.to_json();
            result["imports"] = std::move(outcome->imports);
            result["notes"] = outcome->notes;
            result["targets"] = sdk::Json::array();
            for (const sdk::Json& one : result["imports"])
                result["targets"].push_back(one.at("targets").back());
            if (wanted.is_dry_run)
                return sdk::make_error(sdk::ErrorKind::conflict, kDryRun, "this was a dry run");
            return job.finish(context.transaction(), result, outcome->notes);
        });
    const bool is_dry_end = !done && done.error().code == kDryRun;
    if (!done && !is_dry_end) return done.error();
    return result;
}

}  // namespace

sdk::Result<sdk::Json> run_export(const TransferServices& services, sdk::Job& job) {
    auto wanted = configuration_of(job);
    if (!wanted) return wanted.error();
    sdk::Json result;
    TransferOmissions logged;
    const auto export_once = [&](sdk::Context& context) -> sdk::Result<void> {
        auto written = write_archive(services, job, context, *wanted);
        if (!written) return written.error();
        auto noted = log_omissions(job, written->source->omissions(), logged);
        if (!noted) return noted;
        // In here, because the bytes that this context has written are waited for as long as it
        // lives, and the archive's commit is not its own.
        auto kept = keep_archive(services, job, context, *written, *wanted);
        if (!kept) return kept.error();
        result = *std::move(kept);
        return {};
    };
    for (std::size_t attempt = 1;; ++attempt) {
        auto done = look_twice(
            [&] { return services.operations.read_as(job.platform(), job.run_as(), export_once); });
        if (done) return result;
        if (done.error().code != kOvertaken || attempt == kExports) return done.error();
    }
}

sdk::Result<sdk::Json> run_import(const TransferServices& services, sdk::Job& job) {
    auto wanted = configuration_of(job);
    if (!wanted) return wanted.error();
    auto archive = ImportedArchive::open(services, job);
    if (!archive) return archive.error();
    if (!wanted->passphrase.empty()) {
        if (auto unsealed = archive->unseal(wanted->passphrase); !unsealed) return unsealed.error();
    }
    // There are no ids to keep.
    if (archive->is_generation_one()) wanted->strategy = sdk::TransferStrategy::copy_everything;
    auto type = target_type(services, job);
    if (!type) return type.error();
    // Once for all attempts, before there is a transaction: it takes long, and others write
    // meanwhile.
    auto opened = archive->source(services, *type);
    if (!opened) return archive->blame(services, job, opened.error());
    const std::shared_ptr<TransferSource> source(*std::move(opened));
    const auto make_source =
        [&](sdk::Context& context,
            const sdk::RecordKey& target) -> sdk::Result<std::shared_ptr<TransferSource>> {
        // Noted in the transaction, so that both hold until its commit.
        if (auto may = require_on_target(context, target, sdk::Permission::update); !may)
            return may.error();
        if (auto may = archive->require_readable(context); !may) return may.error();
        return source;
    };
    auto brought = bring(services, job, *wanted, archive->bytes(), make_source);
    if (!brought) return archive->blame(services, job, brought.error());
    return brought;
}

sdk::Result<sdk::Json> run_copy(const TransferServices& services, sdk::Job& job) {
    auto wanted = configuration_of(job);
    if (!wanted) return wanted.error();
    wanted->is_tip_only = true;
    const auto make_source =
        [&](sdk::Context& context,
            const sdk::RecordKey& target) -> sdk::Result<std::shared_ptr<TransferSource>> {
        if (auto may = require_on_target(context, target, sdk::Permission::read); !may)
            return may.error();
        const auto references = job.input().at("sources").get<std::vector<std::string>>();
        auto source = LiveSource::open(services, context, references, *wanted);
        if (!source) return source.error();
        return std::shared_ptr<TransferSource>(*std::move(source));
    };
    sdk::Json result;
    auto done = look_twice([&]() -> sdk::Result<void> {
        auto brought = bring(services, job, *wanted, 0, make_source);
        if (!brought) return brought.error();
        result = *std::move(brought);
        return {};
    });
    if (!done) return done.error();
    return result;
}

}  // namespace stele::archives

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

#include "kernel/command/transfer_session.hpp"
#include "kernel/file/posix_file.hpp"

namespace stele::kernel::command {

namespace {

/// The group of archives that are uploaded for one import, and removed behind it.
constexpr char kUploadGroup[] = "stele-import";

struct ImportArguments : TransferArguments {
    std::string file;
    std::string target;
    std::string strategy;
    std::string job;
    bool is_dry_run = false;
};

sdk::Error zip_unreadable(const std::string& file) {
    return sdk::make_error(sdk::ErrorKind::not_found, "command.file_unreadable",
                           file + " cannot be read: " + file::system_reason(errno));
}

/// Whether a server said it, and the connection was not at fault.
bool is_answer(const sdk::Error& error) {
    return !error.code.starts_with("client.");
}

/// Everything that the standard input has, in a file without a name.
sdk::Result<file::PosixFile> take_input() {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    file::PosixFile kept(folder, O_RDWR | O_TMPFILE);
    char piece[64 * 1024];
    while (kept.is_open()) {
        const ssize_t count = ::read(STDIN_FILENO, piece, sizeof(piece));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return zip_unreadable("the standard input");
        if (count == 0) return kept;
        for (ssize_t done = 0; done < count;) {
            const auto rest = static_cast<std::size_t>(count - done);
            const ssize_t written = ::write(kept.descriptor(), piece + done, rest);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) kept = file::PosixFile();
            if (written < 0) break;
            done += written;
        }
    }
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "command.file_unwritable",
        "a file in " + folder.string() + " cannot be written: " + file::system_reason(errno));
}

sdk::Result<file::PosixFile> open_zip(const std::string& file) {
    if (file == "-") return take_input();
    file::PosixFile opened(file, O_RDONLY);
    if (!opened.is_open()) return zip_unreadable(file);
    return opened;
}

/// The archive of an import, where the server has it.
struct Uploaded {
    std::string id;
    std::string vault;
    std::string group;
    std::string artifact;
    std::string version;
};

/// One import: its archive is uploaded, brought in by a job, and removed.
class Import {
public:
    Import(const ImportArguments& arguments, const std::string& passphrase,
           TransferSession& session, Progress& progress)
        : arguments_(arguments), passphrase_(passphrase), session_(session), progress_(progress) {}

    sdk::Result<sdk::Json> run(const file::PosixFile& zip) {
        auto body = body_of_import();
        if (!body) return body.error();
        auto target = session_.reference_of(arguments_.target);
        if (!target) return target.error();
        auto uploaded = upload(zip);
        if (!uploaded) return uploaded.error();
        auto job = start(*uploaded, *target, *body);
        if (!job) return job.error();
        if (!progress_.is_terminal()) progress_.say("Importing, by the job " + *job + ".");
        return wait(*job);
    }

    /// The result of a job, whose archive is removed behind it.
    sdk::Result<sdk::Json> wait(const std::string& id) {
        auto job = session_.wait_for_job(id, "Importing", progress_);
        if (job && sdk::text_member(*job, "type") != "import") {
            return sdk::make_error(sdk::ErrorKind::invalid, "command.arguments_invalid",
                                   "the job " + id + " is no import");
        }
        const bool has_ended = job || job.error().code == "command.job_failed";
        if (!has_ended) {
            return sdk::is_missing(job.error()) ? job.error() : going_on(job.error(), id);
        }
        if (auto removed = remove_upload(id); !removed) {
            if (!job) return job;
            sdk::Error error = removed.error();
            error.message =
                "the import is done, but its archive stays in the vault: " + error.message;
            show_result(*job);
            return error;
        }
        return job;
    }

    static void show_result(const sdk::Json& job) {
        const auto count = [&job](const char* name) {
            return std::to_string(sdk::integer_member(job, name).value_or(0));
        };
        std::cout << (sdk::flag_member(job, "dryRun", false) ? "Would be imported: " : "Imported: ")
                  << count("created") << " created, " << count("updated") << " updated, "
                  << count("skipped") << " skipped";
        if (refused(job) > 0) std::cout << ", " << refused(job) << " refused";
        std::cout << ".\n";
        show_places(job);
        show_refusals(job);
        const auto notes = job.find("notes");
        if (notes == job.end() || !notes->is_array()) return;
        for (const sdk::Json& note : *notes) {
            if (note.is_string())
                std::cout << "Note: " << client::printable(note.get<std::string>()) << "\n";
        }
    }

    /// How much of it would be refused, where it was a dry run.
    static std::int64_t refused(const sdk::Json& job) {
        return sdk::integer_member(job, "refused").value_or(0);
    }

private:
    static void show_refusals(const sdk::Json& job) {
        const auto refusals = job.find("refusals");
        if (refusals == job.end() || !refusals->is_array()) return;
        for (const sdk::Json& refusal : *refusals) {
            if (!refusal.is_object()) continue;
            std::cout << "Refused: " << client::printable(sdk::text_member(refusal, "key")) << ": "
                      << client::printable(sdk::text_member(refusal, "message")) << "\n";
        }
    }

    /// Where the subjects are now.
    static void show_places(const sdk::Json& job) {
        const auto targets = job.find("targets");
        if (targets == job.end() || !targets->is_array()) return;
        for (const sdk::Json& target : *targets) {
            const std::string reference =
                target.is_object() ? sdk::text_member(target, "ref") : std::string();
            if (!reference.empty()) std::cout << "  " << client::printable(reference) << "\n";
        }
    }

    static sdk::Error going_on(sdk::Error error, const std::string& job) {
        error.message += "; the import may go on: stele import --resume " + job + " waits for it";
        return error;
    }

    /// Starts the job. Where nobody knows whether it was started, it is looked for by its archive,
    /// which no other one has.
    sdk::Result<std::string> start(const Uploaded& archive, const std::string& target,
                                   const sdk::Json& body) {
        auto job = session_.start_job(target_of_import(archive, target), body);
        if (job || archive.group != kUploadGroup) return job;
        const bool is_interrupted = job.error().code == "client.interrupted";
        if (is_interrupted) session_.server().hurry();
        if (is_interrupted || job.error().code == "client.broken_off") {
            auto found = find_job(archive);
            if (found && is_interrupted && !found->empty()) return going_on(job.error(), *found);
            if (!found || !found->empty()) return found;
        }
        give_up(archive);
        return job;
    }

    /// Empty when there is none.
    sdk::Result<std::string> find_job(const Uploaded& archive) {
        const sdk::Json query{{"_data.archiveGroup", archive.group},
                              {"_data.archiveArtifact", archive.artifact}};
        auto found = session_.server().query_patiently("/jobs/query?limit=1", query);
        if (!found) return found.error();
        const auto rows = found->find("rows");
        if (rows == found->end() || !rows->is_array() || rows->empty()) return std::string();
        return sdk::text_member(rows->front(), "_doc");
    }

    sdk::Result<sdk::Json> body_of_import() const {
        auto body = configuration_of(arguments_);
        if (!body) return body;
        if (!arguments_.strategy.empty()) (*body)["strategy"] = arguments_.strategy;
        if (arguments_.is_dry_run) (*body)["dryRun"] = true;
        if (!passphrase_.empty()) (*body)["passphrase"] = passphrase_;
        return body;
    }

    static std::string target_of_import(const Uploaded& archive, const std::string& target) {
        return client::target_of("/transfer/import", {{"schedule", "ASYNCHRONOUS"},
                                                      {"target", target},
                                                      {"vault", archive.vault},
                                                      {"group", archive.group},
                                                      {"artifact", archive.artifact},
                                                      {"version", archive.version}});
    }

    /// Where it is to be kept: under its own coordinates. Else under some that nothing has, so that
    /// nothing in the vault is replaced and removed.
    client::Query coordinates() const {
        if (!arguments_.is_kept)
            return {{"group", kUploadGroup}, {"artifact", sdk::random_hex(12)}, {"version", "1"}};
        client::Query query{{"group", arguments_.group},
                            {"artifact", arguments_.artifact},
                            {"version", arguments_.version}};
        if (arguments_.file != "-")
            query.emplace_back("filename",
                               std::filesystem::path(arguments_.file).filename().string());
        return query;
    }

    sdk::Result<Uploaded> upload(const file::PosixFile& zip) {
        struct stat found {};
        if (::fstat(zip.descriptor(), &found) != 0) return zip_unreadable(arguments_.file);
        const client::FileBytes bytes{zip.descriptor(), static_cast<std::uint64_t>(found.st_size)};
        const auto on_sent = [this, &bytes](std::uint64_t sent) {
            progress_.show_bytes("Uploading", sent, bytes.size);
        };
        const client::Query named = coordinates();
        const std::string target = client::target_of(archives_path(arguments_.vault), named);
        for (int failures = 0;;) {
            auto record = session_.server().upload(target, "application/zip", bytes, on_sent);
            if (record) return told_archive(*record);
            if (client::may_pass(record.error()) && session_.server().pause_before_try(++failures))
                continue;
            // It may have come all the same.
            session_.server().hurry();
            const bool may_be_there = !arguments_.is_kept && !is_answer(record.error());
            if (may_be_there && !remove_named(arguments_.vault, named))
                progress_.say("The archive may stay in the vault.");
            return told_plainly(record.error());
        }
    }

    /// An archive that was uploaded for one import, if it is there.
    sdk::Result<void> remove_named(const std::string& vault, const client::Query& named) {
        auto found = session_.server().read_patiently(
            client::target_of(archives_path(vault) + "/lookup", named));
        if (!found) return sdk::is_missing(found.error()) ? sdk::Result<void>() : found.error();
        return session_.remove_archive(vault, sdk::text_member(*found, "_doc"));
    }

    sdk::Result<Uploaded> told_archive(const sdk::Json& record) const {
        Uploaded archive{sdk::text_member(record, "_doc"), sdk::text_member(record, "vaultId"),
                         sdk::text_member(record, "group"), sdk::text_member(record, "artifact"),
                         sdk::text_member(record, "version")};
        if (archive.vault.empty()) archive.vault = arguments_.vault;
        if (!archive.id.empty() && !archive.group.empty()) return archive;
        return sdk::make_error(sdk::ErrorKind::invalid, "client.reply_unexpected",
                               "the server does not say which archive it took");
    }

    /// Of what the job says, for the command that uploaded it may have been another one.
    sdk::Result<void> remove_upload(const std::string& id) {
        auto job = session_.server().read_patiently("/jobs/" + sdk::percent_encoded(id));
        if (!job) return job.error();
        const auto input = job->find("_data");
        if (input == job->end() || !input->is_object()) return {};
        if (sdk::text_member(*input, "archiveGroup") != kUploadGroup) return {};
        return remove_named(sdk::text_member(*input, "vaultId"),
                            {{"group", kUploadGroup},
                             {"artifact", sdk::text_member(*input, "archiveArtifact")},
                             {"version", sdk::text_member(*input, "archiveVersion")}});
    }

    /// Nobody uses it.
    void give_up(const Uploaded& archive) {
        if (archive.group != kUploadGroup) return;
        session_.server().hurry();
        if (auto removed = session_.remove_archive(archive.vault, archive.id); !removed)
            progress_.say("The archive " + archive.id + " stays in the vault.");
    }

    const ImportArguments& arguments_;
    const std::string& passphrase_;
    TransferSession& session_;
    Progress& progress_;
};

sdk::Result<void> check_arguments(const ImportArguments& arguments) {
    const auto wrong = [](const std::string& problem) {
        return sdk::make_error(sdk::ErrorKind::invalid, "command.arguments_invalid", problem);
    };
    const bool is_whole = !arguments.file.empty() && !arguments.target.empty();
    if (arguments.job.empty() && !is_whole)
        return wrong("say what to import and where to: FILE.zip --target REFERENCE");
    if (!arguments.job.empty() && !(arguments.file.empty() && arguments.target.empty()))
        return wrong("--resume waits for an import that was started, and takes no file and target");
    return {};
}

sdk::Result<sdk::Json> import_from(const ImportArguments& arguments, Progress& progress) {
    if (auto fine = check_arguments(arguments); !fine) return fine.error();
    file::PosixFile zip;
    if (arguments.job.empty()) {
        auto opened = open_zip(arguments.file);
        if (!opened) return opened.error();
        zip = *std::move(opened);
    }
    // Before a store is opened, whose settings come from the environment, too.
    auto passphrase = client::read_passphrase(arguments.passphrase_file);
    if (!passphrase) return passphrase.error();
    auto session = TransferSession::open(arguments, progress);
    if (!session) return session.error();
    Import import(arguments, *passphrase, **session, progress);
    return arguments.job.empty() ? import.run(zip) : import.wait(arguments.job);
}

int run_import(const ImportArguments& arguments) {
    auto job = [&arguments] {
        Progress progress;
        return import_from(arguments, progress);
    }();
    if (!job) return complain(job.error());
    Import::show_result(*job);
    return Import::refused(*job) > 0 ? 1 : 0;
}

}  // namespace

void add_import(CLI::App& app, CommandLine& line) {
    auto arguments = std::make_shared<ImportArguments>();
    CLI::App* command = add_transfer_command(
        app, line, "import", "Import a zip of an export into a server, or into a store at rest",
        *arguments);
    command->add_option("file", arguments->file, "The zip; - for the standard input");
    command->add_option("--target", arguments->target, "Where it goes: a reference");
    command->add_option("--strategy", arguments->strategy,
                        "COPY_EVERYTHING (new ids) or CLONE (keeps ids, updates what is there)");
    command->add_flag("--dry-run", arguments->is_dry_run, "Only tell what would be imported");
    command->add_option("--resume", arguments->job,
                        "Wait for the job of an import whose command ended");
    auto* kept = command->get_option("--keep");
    for (const auto& [name, value] : {std::pair{"--group", &arguments->group},
                                      {"--artifact", &arguments->artifact},
                                      {"--version", &arguments->version}})
        command->add_option(name, *value, "Of the archive that is kept; else what the zip says")
            ->needs(kept);
    command->callback(
        [&line, arguments] { line.run = [arguments] { return run_import(*arguments); }; });
}

}  // namespace stele::kernel::command

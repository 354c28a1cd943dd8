#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

#include "kernel/command/part_file.hpp"
#include "kernel/command/transfer_session.hpp"

namespace stele::kernel::command {

namespace {

struct ExportArguments : TransferArguments {
    std::vector<std::string> references;
    std::string output;
};

/// Where the bytes of an archive go: into a file, or to the standard output, where nothing can be
/// taken back.
class ArchiveOutput {
public:
    explicit ArchiveOutput(PartFile* file) : file_(file) {}

    std::uint64_t size() const { return file_ ? file_->size() : written_; }
    sdk::Result<void> write(std::string_view bytes) {
        if (file_) return file_->write(bytes);
        written_ += bytes.size();
        std::cout.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return check();
    }
    sdk::Result<void> restart() {
        if (file_) return file_->empty();
        if (written_ == 0) return {};
        return sdk::make_error(sdk::ErrorKind::conflict, "command.archive_changed",
                               "the archive became another one while it was downloaded");
    }
    sdk::Result<void> finish() {
        if (file_) return file_->finish();
        std::cout.flush();
        return check();
    }

private:
    sdk::Result<void> check() const {
        if (std::cout) return {};
        return sdk::make_error(sdk::ErrorKind::unavailable, "command.file_unwritable",
                               "the output cannot be written");
    }

    PartFile* file_;
    std::uint64_t written_ = 0;
};

/// What stands behind the slash of `bytes 5-9/10`; nothing for a reply that begins elsewhere than
/// at `offset`.
std::optional<std::uint64_t> size_in_range(const std::string& content_range, std::uint64_t offset) {
    const std::string begin = "bytes " + std::to_string(offset) + "-";
    const auto slash = content_range.find('/');
    if (!content_range.starts_with(begin) || slash == std::string::npos) return std::nullopt;
    const auto size = sdk::integer_member({{"size", content_range.substr(slash + 1)}}, "size");
    return size ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(*size)) : std::nullopt;
}

/// One export, from the start of its job until its archive is here and gone from the vault.
class Export {
public:
    Export(const ExportArguments& arguments, const std::string& passphrase,
           TransferSession& session, Progress& progress, PartFile* file)
        : arguments_(arguments),
          passphrase_(passphrase),
          session_(session),
          progress_(progress),
          file_(file),
          output_(file) {}

    sdk::Result<void> run() {
        if (auto made = make_request(); !made) return made;
        if (auto resumed = resume(); !resumed) return resumed;
        while (true) {
            auto done = is_resumed_ ? fetch() : start_and_fetch();
            // The job or the archive that a former run left may be gone.
            const bool is_outdated =
                !done && is_resumed_ &&
                (sdk::is_missing(done.error()) || done.error().code == kJobFailed);
            if (!is_outdated) return explained(done);
            if (auto forgotten = forget(); !forgotten) return forgotten;
            is_resumed_ = false;
        }
    }

private:
    static constexpr char kJobFailed[] = "command.job_failed";
    static constexpr char kPassphraseHash[] = "passphraseHash";

    sdk::Result<void> make_request() {
        auto configuration = configuration_of(arguments_);
        if (!configuration) return configuration.error();
        body_ = *std::move(configuration);
        body_["sources"] = sdk::Json::array();
        for (const std::string& given : arguments_.references) {
            auto reference = session_.reference_of(given);
            if (!reference) return reference.error();
            body_["sources"].push_back(*reference);
        }
        target_ = client::target_of("/transfer/export", {{"schedule", "ASYNCHRONOUS"},
                                                         {"vault", arguments_.vault},
                                                         {"group", arguments_.group},
                                                         {"artifact", arguments_.artifact},
                                                         {"version", arguments_.version}});
        state_ = {{"server", session_.name()}, {"target", target_}, {"body", body_}};
        if (!passphrase_.empty()) body_["passphrase"] = passphrase_;
        return {};
    }

    /// Goes on with what a former run of the same command left.
    sdk::Result<void> resume() {
        if (!file_ || file_->state().empty()) return {};
        const sdk::Json& left = file_->state();
        is_resumed_ = left.contains("job") && has_same_passphrase(left);
        for (const auto& [name, value] : state_.items())
            is_resumed_ = is_resumed_ && left.contains(name) && left.at(name) == value;
        if (is_resumed_) {
            state_ = left;
            progress_.say("Going on with " + file_->part().string() + ", of which there are " +
                          shown_bytes(file_->size()) + ".");
            return {};
        }
        progress_.say(file_->part().string() + " is a part of another export; it begins anew.");
        return forget();
    }

    /// What is kept of it is as hard to guess from as the archive.
    bool has_same_passphrase(const sdk::Json& left) const {
        const std::string hash = sdk::text_member(left, kPassphraseHash);
        if (hash.empty() || passphrase_.empty()) return hash.empty() && passphrase_.empty();
        return sdk::fits_password(passphrase_, hash);
    }

    sdk::Result<void> forget() {
        for (const char* name : {"job", "tag", "size", kPassphraseHash})
            state_.erase(name);
        return file_ ? file_->forget() : sdk::Result<void>();
    }
    sdk::Result<void> keep_state() {
        return file_ ? file_->keep_state(state_) : sdk::Result<void>();
    }

    /// What would be replaced, and then removed, is somebody's archive.
    sdk::Result<void> check_coordinates() {
        const bool are_chosen = !arguments_.group.empty() && !arguments_.artifact.empty() &&
                                !arguments_.version.empty();
        if (arguments_.is_kept || !are_chosen) return {};
        auto found = session_.server().read_patiently(client::target_of(
            archives_path(arguments_.vault) + "/lookup", {{"group", arguments_.group},
                                                          {"artifact", arguments_.artifact},
                                                          {"version", arguments_.version}}));
        if (!found) return sdk::is_missing(found.error()) ? sdk::Result<void>() : found.error();
        return sdk::make_error(sdk::ErrorKind::conflict, "command.archive_exists",
                               "the vault has an archive with this group, artifact and version; "
                               "--keep replaces it");
    }

    sdk::Result<void> start_and_fetch() {
        if (auto free = check_coordinates(); !free) return free;
        auto job = session_.start_job(target_, body_);
        if (!job) return job.error();
        state_["job"] = *job;
        if (!passphrase_.empty()) state_[kPassphraseHash] = sdk::hash_password(passphrase_);
        if (!progress_.is_terminal()) progress_.say("Exporting, by the job " + *job + ".");
        if (auto kept = keep_state(); !kept) return kept;
        return fetch();
    }

    sdk::Result<void> fetch() {
        const std::string id = sdk::text_member(state_, "job");
        auto job = session_.wait_for_job(id, "Exporting", progress_);
        if (!job) return job.error();
        vault_ = sdk::text_member(*job, "vaultId");
        archive_ = sdk::text_member(*job, "archiveId");
        if (vault_.empty() || archive_.empty()) {
            return sdk::make_error(sdk::ErrorKind::invalid, "client.reply_unexpected",
                                   "the job " + id + " made no archive");
        }
        tell_omissions(*job);
        if (auto downloaded = download(); !downloaded) return downloaded;
        const std::uint64_t size = output_.size();
        if (auto finished = output_.finish(); !finished) return finished;
        is_here_ = true;
        progress_.say("Exported " + shown_bytes(size) + " to " +
                      (file_ ? file_->path().string() : "the standard output") + ".");
        if (arguments_.is_kept) return {};
        return session_.remove_archive(vault_, archive_);
    }

    void tell_omissions(const sdk::Json& job) {
        if (sdk::flag_member(job, "complete", true)) return;
        progress_.say(sdk::text_member(job, "submitted_by") +
                      " may not read everything that there may be; what is hidden was left out.");
    }

    bool is_complete() const {
        const auto size = sdk::integer_member(state_, "size");
        return size && static_cast<std::uint64_t>(*size) == output_.size();
    }

    sdk::Result<void> download() {
        for (int failures = 0; !is_complete();) {
            const std::uint64_t before = output_.size();
            auto got = download_rest();
            if (got) return {};
            // A disk that is full is no matter of the connection.
            const bool is_local = got.error().code == "command.file_unwritable";
            if (is_local || !client::may_pass(got.error())) return got;
            if (output_.size() > before) failures = 0;
            if (!session_.server().pause_before_try(++failures)) return got;
        }
        return {};
    }

    /// All that is missing, by one request; of another archive than before, all of it.
    sdk::Result<void> download_rest() {
        const std::string tag = sdk::text_member(state_, "tag");
        if (tag.empty()) {
            if (auto emptied = output_.restart(); !emptied) return emptied;
        }
        std::vector<std::pair<std::string, std::string>> headers;
        if (output_.size() > 0) {
            headers = {{"Range", "bytes=" + std::to_string(output_.size()) + "-"},
                       {"If-Range", tag}};
        }
        const client::ReplyTaker taker{
            .begin = [this](const client::ReplyHead& head) { return begin(head); },
            .take = [this](std::string_view bytes) { return take(bytes); }};
        return session_.server().download(
            archives_path(vault_) + '/' + sdk::percent_encoded(archive_) + "/download", headers,
            taker);
    }

    sdk::Result<void> begin(const client::ReplyHead& head) {
        std::optional<std::uint64_t> size;
        if (head.status == 206) {
            size = size_in_range(head.header("content-range"), output_.size());
        } else {
            if (auto emptied = output_.restart(); !emptied) return emptied;
            size = size_in_range("bytes 0-/" + head.header("content-length"), 0);
        }
        if (!size) {
            return sdk::make_error(sdk::ErrorKind::invalid, "client.reply_unexpected",
                                   "the server does not say how large the archive is");
        }
        total_ = *size;
        state_["tag"] = head.header("etag");
        state_["size"] = total_;
        return keep_state();
    }

    sdk::Result<void> take(std::string_view bytes) {
        if (auto written = output_.write(bytes); !written) return written;
        progress_.show_bytes("Downloading", output_.size(), total_);
        return {};
    }

    /// A failure, with what becomes of the archive.
    sdk::Result<void> explained(sdk::Result<void> done) {
        if (done) return done;
        sdk::Error error = done.error();
        const std::string job = sdk::text_member(state_, "job");
        if (is_here_) {
            error.message = "the archive is here, but stays in the vault, too: " + error.message;
        } else if (error.code == kJobFailed) {
            if (auto forgotten = forget(); !forgotten) return forgotten;
        } else if (!job.empty() && file_) {
            error.message += "; the same command goes on with it";
        } else if (!job.empty() && !is_given_up(job)) {
            error.message += "; the archive of the job " + job + " stays in the vault";
        }
        return error;
    }

    /// What went to the standard output cannot be gone on with. False where something stays.
    bool is_given_up(const std::string& job) {
        if (arguments_.is_kept) return false;
        session_.server().hurry();
        const auto done =
            archive_.empty() ? session_.kill_job(job) : session_.remove_archive(vault_, archive_);
        return done.has_value();
    }

    const ExportArguments& arguments_;
    const std::string& passphrase_;
    TransferSession& session_;
    Progress& progress_;
    PartFile* file_;
    ArchiveOutput output_;
    std::string target_;
    sdk::Json body_;
    /// What is kept beside a part: the request, the job, and the tag and size of its archive.
    sdk::Json state_;
    bool is_resumed_ = false;
    bool is_here_ = false;
    std::string vault_;
    std::string archive_;
    std::uint64_t total_ = 0;
};

sdk::Result<void> export_to(const ExportArguments& arguments, Progress& progress) {
    std::optional<PartFile> file;
    if (!arguments.output.empty()) {
        file.emplace(arguments.output);
        if (auto opened = file->open(); !opened) return opened;
    } else if (::isatty(STDOUT_FILENO)) {
        return sdk::make_error(sdk::ErrorKind::invalid, "command.arguments_invalid",
                               "an archive is nothing to be shown: say --output FILE");
    }
    // Before a store is opened, whose settings come from the environment, too.
    auto passphrase = client::read_passphrase(arguments.passphrase_file);
    if (!passphrase) return passphrase.error();
    auto session = TransferSession::open(arguments, progress);
    if (!session) return session.error();
    return Export(arguments, *passphrase, **session, progress, file ? &*file : nullptr).run();
}

int run_export(const ExportArguments& arguments) {
    sdk::Result<void> done;
    {
        Progress progress;
        done = export_to(arguments, progress);
    }
    return done ? 0 : complain(done.error());
}

}  // namespace

void add_export(CLI::App& app, CommandLine& line) {
    auto arguments = std::make_shared<ExportArguments>();
    CLI::App* command = add_transfer_command(
        app, line, "export", "Export records of a server, or of a store at rest, as a zip",
        *arguments);
    command->add_option("--reference", arguments->references, "What to export; repeatable")
        ->required();
    command->add_option("--group", arguments->group, "Group of the archive");
    command->add_option("--artifact", arguments->artifact, "Artifact of the archive");
    command->add_option("--version", arguments->version, "Version of the archive");
    command->add_option("--output", arguments->output,
                        "File; else the standard output. One that broke off is gone on with");
    command->callback(
        [&line, arguments] { line.run = [arguments] { return run_export(*arguments); }; });
}

}  // namespace stele::kernel::command

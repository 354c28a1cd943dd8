#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/admin/admin_socket.hpp"
#include "kernel/command/command_line.hpp"
#include "kernel/file/posix_file.hpp"

namespace stele::kernel::command {

namespace {

namespace fs = std::filesystem;

struct BackupArguments {
    std::string to;
    bool has_no_blobs = false;
    bool has_secrets = false;
};

sdk::Error unwritable(const fs::path& file) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "command.file_unwritable",
                           file.string() + " cannot be written: " + file::system_reason(errno));
}

/// The file that a backup goes to: not there under its name before it is whole and on disk.
class BackupFile {
public:
    explicit BackupFile(fs::path file) : file_(std::move(file)), part_(file_.string() + ".part") {}
    ~BackupFile() {
        if (is_begun_ && !is_kept_) ::unlink(part_.c_str());
    }
    BackupFile(const BackupFile&) = delete;
    BackupFile& operator=(const BackupFile&) = delete;

    sdk::Result<void> begin() {
        if (fs::exists(file_)) {
            return sdk::make_error(sdk::ErrorKind::conflict, "command.file_exists",
                                   file_.string() + " is there already");
        }
        opened_ = file::PosixFile(part_, O_WRONLY | O_CREAT | O_TRUNC);
        if (!opened_.is_open()) return unwritable(part_);
        is_begun_ = true;
        return {};
    }
    sdk::Result<void> write(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(opened_.descriptor(), bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return unwritable(part_);
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
        return {};
    }
    sdk::Result<void> keep() {
        const bool is_safe = ::fsync(opened_.descriptor()) == 0 &&
                             ::rename(part_.c_str(), file_.c_str()) == 0 &&
                             file::sync_folder(fs::absolute(file_).parent_path());
        if (!is_safe) return unwritable(file_);
        is_kept_ = true;
        return {};
    }

private:
    fs::path file_;
    fs::path part_;
    file::PosixFile opened_;
    bool is_begun_ = false;
    bool is_kept_ = false;
};

/// A folder gets a file that is named after the time.
fs::path target_of(const std::string& to) {
    if (!fs::is_directory(to)) return to;
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char name[64];
    std::strftime(name, sizeof(name), "stele-%Y%m%d-%H%M%S.backup", &parts);
    return fs::path(to) / name;
}

/// Asks the server that has the store open, else opens it.
sdk::Result<sdk::Json> back_up(instance::InstanceOptions options, const BackupArguments& arguments,
                               const backup::Sink& sink) {
    auto answer = admin::ask_server(options.data,
                                    {{"command", "backup"},
                                     {"blobs", !arguments.has_no_blobs},
                                     {"secrets", arguments.has_secrets}},
                                    sink);
    if (answer || answer.error().code != "admin.not_served") return answer;
    options.must_exist = true;
    auto instance = instance::Instance::open(options);
    if (!instance) return instance.error();
    auto summary = (*instance)->back_up({!arguments.has_no_blobs, arguments.has_secrets}, sink);
    if (!summary) return summary.error();
    return instance::json_of(*summary);
}

void show(const sdk::Json& summary, const std::string& where) {
    std::cerr << "Backed up " << sdk::integer_member(summary, "entries").value_or(0)
              << " entries and " << sdk::integer_member(summary, "blobs").value_or(0)
              << " blobs to " << where << ".\n";
    if (sdk::flag_member(summary, "secrets", false)) {
        std::cerr << "It holds the keys that open the secrets in it: keep it as safe as these.\n";
    } else {
        std::cerr << "The keys that open the secrets in it are not part of it: keep secrets.key "
                     "too.\n";
    }
}

int back_up_to_output(const instance::InstanceOptions& options, const BackupArguments& arguments) {
    auto summary = back_up(options, arguments, [](std::string_view bytes) -> sdk::Result<void> {
        std::cout.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return std::cout ? sdk::Result<void>() : sdk::Result<void>(unwritable("the output"));
    });
    if (!summary) return complain(summary.error());
    std::cout.flush();
    if (!std::cout) return complain(unwritable("the output"));
    show(*summary, "the standard output");
    return 0;
}

int run(const instance::InstanceOptions& options, const BackupArguments& arguments) {
    if (arguments.to == "-") return back_up_to_output(options, arguments);
    const fs::path target = target_of(arguments.to);
    BackupFile file(target);
    if (auto begun = file.begin(); !begun) return complain(begun.error());
    auto summary =
        back_up(options, arguments, [&file](std::string_view bytes) { return file.write(bytes); });
    if (!summary) return complain(summary.error());
    if (auto kept = file.keep(); !kept) return complain(kept.error());
    show(*summary, target.string());
    return 0;
}

}  // namespace

void add_backup(CLI::App& app, CommandLine& line) {
    CLI::App* command =
        add_command(app, line, "backup", "Back up a store, also while it is being served");
    auto arguments = std::make_shared<BackupArguments>();
    command->add_option("--to", arguments->to, "File or folder; - for the standard output")
        ->required();
    command->add_flag("--without-blobs", arguments->has_no_blobs,
                      "Leave attachments and other binaries out");
    command->add_flag("--with-secrets", arguments->has_secrets,
                      "Put the keys that open stored secrets into the backup");
    command->callback([&line, arguments] {
        line.run = [&line, arguments] { return run(line.options(), *arguments); };
    });
}

}  // namespace stele::kernel::command

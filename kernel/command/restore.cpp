#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "kernel/command/command_line.hpp"
#include "kernel/file/posix_file.hpp"
#include "kernel/instance/secret_keys.hpp"

namespace stele::kernel::command {

namespace {

struct RestoreArguments {
    std::string from;
    bool is_only_verified = false;
};

sdk::Error unreadable(const std::string& file) {
    return sdk::make_error(sdk::ErrorKind::not_found, "command.file_unreadable",
                           file + " cannot be read: " + file::system_reason(errno));
}

/// A backup's file, or the standard input.
class BackupInput {
public:
    explicit BackupInput(const std::string& from) : from_(from) {
        // Also of a pipe, which is waited for.
        if (!is_stream())
            opened_ = file::PosixFile::own(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    }

    bool is_stream() const { return from_ == "-"; }
    bool is_open() const { return is_stream() || opened_.is_open(); }
    bool rewind() const { return ::lseek(opened_.descriptor(), 0, SEEK_SET) == 0; }

    sdk::Result<void> read(std::size_t limit, std::string& out) const {
        out.resize(limit);
        ssize_t count = -1;
        do {
            count = ::read(is_stream() ? STDIN_FILENO : opened_.descriptor(), out.data(), limit);
        } while (count < 0 && errno == EINTR);
        if (count < 0) return unreadable(from_);
        out.resize(static_cast<std::size_t>(count));
        return {};
    }

private:
    const std::string& from_;
    file::PosixFile opened_;
};

void show(const char* what, const backup::BackupSummary& summary) {
    std::cout << what << " " << summary.entries << " entries and " << summary.blobs
              << " blobs of backup " << summary.id << ".\n";
}

int restore(instance::InstanceOptions options, const backup::Source& source) {
    options.is_restoring = true;
    auto instance = instance::Instance::open(options);
    if (!instance) return complain(instance.error());
    auto summary = (*instance)->restore(source);
    if (!summary) return complain(summary.error());
    show(summary->was_resumed ? "Went on and restored" : "Restored", *summary);
    const bool has_keys = summary->has_secret_keys ||
                          std::filesystem::exists(options.data / instance::kSecretKeyFile);
    if (!has_keys) {
        std::cout << "The backup holds no keys for the secrets in it: put secrets.key of the old "
                     "store into "
                  << options.data.string() << ", or set secrets.key.\n";
    }
    return 0;
}

int run(const instance::InstanceOptions& options, const RestoreArguments& arguments) {
    const BackupInput input(arguments.from);
    if (!input.is_open()) return complain(unreadable(arguments.from));
    const backup::Source source = [&input](std::size_t limit, std::string& out) {
        return input.read(limit, out);
    };
    // A file is read twice, so that a damaged one leaves no trace in the store.
    if (arguments.is_only_verified || !input.is_stream()) {
        auto verified = backup::verify_backup(source);
        if (!verified) return complain(verified.error());
        if (arguments.is_only_verified) {
            show("Verified", *verified);
            return 0;
        }
        if (!input.rewind()) return complain(unreadable(arguments.from));
    }
    return restore(options, source);
}

}  // namespace

void add_restore(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(app, line, "restore", "Fill a new store from a backup");
    auto arguments = std::make_shared<RestoreArguments>();
    command->add_option("--from", arguments->from, "The backup; - for the standard input")
        ->required();
    command->add_flag("--verify", arguments->is_only_verified,
                      "Only look whether the backup is whole");
    command->callback([&line, arguments] {
        line.run = [&line, arguments] { return run(line.options(), *arguments); };
    });
}

}  // namespace stele::kernel::command

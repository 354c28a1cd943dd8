#pragma once

#include <memory>
#include <string>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/client/remote_server.hpp"
#include "kernel/command/command_line.hpp"
#include "kernel/command/progress.hpp"

namespace stele::kernel::command {

/// What the arguments of exports and imports have in common.
struct TransferArguments {
    CommandLine* line = nullptr;
    CLI::App* app = nullptr;
    std::string server;
    std::string ca_file;
    client::LoginSources login;
    std::string vault = "primary";
    std::string configuration_file;
    std::vector<std::string> settings;
    std::string passphrase_file;
    std::string group;
    std::string artifact;
    std::string version;
    bool is_kept = false;
};

/// Adds a command with these arguments.
CLI::App* add_transfer_command(CLI::App& app, CommandLine& line, const char* name,
                               const char* meaning, TransferArguments& arguments);

/// How references look, for the help of commands.
extern const char* const kReferenceHelp;

/// The configuration of a transfer: the members of the file, then those that were set. The
/// passphrase is none of them.
sdk::Result<sdk::Json> configuration_of(const TransferArguments& arguments);

/// An error of an operation that belongs to transfers: a server that has none lacks the plugin.
sdk::Error told_plainly(const sdk::Error& error);

/// `/vaults/{vault}/archives`.
std::string archives_path(const std::string& vault);

/// A server that somebody logged in to, and the jobs and archives of transfers on it. The server
/// of a store at rest is served by the session itself, on a port of this machine, as long as the
/// session lives.
class TransferSession {
public:
    static sdk::Result<std::unique_ptr<TransferSession>> open(const TransferArguments& arguments,
                                                              Progress& progress);
    ~TransferSession();

    client::RemoteServer& server() { return *server_; }
    /// The same for the same server or store, at whatever port that is served.
    const std::string& name() const { return name_; }
    /// `platform` and `.` as the reference of the platform, others as they are.
    sdk::Result<std::string> reference_of(const std::string& given);

    /// Starts a job that the server answers with its id. `client.unreachable` is tried again;
    /// nothing else, for the job may have been started.
    sdk::Result<std::string> start_job(const std::string& target, const sdk::Json& body);
    /// The job once it has ended well. `command.job_failed` with what its log says; `not_found`
    /// where there is no such job.
    sdk::Result<sdk::Json> wait_for_job(const std::string& id, const std::string& doing,
                                        Progress& progress);
    /// Ends a job that nobody wants any more. It may have ended before.
    sdk::Result<void> kill_job(const std::string& id);
    /// Succeeds also where there is none any more.
    sdk::Result<void> remove_archive(const std::string& vault, const std::string& id);

private:
    TransferSession() = default;
    sdk::Result<void> host(const TransferArguments& arguments, std::string& address);

    std::string name_;
    std::unique_ptr<instance::Instance> instance_;
    std::unique_ptr<client::RemoteServer> server_;
};

}  // namespace stele::kernel::command

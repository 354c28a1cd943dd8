#include "kernel/command/transfer_session.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/command/interruption.hpp"
#include "kernel/command/terminal.hpp"

namespace stele::kernel::command {

namespace {

/// Pauses between two looks at a job: short ones first, for small transfers.
constexpr std::chrono::milliseconds kFirstLook{50};
constexpr std::chrono::milliseconds kLastLook{1000};

sdk::Error wrong_arguments(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "command.arguments_invalid", problem);
}

sdk::Error job_failure(const sdk::Json& job, const std::string& id) {
    std::string message;
    if (const auto entries = job.find("log_entries"); entries != job.end() && entries->is_array()) {
        for (const sdk::Json& entry : *entries) {
            if (entry.is_object() && sdk::text_member(entry, "type") == "ERROR")
                message = sdk::text_member(entry, "message");
        }
    }
    return sdk::make_error(
        sdk::ErrorKind::invalid, "command.job_failed",
        message.empty() ? "the job " + id + " failed" : client::printable(message), "job " + id);
}

std::uint64_t count_member(const sdk::Json& object, std::string_view name) {
    if (!object.is_object()) return 0;
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(sdk::integer_member(object, name).value_or(0), 0));
}

sdk::JobProgress progress_of(const sdk::Json& told) {
    return {.done = count_member(told, "done"),
            .total = count_member(told, "total"),
            .bytes = count_member(told, "bytes"),
            .total_bytes = count_member(told, "totalBytes")};
}

sdk::Result<void> read_setting(const std::string& text, sdk::Json& configuration) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
        return wrong_arguments("--set takes KEY=VALUE, not " + text);
    const std::string value = text.substr(equals + 1);
    auto parsed = value.empty() ? sdk::Result<sdk::Json>(sdk::Json("")) : sdk::parse_json(value);
    configuration[text.substr(0, equals)] = parsed ? *parsed : sdk::Json(value);
    return {};
}

}  // namespace

const char* const kReferenceHelp =
    "A reference is TYPE://PLATFORM/ID, such as repository://P/R, domain://P/D, project://P/X, or "
    "with the ids on the way: branch://P/R/B, node://P/R/B/N. The platform itself is: platform, "
    "or a dot.\nPasswords and secrets come from files, from STELE_PASSWORD and "
    "STELE_CLIENT_SECRET, or are typed; a passphrase from a file or STELE_PASSPHRASE.";

CLI::App* add_transfer_command(CLI::App& app, CommandLine& line, const char* name,
                               const char* meaning, TransferArguments& arguments) {
    CLI::App* command = add_command(app, line, name, meaning);
    arguments.line = &line;
    arguments.app = command;
    command->add_option("--server", arguments.server,
                        "http://HOST:PORT or https://HOST:PORT; or --data, for a store that nobody "
                        "serves");
    command->add_option("--ca-file", arguments.ca_file,
                        "Certificates that sign the server's; else those of the system");
    command->add_option("--user", arguments.login.user, "NAME or DOMAIN/NAME");
    command->add_option("--password-file", arguments.login.password_file,
                        "File whose first line is the password");
    command->add_option("--client-key", arguments.login.key,
                        "Key of the client that logs in; else STELE_CLIENT_KEY");
    command->add_option("--client-secret-file", arguments.login.secret_file,
                        "File whose first line is the client's secret");
    command->add_option("--vault", arguments.vault, "Vault of the archive, by id or alias")
        ->capture_default_str();
    command->add_option("--configuration", arguments.configuration_file,
                        "JSON file with settings of the transfer");
    command
        ->add_option("--set", arguments.settings,
                     "KEY=VALUE, a setting of the transfer, JSON or text; repeatable")
        ->allow_extra_args(false);
    command->add_option("--passphrase-file", arguments.passphrase_file,
                        "File whose first line seals secrets in an archive, or opens them");
    command->add_flag("--keep", arguments.is_kept, "Leave the archive in the vault");
    command->footer(kReferenceHelp);
    return command;
}

sdk::Result<sdk::Json> configuration_of(const TransferArguments& arguments) {
    sdk::Json configuration = sdk::Json::object();
    if (!arguments.configuration_file.empty()) {
        std::ifstream stream(arguments.configuration_file, std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(stream), {});
        if (!stream) {
            return sdk::make_error(sdk::ErrorKind::not_found, "command.file_unreadable",
                                   arguments.configuration_file + " cannot be read");
        }
        auto parsed = sdk::parse_json(text);
        if (!parsed || !parsed->is_object()) {
            return wrong_arguments(arguments.configuration_file + " is no JSON object" +
                                   (parsed ? "" : ": " + parsed.error().message));
        }
        configuration = *std::move(parsed);
    }
    for (const std::string& setting : arguments.settings) {
        if (auto read = read_setting(setting, configuration); !read) return read.error();
    }
    if (configuration.contains("passphrase")) {
        return wrong_arguments(
            "arguments and configurations are read by others: the passphrase "
            "comes from --passphrase-file or STELE_PASSPHRASE");
    }
    return configuration;
}

sdk::Error told_plainly(const sdk::Error& error) {
    if (error.code != "http.route_unknown") return error;
    return sdk::make_error(sdk::ErrorKind::not_found, "command.transfers_missing",
                           "the server has no exports and imports: the plugin that keeps archives "
                           "is not enabled there");
}

std::string archives_path(const std::string& vault) {
    return "/vaults/" + sdk::percent_encoded(vault) + "/archives";
}

sdk::Result<std::unique_ptr<TransferSession>> TransferSession::open(
    const TransferArguments& arguments, Progress& progress) {
    const bool is_at_rest = arguments.app->count("--data") > 0;
    if (is_at_rest == !arguments.server.empty())
        return wrong_arguments("say either --server http://HOST:PORT, or --data DIR");
    // Before a store is opened, whose settings come from the environment, too.
    auto login = client::read_login(arguments.login, &ask_secret);
    if (!login) return login.error();
    catch_interruptions();
    std::unique_ptr<TransferSession> session(new TransferSession());
    std::string text = arguments.server;
    if (is_at_rest) {
        progress.show("Opening the store");
        if (auto hosted = session->host(arguments, text); !hosted) return hosted.error();
    }
    auto address = client::ServerAddress::parse(text);
    if (!address) return address.error();
    if (!is_at_rest) session->name_ = address->text();
    client::ClientOptions options{
        .server = *address, .ca_file = arguments.ca_file, .must_stop = &is_interrupted};
    session->server_ = std::make_unique<client::RemoteServer>(
        client::HttpClient(std::move(options)), *std::move(login));
    if (auto logged_in = session->server_->log_in(); !logged_in) return logged_in.error();
    return session;
}

TransferSession::~TransferSession() {
    if (instance_) instance_->stop();
}

sdk::Result<void> TransferSession::host(const TransferArguments& arguments, std::string& address) {
    instance::InstanceOptions options = arguments.line->options();
    if (is_served(options)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "command.store_served",
                               "a server serves this store: ask it, by --server");
    }
    options.must_exist = true;
    // Others do not reach it, and what its access log would print may be the archive's place.
    options.overrides = {{"server.host", "127.0.0.1"},
                         {"server.port", "0"},
                         {"server.tls_certificate_file", ""},
                         {"server.tls_key_file", ""},
                         {"log.access", ""}};
    auto opened = instance::Instance::open(options);
    if (!opened) return opened.error();
    if (!(*opened)->is_prepared()) {
        return sdk::make_error(sdk::ErrorKind::not_found, "command.store_empty",
                               options.data.string() + " holds no prepared store");
    }
    if (auto started = (*opened)->start(); !started) return started.error();
    instance_ = *std::move(opened);
    address = instance_->base_url();
    name_ = std::filesystem::weakly_canonical(options.data).string();
    return {};
}

sdk::Result<std::string> TransferSession::reference_of(const std::string& given) {
    if (given != "." && given != "platform") return given;
    auto platform = server_->read_patiently("/");
    if (!platform) return platform.error();
    const std::string id = sdk::text_member(*platform, "_doc");
    if (!id.empty()) return "platform://" + id;
    return sdk::make_error(sdk::ErrorKind::invalid, "client.reply_unexpected",
                           "the server does not say which platform it is");
}

sdk::Result<std::string> TransferSession::start_job(const std::string& target,
                                                    const sdk::Json& body) {
    for (int failures = 0;;) {
        auto started = server_->post(target, body);
        if (started) {
            const std::string id = sdk::text_member(*started, "_doc");
            if (!id.empty()) return id;
            return sdk::make_error(sdk::ErrorKind::invalid, "client.reply_unexpected",
                                   "the server started no job");
        }
        sdk::Error error = told_plainly(started.error());
        if (error.code == "client.broken_off" || error.code == "client.interrupted")
            error.message += "; the job may have been started";
        const bool was_sent = error.code != "client.unreachable";
        if (was_sent || !server_->pause_before_try(++failures)) return error;
    }
}

sdk::Result<sdk::Json> TransferSession::wait_for_job(const std::string& id,
                                                     const std::string& doing, Progress& progress) {
    for (auto pause = kFirstLook;; pause = std::min(pause * 2, kLastLook)) {
        auto job = server_->read_patiently("/jobs/" + sdk::percent_encoded(id));
        if (!job) return job.error();
        const std::string state = sdk::text_member(*job, "state");
        if (state == "ERROR") return job_failure(*job, id);
        const sdk::Json told = job->value("progress", sdk::Json::object());
        if (state == "FINISHED") {
            progress.show_end(doing, progress_of(told));
            return job;
        }
        progress.show_job(doing, progress_of(told),
                          std::chrono::milliseconds(count_member(told, "remaining")));
        if (!server_->pause(pause)) {
            return sdk::make_error(sdk::ErrorKind::unavailable, "client.interrupted",
                                   "interrupted");
        }
    }
}

sdk::Result<void> TransferSession::kill_job(const std::string& id) {
    auto killed = server_->post("/jobs/" + sdk::percent_encoded(id) + "/kill", sdk::Json::object());
    if (!killed) return killed.error();
    return {};
}

sdk::Result<void> TransferSession::remove_archive(const std::string& vault, const std::string& id) {
    const std::string target = archives_path(vault) + '/' + sdk::percent_encoded(id);
    for (int failures = 0;;) {
        auto removed = server_->remove(target);
        if (removed || sdk::is_missing(removed.error())) return {};
        const bool may_pass = client::may_pass(removed.error());
        if (!may_pass || !server_->pause_before_try(++failures)) return removed;
    }
}

}  // namespace stele::kernel::command

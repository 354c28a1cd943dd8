#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/seed_member.hpp>

#include "kernel/backup/backup.hpp"
#include "kernel/config/settings.hpp"
#include "kernel/instance/secret_keys.hpp"
#include "kernel/resource/upkeep/reseal.hpp"
#include "kernel/storage/blob/blob_collection.hpp"

namespace stele::kernel::instance {

struct InstanceOptions {
    std::filesystem::path data;
    std::filesystem::path config_file;
    /// Plugins to enable; empty: every one that was found and fits this build.
    std::vector<std::string> enabled;
    std::vector<std::filesystem::path> plugin_folders;
    /// Settings from the command line; they win over file and environment.
    std::vector<std::pair<std::string, std::string>> overrides;
    /// An absent embedded store is an error instead of a new one.
    bool must_exist = false;
    /// A store is made also where there was one: somebody has asked for it.
    bool may_replace_store = false;
    /// The store is going to be filled from a backup: nothing in it is used, and no key is made.
    bool is_restoring = false;
    /// Plugins of engines are opened although the store is not theirs, so that every setting is
    /// known.
    bool opens_every_engine = false;
};

/// Looks at the files of the embedded store that the options name, if it is one, before anything
/// opens it: a line for each that is damaged. `unavailable` (`engine.in_use`) while it is served.
sdk::Result<std::vector<std::string>> check_files(const InstanceOptions& options);

/// The keys of the store that the options name; opens nothing.
sdk::Result<KeptSecretKeys> read_secret_keys(const InstanceOptions& options);

/// A summary as `stele backup` and the server tell it one another.
sdk::Json json_of(const backup::BackupSummary& summary);

/// One server over one data folder: engine, services, plugins and listener, put together in order
/// and taken apart in the reverse order.
class Instance {
public:
    /// Opens the store and the plugins; serves nothing yet. Every failure is a sentence for the
    /// operator.
    static sdk::Result<std::unique_ptr<Instance>> open(const InstanceOptions& options);
    ~Instance();

    struct Prepared {
        bool is_new = false;
        /// Of a new store, what plugins have to tell of the first login.
        std::vector<sdk::LoginLine> login = {};
    };
    /// Prepares the store from a seed (`{}` for the defaults): the platform and what plugins
    /// install. On a prepared store it applies the parts that the seed names, again.
    sdk::Result<Prepared> prepare(const sdk::Json& seed);
    bool is_prepared() const;

    /// Installs plugins that the store has not seen, binds and begins to serve.
    sdk::Result<void> start();
    std::string base_url() const;
    /// Reads the certificate again and opens the log files anew, while it serves. What cannot be
    /// read is logged and stays as it was.
    void renew();
    /// Stops serving gracefully.
    void stop();

    /// Differences between records, indexes and counts; empty when all is well.
    std::vector<std::string> check();
    /// Records of removed containers that the next start goes on to erase.
    sdk::Result<std::uint64_t> count_removed();
    /// Binaries that nothing refers to; a server removes them once they are old enough.
    sdk::Result<storage::UnusedBlobs> count_unused_blobs();
    /// Work of the server itself on the root platform, outside of any request.
    sdk::Result<void> run_as_system(const std::function<sdk::Result<void>(sdk::Context&)>& work);
    /// `run_account_command` as the server itself. `unavailable` (`command.accounts_missing`) when
    /// no enabled plugin keeps users.
    sdk::Result<sdk::Json> manage_accounts(const sdk::Json& request);

    /// Backs up what is stored now, whether served or not.
    struct BackupWishes {
        bool has_blobs = true;
        bool has_secret_keys = false;
    };
    sdk::Result<backup::BackupSummary> back_up(const BackupWishes& wishes,
                                               const backup::Sink& sink);
    sdk::Result<backup::BackupSummary> restore(const backup::Source& source);
    /// Seals all secrets with the newest key.
    sdk::Result<resource::ResealOutcome> reseal(const std::function<bool()>& must_stop);
    /// Tells the newest key from others.
    std::string newest_key_digest() const;

    /// Every declared setting with its default and meaning, plugins' ones included.
    std::string describe_settings() const;

private:
    sdk::Result<sdk::PlatformScope> open_root(const std::string& title);
    void make_watch(std::uint64_t reserve);
    sdk::Result<void> start_administration();
    sdk::Result<void> start_plugins();
    void stop_plugins();

    struct State;
    static sdk::Result<void> open_services(State& state);
    static sdk::Result<void> open_audit_log(State& state);
    explicit Instance(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace stele::kernel::instance

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_transfer.hpp>

namespace stele::archives {

/// What an export takes along and what an import does with it
/// (docs/specification/semantics.md 7.2, 7.3). One object for both: clients send the same flags to
/// either.
struct TransferConfiguration {
    bool has_acls = true;
    bool has_teams = true;
    /// Those of groups, too.
    bool has_team_members = true;
    bool has_roles = true;
    bool has_activities = true;
    bool has_binaries = true;
    bool has_attachments = true;
    /// Not the changesets that led to the present state.
    bool is_tip_only = false;
    std::string start_changeset = {};
    std::string end_changeset = {};
    /// Epoch milliseconds; 0: no bound.
    std::int64_t start_ms = 0;
    std::int64_t end_ms = 0;
    /// Ids; empty: all.
    std::vector<std::string> branches = {};
    bool has_folders = false;
    bool has_relators = false;
    bool has_relating_associations = false;
    bool has_archived_branches = false;

    sdk::TransferStrategy strategy = sdk::TransferStrategy::copy_everything;
    bool copies_on_existing = true;
    std::map<std::string, std::string> substitutions = {};
    bool is_dry_run = false;
    bool requires_all = false;
    bool keeps_source_ids = false;
    bool lifts_protection = false;
    /// Seals secrets on their way out, and opens them; empty: they stay away. Never told again.
    std::string passphrase = {};
    /// The target takes what is in a subject of its own family, but not what that says itself. No
    /// setting of clients.
    bool keeps_target = false;

    bool takes_attachments() const { return has_binaries && has_attachments; }

    /// Of a body, in which every member may be missing. `invalid` with a violation for each that is
    /// of the wrong kind.
    static sdk::Result<TransferConfiguration> read(const sdk::Json& body);
    /// The specification's configuration object, for exports and imports alike.
    sdk::Json to_json() const;
};

/// Where an archive is or will be, as the parameters of a call say: by the specification's names or
/// by the short ones of clients.
struct TransferPlace {
    /// Id or alias.
    std::string vault;
    std::string group;
    std::string artifact;
    std::string version;

    /// What is missing stays empty, the vault excepted, which is `primary` then.
    static TransferPlace of(const sdk::Call& call);
};

}  // namespace stele::archives

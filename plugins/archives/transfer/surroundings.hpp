#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "transfer/configuration.hpp"
#include "transfer/identities.hpp"
#include "transfer/import_outcome.hpp"
#include "transfer/policy_assignments.hpp"
#include "transfer/transfer_services.hpp"
#include "transfer/transfer_source.hpp"

namespace stele::archives {

/// Brings what lies beside records: roles, teams, members of groups, grants and attachments, each
/// by the operation that a client would ask for. What is there already stays. All that it is given
/// outlives it; one thread.
class Surroundings {
public:
    Surroundings(const TransferServices& services, sdk::Context& context,
                 const TransferConfiguration& wanted, const Identities& identities,
                 ImportOutcome& outcome)
        : services_(services),
          context_(context),
          wanted_(wanted),
          identities_(identities),
          outcome_(outcome),
          assignments_(services, context) {}

    /// What is said of the principal of this name is said of `here`, whatever its domain is here.
    void meet_principal(const std::string& domain, const std::string& name,
                        const std::string& here);
    /// Once all records are there that may be named.
    sdk::Result<void> bring(const TransferRecord& record, const sdk::FamilyInfo& family,
                            const sdk::RecordKey& key);
    /// Once all teams are there: to whom an access policy is assigned, and which system policies
    /// are assigned to the principal or to the teams of the record.
    sdk::Result<void> bring_assignments(const TransferRecord& record, const sdk::FamilyInfo& family,
                                        const sdk::RecordKey& key);
    /// Of a node; `about` is what notes and errors name.
    sdk::Result<void> bring_grants(const sdk::Json& acl, const sdk::RecordKey& key,
                                   std::string_view about);

private:
    sdk::Result<void> grant(const sdk::Json& acl, const sdk::RecordKey& key,
                            std::string_view about);
    /// Of `lost`, which is neither in the archive nor here: a note, or `conflict`
    /// (`archives.transfer_link_missing`) where everything is required. Callers of public functions
    /// name the record in an error.
    sdk::Result<void> leave_out(std::string_view about, const std::string& lost,
                                const char* consequence = "");
    /// Members that name records.
    sdk::Result<void> check_links(const TransferRecord& record, const sdk::FamilyInfo& family);
    sdk::Result<bool> leads_nowhere(const std::string& reference);
    sdk::Result<void> require(const sdk::RecordKey& key, std::string_view about);
    sdk::Result<void> require_rights(const TransferRecord& record, const sdk::RecordKey& key);
    sdk::Result<void> bring_roles(const TransferRecord& record, const sdk::FamilyInfo& family,
                                  const sdk::RecordKey& key);
    sdk::Result<void> bring_team(const TransferRecord& record, const sdk::FamilyInfo& family,
                                 const sdk::RecordKey& key, const sdk::Json& team);
    sdk::Result<void> bring_members(const TransferRecord& record, const sdk::RecordKey& key);
    sdk::Result<void> bring_files(const TransferRecord& record, const sdk::FamilyInfo& family,
                                  const sdk::RecordKey& key);
    sdk::Result<void> update_team(const sdk::RecordKey& key, const std::string& team_key,
                                  const sdk::Json& team);
    /// Whether the record has the file already, under its name and byte by byte; `rows` are its
    /// attachments.
    sdk::Result<bool> has_file(const sdk::RecordKey& key, const sdk::Json& rows,
                               const sdk::ContentItem::File& file) const;
    /// Nothing where nobody here is meant, and may be left out.
    sdk::Result<std::optional<sdk::Principal>> find_principal(const sdk::Json& named,
                                                              std::string_view about);
    /// The reference of a principal or a team; nothing where there is none, and may be left out.
    sdk::Result<std::optional<std::string>> find_target(const sdk::Json& named,
                                                        std::string_view about);
    sdk::Result<void> assign_system(const sdk::Json& policies, const std::string& reference) const;
    sdk::Result<sdk::Json> ask(const sdk::RecordKey& record, sdk::InnerOperation operation) const;

    const TransferServices& services_;
    sdk::Context& context_;
    const TransferConfiguration& wanted_;
    const Identities& identities_;
    ImportOutcome& outcome_;
    PolicyAssignments assignments_;
    /// Qualified ids of principals that came, by domain and name in the source.
    std::map<std::pair<std::string, std::string>, std::string> principals_;
};

}  // namespace stele::archives

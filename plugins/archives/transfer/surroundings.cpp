#include "transfer/surroundings.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/error.hpp>
#include <stele/sdk/members.hpp>

#include "paths/locations.hpp"
#include "transfer/record_parts.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

/// Each is compared with all others of its record.
constexpr std::size_t kMaxRoles = 1000;

constexpr char kLeftOut[] = "; what it had was left out";

/// What somebody else has chosen, inside of a sentence.
std::string shown(std::string_view name) {
    return sdk::shown_path(name, 200);
}

}  // namespace

sdk::Result<sdk::Json> Surroundings::ask(const sdk::RecordKey& record,
                                         sdk::InnerOperation operation) const {
    if (operation.method != "GET") {
        if (auto counted = outcome_.count_write(operation.body); !counted) return counted.error();
    }
    return json_of(services_.operations.on_record(context_, record, operation));
}

void Surroundings::meet_principal(const std::string& domain, const std::string& name,
                                  const std::string& here) {
    principals_.insert_or_assign({domain, name}, here);
}

sdk::Result<void> Surroundings::leave_out(std::string_view about, const std::string& lost,
                                          const char* consequence) {
    if (wanted_.requires_all)
        return sdk::make_error(sdk::ErrorKind::conflict, "archives.transfer_link_missing", lost);
    outcome_.note(sdk::shown_path(about) + ": " + lost + consequence);
    return {};
}

/// One that the caller may not read is as good as none, or an import would tell of it.
sdk::Result<bool> Surroundings::leads_nowhere(const std::string& reference) {
    const std::string word = reference_parts(reference).word;
    // Content of branches is still to come.
    const bool is_of_records = !is_content(word) && services_.families.find_word(word);
    if (!is_of_records) return false;
    auto found = context_.find_reference(reference);
    if (!found) {
        if (sdk::is_missing(found.error()) || found.error().kind == sdk::ErrorKind::invalid)
            return true;
        return found.error();
    }
    auto may = sdk::holds(context_, *found, sdk::Permission::read);
    return may ? sdk::Result<bool>(!*may) : may;
}

sdk::Result<void> Surroundings::check_links(const TransferRecord& record,
                                            const sdk::FamilyInfo& family) {
    sdk::Json said = said_of_record(record.fields, family);
    std::set<std::string> lost = identities_.rewrite(said);
    for (const std::string& reference : identities_.references_in(said)) {
        if (auto left = context_.go_on(); !left) return left;
        auto is_lost = leads_nowhere(reference);
        if (!is_lost) return is_lost.error();
        if (*is_lost) lost.insert(reference);
    }
    for (const std::string& name : lost) {
        if (outcome_.is_refused(name)) continue;
        auto left = leave_out(
            record.key, "it names " + shown(name) + ", which neither comes along nor is here");
        if (!left) return left;
    }
    return {};
}

/// Before anything is compared with what is there: who may not change rights learns nothing of
/// them.
sdk::Result<void> Surroundings::require(const sdk::RecordKey& key, std::string_view about) {
    auto may = sdk::holds(context_, key, sdk::Permission::modify_permissions);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        "MODIFY_PERMISSIONS on " + sdk::shown_path(about) +
            " is needed for the rights that the archive has for it; "
            "includeACLs, includeTeams, includeTeamMembers and includeRoles leave them out");
}

sdk::Result<void> Surroundings::require_rights(const TransferRecord& record,
                                               const sdk::RecordKey& key) {
    const bool has_rights = (wanted_.has_roles && !record.roles.empty()) ||
                            (wanted_.has_teams && !record.teams.empty()) ||
                            (wanted_.has_team_members && !record.members.empty()) ||
                            (wanted_.has_acls && !record.acl.empty());
    return has_rights ? require(key, record.key) : sdk::Result<void>();
}

sdk::Result<void> Surroundings::bring(const TransferRecord& record, const sdk::FamilyInfo& family,
                                      const sdk::RecordKey& key) {
    if (auto may = require_rights(record, key); !may) return may;
    if (wanted_.has_roles) {
        if (auto brought = bring_roles(record, family, key); !brought) return brought;
    }
    if (wanted_.has_teams) {
        for (const sdk::Json& team : record.teams) {
            if (auto brought = bring_team(record, family, key, team); !brought) return brought;
        }
    }
    if (wanted_.has_team_members) {
        if (auto brought = bring_members(record, key); !brought) return brought;
    }
    if (wanted_.has_acls) {
        if (auto brought = grant(record.acl, key, record.key); !brought) return brought;
    }
    if (auto brought = bring_files(record, family, key); !brought) return brought;
    return check_links(record, family);
}

sdk::Result<void> Surroundings::bring_roles(const TransferRecord& record,
                                            const sdk::FamilyInfo& family,
                                            const sdk::RecordKey& key) {
    if (!family.has_roles) return {};
    if (record.roles.size() > kMaxRoles) {
        return sdk::make_error(sdk::ErrorKind::too_large, "archives.transfer_too_large",
                               "one record brings at most 1,000 roles");
    }
    for (const sdk::Json& role : record.roles) {
        if (auto left = context_.go_on(); !left) return left;
        const sdk::Json said = said_of_role(role);
        const std::string role_key = sdk::text_member(role, "roleKey");
        auto present = ask(key, {.path = "/roles/{roleKeyOrId}",
                                 .values = {role_key},
                                 .parameters = {{"inherited", "false"}}});
        if (!present && !sdk::is_missing(present.error())) return present.error();
        if (!present) {
            auto made = ask(key, {.method = "POST", .path = "/roles", .body = said});
            if (!made) return made.error();
            continue;
        }
        const sdk::Json before = said_of_role(*present);
        sdk::Json after = brought_up_to_date(before, said);
        if (after == before) continue;
        auto written = ask(key, {.method = "PUT",
                                 .path = "/roles/{roleKeyOrId}",
                                 .values = {role_key},
                                 .body = std::move(after)});
        if (!written) return written.error();
    }
    return {};
}

sdk::Result<void> Surroundings::bring_team(const TransferRecord& record,
                                           const sdk::FamilyInfo& family, const sdk::RecordKey& key,
                                           const sdk::Json& team) {
    if (!family.has_teams) return {};
    const std::string team_key = sdk::text_member(team, "key");
    auto present = services_.teams.find(context_, key, team_key);
    if (!present) return present.error();
    if (!*present) {
        auto made = ask(key, {.method = "POST",
                              .path = "/teams",
                              .parameters = {{"key", team_key}},
                              .body = said_of_team(team)});
        if (!made) return made.error();
        present = services_.teams.find(context_, key, team_key);
        if (!present) return present.error();
    } else if (auto updated = update_team(key, team_key, team); !updated) {
        return updated;
    }
    const sdk::RecordKey group = (*present)->group;
    auto held = context_.authorities().direct_roles(key, group);
    if (!held) return held.error();
    for (const sdk::Json& role : team.value("roleKeys", sdk::Json::array())) {
        const std::string name = role.is_string() ? role.get<std::string>() : std::string();
        if (name.empty() || std::find(held->begin(), held->end(), name) != held->end()) continue;
        auto granted = ask(key, {.method = "POST",
                                 .path = "/teams/{teamKey}/authorities/{authorityId}/grant",
                                 .values = {team_key, name}});
        if (!granted) return granted.error();
    }
    if (!wanted_.has_team_members) return {};
    for (const sdk::Json& named : team.value("members", sdk::Json::array())) {
        if (auto left = context_.go_on(); !left) return left;
        auto member = find_principal(named, record.key);
        if (!member) return member.error();
        if (!*member) continue;
        auto is_in = context_.authorities().is_member(group, (*member)->key, false);
        if (!is_in) return is_in.error();
        if (*is_in) continue;
        auto joined = ask(key, {.method = "POST",
                                .path = "/teams/{teamKey}/members/add",
                                .values = {team_key},
                                .parameters = {{"id", (*member)->qualified_id()}}});
        if (!joined) return joined.error();
    }
    return {};
}

sdk::Result<void> Surroundings::update_team(const sdk::RecordKey& key, const std::string& team_key,
                                            const sdk::Json& team) {
    auto present = ask(key, {.path = "/teams/{teamKey}", .values = {team_key}});
    if (!present) return present.error();
    const sdk::Json before = said_of_team(*present);
    sdk::Json after = brought_up_to_date(before, said_of_team(team));
    if (after == before) return {};
    auto written = ask(key, {.method = "PUT",
                             .path = "/teams/{teamKey}",
                             .values = {team_key},
                             .body = std::move(after)});
    if (!written) return written.error();
    return {};
}

sdk::Result<void> Surroundings::bring_members(const TransferRecord& record,
                                              const sdk::RecordKey& key) {
    for (const sdk::Json& named : record.members) {
        if (auto left = context_.go_on(); !left) return left;
        auto member = find_principal(named, record.key);
        if (!member) return member.error();
        if (!*member) continue;
        auto is_in = context_.authorities().is_member(key, (*member)->key, false);
        if (!is_in) return is_in.error();
        if (*is_in) continue;
        auto joined = ask(key, {.method = "POST",
                                .path = "/members/add",
                                .parameters = {{"id", (*member)->qualified_id()}}});
        if (!joined) return joined.error();
    }
    return {};
}

sdk::Result<void> Surroundings::bring_grants(const sdk::Json& acl, const sdk::RecordKey& key,
                                             std::string_view about) {
    auto granted = grant(acl, key, about);
    if (granted) return granted;
    sdk::Error error = granted.error();
    error.message = sdk::shown_path(about) + ": " + error.message;
    return error;
}

sdk::Result<void> Surroundings::grant(const sdk::Json& acl, const sdk::RecordKey& key,
                                      std::string_view about) {
    if (acl.empty()) return {};
    if (auto may = require(key, about); !may) return may;
    for (const sdk::Json& entry : acl) {
        if (auto left = context_.go_on(); !left) return left;
        auto holder = find_principal(entry, about);
        if (!holder) return holder.error();
        if (!*holder) continue;
        auto held = context_.authorities().direct_roles(key, (*holder)->key);
        if (!held) return held.error();
        for (const sdk::Json& role : entry.value("authorities", sdk::Json::array())) {
            const std::string name = role.is_string() ? role.get<std::string>() : std::string();
            if (name.empty() || std::find(held->begin(), held->end(), name) != held->end())
                continue;
            auto granted = ask(key, {.method = "POST",
                                     .path = "/authorities/{authorityId}/grant",
                                     .values = {name},
                                     .parameters = {{"id", (*holder)->qualified_id()}}});
            if (!granted) return granted.error();
        }
    }
    return {};
}

sdk::Result<void> Surroundings::bring_files(const TransferRecord& record,
                                            const sdk::FamilyInfo& family,
                                            const sdk::RecordKey& key) {
    if (!family.has_attachments || !wanted_.takes_attachments()) return {};
    if (record.files.empty()) return {};
    auto present =
        ask(key, {.path = "/attachments", .parameters = {{"limit", "-1"}, {"metadata", "false"}}});
    if (!present) return present.error();
    const sdk::Json rows = present->value("rows", sdk::Json::array());
    for (const sdk::ContentItem::File& file : record.files) {
        const sdk::Attachment& attachment = file.attachment;
        auto is_here = has_file(key, rows, file);
        if (!is_here) return is_here.error();
        // Else the record would get a new version.
        if (*is_here) continue;
        auto attached = ask(key, {.method = "POST",
                                  .path = "/attachments/{attachmentId}",
                                  .values = {attachment.id},
                                  .parameters = {{"filename", attachment.file_name}},
                                  .bytes = file.open,
                                  .content_type = attachment.content_type});
        if (!attached) return attached.error();
    }
    return {};
}

sdk::Result<bool> Surroundings::has_file(const sdk::RecordKey& key, const sdk::Json& rows,
                                         const sdk::ContentItem::File& file) const {
    const sdk::Attachment& wanted = file.attachment;
    const bool is_told = std::any_of(rows.begin(), rows.end(), [&wanted](const sdk::Json& row) {
        const auto length = static_cast<std::int64_t>(wanted.length);
        return sdk::text_member(row, "attachmentId") == wanted.id &&
               sdk::text_member(row, "filename") == wanted.file_name &&
               sdk::text_member(row, "contentType") == wanted.content_type &&
               sdk::integer_member(row, "length") == length;
    });
    if (!is_told) return false;
    auto brought = file.open();
    if (!brought) return brought.error();
    auto here = pieces_of(services_.operations.on_record(
        context_, key, {.path = "/attachments/{attachmentId}", .values = {wanted.id}}));
    if (!here) return here.error();
    return are_same_bytes(*brought, *here);
}

sdk::Result<std::optional<sdk::Principal>> Surroundings::find_principal(const sdk::Json& named,
                                                                        std::string_view about) {
    const std::string domain = sdk::text_member(named, "domain");
    const std::string alias = sdk::text_member(named, "domainAlias");
    const std::string name = sdk::text_member(named, "name");
    const bool has_domain = identities_.knows(kDomain, domain);
    const std::string home =
        has_domain || alias.empty() ? identities_.here(kDomain, domain) : alias;
    const auto brought = principals_.find({domain, name});
    auto found = services_.principals.find(
        context_, brought == principals_.end() ? home + "/" + name : brought->second);
    if (found) return std::optional<sdk::Principal>(*std::move(found));
    if (!sdk::is_missing(found.error())) return found.error();
    auto left = leave_out(about, "there is no principal " + shown(home + "/" + name), kLeftOut);
    return left ? sdk::Result<std::optional<sdk::Principal>>(std::nullopt) : left.error();
}

sdk::Result<std::optional<std::string>> Surroundings::find_target(const sdk::Json& named,
                                                                  std::string_view about) {
    if (sdk::text_member(named, "type") != kTeam) {
        auto principal = find_principal(named, about);
        if (!principal) return principal.error();
        if (!*principal) return std::optional<std::string>();
        auto reference = context_.reference((*principal)->key);
        if (!reference) return reference.error();
        return std::optional<std::string>(*std::move(reference));
    }
    sdk::Json place{{"record", sdk::text_member(named, "record")}};
    identities_.rewrite(place);
    const std::string record = sdk::text_member(place, "record");
    const std::string key = sdk::text_member(named, "key");
    auto found = context_.find_reference(record);
    const bool is_unknown =
        !found && (sdk::is_missing(found.error()) || found.error().kind == sdk::ErrorKind::invalid);
    if (!found && !is_unknown) return found.error();
    if (found) {
        auto team = services_.teams.find(context_, *found, key);
        if (!team) return team.error();
        auto reference = context_.reference(*found);
        if (!reference) return reference.error();
        if (*team) return std::optional<std::string>(team_reference(*reference, key));
    }
    auto left = leave_out(about, shown(record) + " has no team " + shown(key), kLeftOut);
    return left ? sdk::Result<std::optional<std::string>>(std::nullopt) : left.error();
}

sdk::Result<void> Surroundings::assign_system(const sdk::Json& policies,
                                              const std::string& reference) const {
    if (!policies.is_array()) return {};
    for (const sdk::Json& policy : policies) {
        if (auto left = context_.go_on(); !left) return left;
        const std::string key = policy.is_string() ? policy.get<std::string>() : std::string();
        if (auto counted = outcome_.count_write(); !counted) return counted;
        if (auto assigned = assignments_.assign_system(key, reference); !assigned) return assigned;
    }
    return {};
}

sdk::Result<void> Surroundings::bring_assignments(const TransferRecord& record,
                                                  const sdk::FamilyInfo& family,
                                                  const sdk::RecordKey& key) {
    if (!wanted_.has_acls) return {};
    auto reference = context_.reference(key);
    if (!reference) return reference.error();
    if (family.container == services_.principals.home_type()) {
        if (auto given = assign_system(record.policies, *reference); !given) return given;
    }
    for (const sdk::Json& team : wanted_.has_teams ? record.teams : sdk::Json::array()) {
        const std::string team_key = sdk::text_member(team, "key");
        auto given = assign_system(team.value("policies", sdk::Json::array()),
                                   team_reference(*reference, team_key));
        if (!given) return given;
    }
    if (family.type != kAccessPolicy || record.targets.empty()) return {};
    if (auto may = require(context_.platform().root, record.key); !may) return may;
    for (const sdk::Json& named : record.targets) {
        if (auto left = context_.go_on(); !left) return left;
        auto target = find_target(named, record.key);
        if (!target) return target.error();
        if (!*target) continue;
        if (auto counted = outcome_.count_write(); !counted) return counted;
        if (auto assigned = assignments_.assign(key, **target); !assigned) return assigned;
    }
    return {};
}

}  // namespace stele::archives

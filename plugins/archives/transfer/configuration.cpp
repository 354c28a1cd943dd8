#include "transfer/configuration.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/passphrase_seal.hpp>

namespace stele::archives {

namespace {

constexpr std::size_t kMaxPassphraseBytes = 1024;
constexpr char kMalformed[] = "archives.transfer_setting_malformed";

/// Reads members of a body, and notes those that cannot be.
class Members {
public:
    explicit Members(const sdk::Json& body) : body_(body) {}

    void flag(const char* name, bool& value) {
        const auto member = find(name);
        if (!member) return;
        const bool is_text =
            member->is_string() && (sdk::equals_ignoring_case(member->get<std::string>(), "true") ||
                                    sdk::equals_ignoring_case(member->get<std::string>(), "false"));
        if (!member->is_boolean() && !is_text) return refuse(name, "must be true or false");
        value = sdk::flag_member(body_, name, value);
    }
    void text(const char* name, std::string& value) {
        const auto member = find(name);
        if (!member) return;
        if (!member->is_string()) return refuse(name, "must be a text");
        value = member->get<std::string>();
    }
    /// A number of milliseconds, or a time value with one.
    void time(const char* name, std::int64_t& value) {
        const auto member = find(name);
        if (!member) return;
        const bool is_empty = member->is_object() && member->empty();
        if (is_empty) return;
        const auto found = member->is_object() ? sdk::integer_member(*member, "ms")
                                               : sdk::integer_member(body_, name);
        if (!found || *found < 0)
            return refuse(name, "must be a time: milliseconds, or an object with ms");
        value = *found;
    }
    void texts(const char* name, std::vector<std::string>& values) {
        const auto member = find(name);
        if (!member) return;
        if (!member->is_array()) return refuse(name, "must be an array of texts");
        for (const sdk::Json& one : *member) {
            if (!one.is_string()) return refuse(name, "must be an array of texts");
            values.push_back(one.get<std::string>());
        }
    }
    /// The specification types it as an array, clients send a text.
    void strategy(sdk::TransferStrategy& value) {
        const auto member = find("strategy");
        if (!member || (member->is_array() && member->empty())) return;
        const sdk::Json& word = member->is_array() ? member->front() : *member;
        const std::string name =
            word.is_string() ? sdk::lower_case(word.get<std::string>()) : std::string();
        if (name == "clone") {
            value = sdk::TransferStrategy::clone;
        } else if (name == "copy_everything" || (name.empty() && word.is_string())) {
            value = sdk::TransferStrategy::copy_everything;
        } else {
            refuse("strategy", "must be COPY_EVERYTHING or CLONE");
        }
    }
    /// A map, or one as JSON text.
    void substitutions(std::map<std::string, std::string>& values) {
        const auto member = find("substitutions");
        if (!member) return;
        sdk::Json map = *member;
        if (map.is_string()) {
            auto parsed = sdk::parse_json(map.get<std::string>());
            map = parsed ? *std::move(parsed) : sdk::Json();
        }
        if (!map.is_object())
            return refuse("substitutions", "must be an object of texts, or one as JSON text");
        for (const auto& [from, to] : map.items()) {
            if (!to.is_string() || from.empty())
                return refuse("substitutions", "must map texts to texts");
            values[from] = to.get<std::string>();
        }
    }

    void passphrase(const char* name, std::string& value) {
        text(name, value);
        const auto member = find(name);
        if (!member || !member->is_string()) return;
        // A byte that continues a character counts for none.
        const auto characters = std::count_if(value.begin(), value.end(), [](char byte) {
            return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
        });
        const bool is_short =
            characters < static_cast<std::ptrdiff_t>(sdk::PassphraseSeal::kMinCharacters);
        if (is_short || value.size() > kMaxPassphraseBytes)
            violations_.push_back({name, "archives.passphrase_unfit",
                                   std::string(name) + " must have 12 characters or more, and at "
                                                       "most 1024 bytes"});
    }

    sdk::Result<void> finish() {
        if (violations_.empty()) return {};
        return sdk::make_error(std::move(violations_));
    }

private:
    /// Null is as good as missing.
    const sdk::Json* find(const char* name) const {
        const auto member = body_.find(name);
        return member == body_.end() || member->is_null() ? nullptr : &*member;
    }
    void refuse(const char* name, const char* problem) {
        violations_.push_back({name, kMalformed, std::string(name) + ' ' + problem});
    }

    const sdk::Json& body_;
    sdk::Violations violations_;
};

std::string either(const sdk::Call& call, const char* one, const char* other) {
    std::string value = call.parameter(one).value_or("");
    return value.empty() ? call.parameter(other).value_or("") : value;
}

}  // namespace

sdk::Result<TransferConfiguration> TransferConfiguration::read(const sdk::Json& body) {
    TransferConfiguration read;
    Members members(body);
    members.flag("includeACLs", read.has_acls);
    members.flag("includeTeams", read.has_teams);
    members.flag("includeTeamMembers", read.has_team_members);
    members.flag("includeRoles", read.has_roles);
    members.flag("includeActivities", read.has_activities);
    members.flag("includeBinaries", read.has_binaries);
    members.flag("includeAttachments", read.has_attachments);
    members.flag("copyBinaries", read.has_binaries);
    members.flag("copyAttachments", read.has_attachments);
    members.flag("tipChangesetOnly", read.is_tip_only);
    members.text("startChangeset", read.start_changeset);
    members.text("endChangeset", read.end_changeset);
    members.time("startDate", read.start_ms);
    members.time("endDate", read.end_ms);
    members.texts("selectedBranchIds", read.branches);
    members.flag("contentIncludeFolders", read.has_folders);
    members.flag("contentIncludeRelators", read.has_relators);
    members.flag("contentIncludeRelatingAssociations", read.has_relating_associations);
    members.flag("branchIncludeArchives", read.has_archived_branches);
    members.strategy(read.strategy);
    members.flag("copyOnExisting", read.copies_on_existing);
    members.substitutions(read.substitutions);
    members.flag("dryRun", read.is_dry_run);
    members.flag("requireAllIncludes", read.requires_all);
    members.flag("includeSourceIds", read.keeps_source_ids);
    members.flag("allowWriteToFrozenBranches", read.lifts_protection);
    members.passphrase("passphrase", read.passphrase);
    if (auto fine = members.finish(); !fine) return fine.error();
    return read;
}

sdk::Json TransferConfiguration::to_json() const {
    const auto time = [](std::int64_t ms) {
        return ms == 0 ? sdk::Json::object() : sdk::Json{{"ms", ms}};
    };
    const bool is_clone = strategy == sdk::TransferStrategy::clone;
    return {{"startDate", time(start_ms)},
            {"endDate", time(end_ms)},
            {"startChangeset", start_changeset},
            {"endChangeset", end_changeset},
            {"tipChangesetOnly", is_tip_only},
            {"includeACLs", has_acls},
            {"includeTeams", has_teams},
            {"includeTeamMembers", has_team_members},
            {"includeRoles", has_roles},
            {"includeActivities", has_activities},
            {"includeBinaries", has_binaries},
            {"includeAttachments", has_attachments},
            {"artifactDependencies", sdk::Json::array()},
            {"artifactIncludes", sdk::Json::array()},
            {"forceIncludes", false},
            {"strategy", sdk::Json::array({is_clone ? "CLONE" : "COPY_EVERYTHING"})},
            {"copyOnExisting", copies_on_existing},
            {"substitutions", sdk::dump_json(sdk::Json(substitutions))},
            {"dryRun", is_dry_run}};
}

TransferPlace TransferPlace::of(const sdk::Call& call) {
    TransferPlace place{.vault = either(call, "vaultId", "vault"),
                        .group = either(call, "groupId", "group"),
                        .artifact = either(call, "artifactId", "artifact"),
                        .version = either(call, "versionId", "version")};
    if (place.vault.empty()) place.vault = "primary";
    return place;
}

}  // namespace stele::archives

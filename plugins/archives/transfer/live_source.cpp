#include "transfer/live_source.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "paths/kept_keys.hpp"
#include "paths/locations.hpp"
#include "transfer/record_parts.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr char kEverything[] = "-1";

}  // namespace

sdk::Result<std::unique_ptr<LiveSource>> LiveSource::open(
    const TransferServices& services, sdk::Context& context,
    const std::vector<std::string>& references, const TransferConfiguration& wanted) {
    std::unique_ptr<LiveSource> source(new LiveSource(services, context, wanted));
    auto primary = context.documents().read({"domain", ""}, "primary");
    if (primary) source->primary_domain_ = primary->id;
    for (const std::string& reference : references) {
        if (auto added = source->add_subject(reference); !added) return added.error();
    }
    return source;
}

sdk::Result<void> LiveSource::add_subject(const std::string& reference) {
    auto key = context_.find_reference(reference);
    if (!key) return key.error();
    auto may = sdk::holds(context_, *key, sdk::Permission::read);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                               "there is no record " + reference);
    }
    auto family = services_.families.of(context_, *key);
    if (!family) return family.error();
    if (!*family || !(*family)->is_transferred) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.transfer_source_unfit",
                               "records like " + reference + " are not exported");
    }
    auto canonical = context_.reference(*key);
    if (!canonical) return canonical.error();
    auto chain = chain_of(*key);
    if (!chain) return chain.error();
    const ReferenceParts parts = reference_parts(*canonical);
    TransferSubject subject;
    subject.type = parts.word;
    subject.id = parts.ids.back();
    subject.key = *canonical;
    subject.chain = *std::move(chain);
    subjects_.push_back(std::move(subject));
    if (!(*family)->has_space) {
        roots_.push_back(*key);
        return {};
    }
    auto branch = services_.families.container_of(context_, *key);
    if (!branch) return branch.error();
    return add_content(**branch, parts.ids.back());
}

sdk::Result<void> LiveSource::add_content(const sdk::RecordKey& branch, const std::string& node) {
    for (Content& content : contents_) {
        if (content.branch != branch || content.nodes.empty()) continue;
        content.nodes.push_back(node);
        return {};
    }
    contents_.push_back({branch, {node}});
    return {};
}

sdk::Result<sdk::Json> LiveSource::chain_of(const sdk::RecordKey& key) const {
    auto references = references_to(context_, services_.families, key);
    if (!references) return references.error();
    sdk::Json chain = sdk::Json::array();
    for (const std::string& reference : *references) {
        const ReferenceParts parts = reference_parts(reference);
        chain.push_back({{"typeId", parts.word},
                         {"id", parts.ids.back()},
                         {"key", reference},
                         {"requires", sdk::Json::array()},
                         {"requiredBy", sdk::Json::array()}});
    }
    return chain;
}

sdk::Result<std::string> LiveSource::location_of(const sdk::RecordKey& key) const {
    auto above = services_.families.container_of(context_, key);
    if (!above) return above.error();
    if (!*above) return platform_location(context_.platform().id);
    auto container = location_of(**above);
    if (!container) return container;
    auto family = services_.families.of(context_, key);
    if (!family) return family.error();
    auto record = context_.documents().read(key);
    if (!record) return record.error();
    return record_location(*container, **family, record->fields, record->id);
}

sdk::Result<LiveSource::Place> LiveSource::place_of(const sdk::RecordKey& key) const {
    Place place{key, {}, {}};
    auto location = location_of(key);
    if (!location) return location.error();
    place.location = *std::move(location);
    auto above = services_.families.container_of(context_, key);
    if (!above) return above.error();
    if (!*above) return place;
    auto container = context_.reference(**above);
    if (!container) return container.error();
    place.container = *std::move(container);
    return place;
}

sdk::Result<void> LiveSource::for_each(const Visit& visit) {
    visited_ = sdk::TextTable(scratch_);
    std::erase_if(contents_, [](const Content& content) { return content.nodes.empty(); });
    omissions_ = {};
    told_.clear();
    for (const sdk::RecordKey& root : roots_) {
        auto place = place_of(root);
        if (!place) return place.error();
        if (auto walked = walk(*place, visit); !walked) return walked;
    }
    return {};
}

sdk::Result<void> LiveSource::walk(const Place& place, const Visit& visit) {
    if (auto left = context_.go_on(); !left) return left;
    auto is_visited = visited_.contains(place.key);
    if (!is_visited) return is_visited.error();
    if (*is_visited) return {};
    if (auto noted = visited_.put(place.key, {}); !noted) return noted;
    auto family = services_.families.of(context_, place.key);
    if (!family) return family.error();
    if (!*family || !(*family)->is_transferred) return {};
    auto fields = json_of(services_.operations.on_record(context_, place.key, {}));
    if (!fields && is_out_of_sight(fields.error())) return note_refused(place.key);
    if (!fields) return fields.error();
    TransferRecord record;
    record.type = (*family)->type;
    auto key = context_.reference(place.key);
    if (!key) return key.error();
    record.key = *std::move(key);
    record.id = reference_parts(record.key).ids.back();
    record.container = place.container;
    record.location = place.location;
    record.fields = *std::move(fields);
    for (const char* of_reply : {"ok", "_ref"})
        record.fields.erase(of_reply);
    for (const std::string& unmoved : (*family)->unmoved_members)
        record.fields.erase(unmoved);
    auto wanted = is_wanted(place.key, record, **family);
    if (!wanted) return wanted.error();
    if (!*wanted) return {};
    std::vector<sdk::RecordKey> outside;
    if (auto added = add_rights(place.key, **family, record); !added) return added;
    if (auto added = add_teams(place.key, **family, record); !added) return added;
    if (auto added = add_assignments(place.key, **family, record); !added) return added;
    if (auto added = add_secrets(place.key, **family, record); !added) return added;
    if (auto added = add_files(place.key, **family, record); !added) return added;
    if (auto added = add_companions(place.key, record, outside); !added) return added;
    if (auto told = told_.add(place.key); !told) return told;
    if (auto visited = visit(record); !visited) return visited;
    if (auto walked = walk_contained(place, record, **family, visit); !walked) return walked;
    for (const sdk::RecordKey& companion : outside) {
        auto beside = place_of(companion);
        if (!beside) return beside.error();
        if (auto walked = walk(*beside, visit); !walked) return walked;
    }
    return {};
}

sdk::Result<bool> LiveSource::is_wanted(const sdk::RecordKey& key, const TransferRecord& record,
                                        const sdk::FamilyInfo& family) const {
    if (family.type == kBranch) {
        const auto& branches = wanted_.branches;
        const bool is_chosen = branches.empty() || std::find(branches.begin(), branches.end(),
                                                             record.id) != branches.end();
        const bool is_subject = std::find(roots_.begin(), roots_.end(), key) != roots_.end();
        const bool is_archived = sdk::flag_member(record.fields, "archived", false);
        if (!is_chosen || (is_archived && !is_subject && !wanted_.has_archived_branches))
            return false;
    }
    // The record of an archive is nothing without its zip.
    if (family.type == kArchiveType && !wanted_.has_binaries) return false;
    // What contains others goes along with them.
    if (family.contained.empty()) {
        const std::int64_t at = sdk::system_ms(record.fields, "modified_on");
        const bool is_early = wanted_.start_ms > 0 && at < wanted_.start_ms;
        const bool is_late = wanted_.end_ms > 0 && at > wanted_.end_ms;
        if (is_early || is_late) return false;
    }
    // The groups behind teams come and go with these.
    const std::string& home = std::string(services_.principals.home_type());
    if (family.container != home || home.empty()) return true;
    auto team = services_.teams.team_of(context_, key);
    if (!team) return team.error();
    return !team->has_value();
}

sdk::Result<void> LiveSource::walk_contained(const Place& place, const TransferRecord& record,
                                             const sdk::FamilyInfo& family, const Visit& visit) {
    const bool is_subject = std::find(roots_.begin(), roots_.end(), place.key) != roots_.end();
    // An export of a platform is no export of all exports that lie in its vaults.
    if (family.type == kVault && !is_subject) return {};
    for (const std::string& type : family.contained) {
        const sdk::FamilyInfo* const inner = services_.families.find(type);
        if (!inner->is_transferred) continue;
        if (auto noted = note_reach({type, {}, place.key}); !noted) return noted;
        if (inner->has_space) {
            if (type == kNode) contents_.push_back({place.key, {}});
            continue;
        }
        KeptKeys keys(scratch_);
        auto listed = services_.families.for_each(
            context_, type, place.key, [&keys](const sdk::RecordKey& key) -> sdk::Result<bool> {
                auto kept = keys.add(key);
                return kept ? sdk::Result<bool>(true) : kept.error();
            });
        if (!listed) return listed;
        auto walked = keys.for_each([&](const sdk::RecordKey& key) -> sdk::Result<void> {
            auto document = context_.documents().read(key);
            if (!document) return document.error();
            return walk({key, record.key,
                         record_location(place.location, *inner, document->fields, document->id)},
                        visit);
        });
        if (!walked) return walked;
    }
    return {};
}

sdk::Result<void> LiveSource::note_reach(const sdk::CollectionName& collection) {
    auto reads_all = context_.documents().reads_all(collection);
    if (!reads_all) return reads_all.error();
    omissions_.may_be_partial = omissions_.may_be_partial || !*reads_all;
    return {};
}

/// What was READ and yet left out is told; what is hidden says nothing of itself.
sdk::Result<void> LiveSource::note_refused(const sdk::RecordKey& key) {
    auto may = sdk::holds(context_, key, sdk::Permission::read);
    if (!may) return sdk::is_missing(may.error()) ? sdk::Result<void>() : may.error();
    omissions_.may_be_partial = omissions_.may_be_partial || *may;
    return {};
}

sdk::Result<sdk::Json> LiveSource::rows(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                        sdk::InnerOperation operation) {
    if (!services_.operations.is_offered(family.type, true, operation)) return sdk::Json::array();
    operation.parameters.emplace_back("limit", kEverything);
    auto page = json_of(services_.operations.on_record(context_, key, operation));
    if (!page && is_out_of_sight(page.error())) {
        // Whoever may READ a record may still lack what its list of grants needs.
        if (auto noted = note_refused(key); !noted) return noted.error();
        return sdk::Json::array();
    }
    if (!page) return page.error();
    const auto rows = page->find("rows");
    return rows == page->end() ? sdk::Json::array() : *rows;
}

sdk::Json LiveSource::named(const sdk::Json& principal) const {
    sdk::Json name{{"type", sdk::text_member(principal, "type")},
                   {"domain", sdk::text_member(principal, "domainId")},
                   {"name", sdk::text_member(principal, "name")}};
    if (name["domain"] == primary_domain_) name["domainAlias"] = "primary";
    return name;
}

sdk::Result<void> LiveSource::add_rights(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                         TransferRecord& record) {
    if (wanted_.has_roles) {
        auto roles = rows(key, family, {.path = "/roles"});
        if (!roles) return roles.error();
        record.roles = *std::move(roles);
    }
    if (wanted_.has_team_members && reference_parts(record.key).word == kGroup) {
        auto members = members_of(key);
        if (!members) return members.error();
        record.members = *std::move(members);
    }
    if (!wanted_.has_acls) return {};
    auto acl = acl_of(key, family);
    if (!acl) return acl.error();
    record.acl = *std::move(acl);
    return {};
}

sdk::Result<sdk::Json> LiveSource::acl_of(const sdk::RecordKey& key,
                                          const sdk::FamilyInfo& family) {
    auto acl = rows(key, family, {.path = "/acl/list"});
    if (!acl) return acl;
    sdk::Json entries = sdk::Json::array();
    for (const sdk::Json& row : *acl) {
        auto holder = services_.principals.find(
            context_, sdk::text_member(row, "domainId") + "/" + sdk::text_member(row, "_doc"));
        if (!holder && sdk::is_missing(holder.error())) continue;
        if (!holder) return holder.error();
        // Groups of teams hold what their teams do.
        auto team = services_.teams.team_of(context_, holder->key);
        if (!team) return team.error();
        if (*team) continue;
        sdk::Json entry = named(row);
        entry["authorities"] = row.value("authorities", sdk::Json::array());
        entries.push_back(std::move(entry));
    }
    return entries;
}

sdk::Result<void> LiveSource::add_teams(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                        TransferRecord& record) {
    if (!wanted_.has_teams || !family.has_teams) return {};
    auto teams = rows(key, family, {.path = "/teams"});
    if (!teams) return teams.error();
    for (const sdk::Json& row : *teams) {
        sdk::Json team = said_of_team(row);
        team["key"] = sdk::text_member(row, "key");
        team["roleKeys"] = row.value("roleKeys", sdk::Json::array());
        team["members"] = sdk::Json::array();
        if (wanted_.has_team_members) {
            auto found = services_.teams.find(context_, key, sdk::text_member(row, "key"));
            if (!found) return found.error();
            auto members =
                *found ? members_of((*found)->group) : sdk::Result<sdk::Json>(sdk::Json::array());
            if (!members) return members.error();
            team["members"] = *std::move(members);
        }
        record.teams.push_back(std::move(team));
    }
    return {};
}

/// Members of a group that may be read, one by one: a list of them would hold their whole records.
sdk::Result<sdk::Json> LiveSource::members_of(const sdk::RecordKey& group) const {
    auto keys = context_.authorities().members(group, sdk::MemberKind::any, false);
    if (!keys) return keys.error();
    sdk::Json members = sdk::Json::array();
    for (const sdk::RecordKey& key : *keys) {
        auto may = sdk::holds(context_, key, sdk::Permission::read);
        if (!may) return may.error();
        if (!*may) continue;
        auto record = context_.documents().read(key);
        if (!record && sdk::is_missing(record.error())) continue;
        if (!record) return record.error();
        members.push_back(named(record->fields));
    }
    return members;
}

/// With the policy, or, where that is none of a client's, with those it is assigned to.
sdk::Result<void> LiveSource::add_assignments(const sdk::RecordKey& key,
                                              const sdk::FamilyInfo& family,
                                              TransferRecord& record) {
    if (!wanted_.has_acls) return {};
    for (sdk::Json& team : record.teams) {
        auto policies = assignments_.system_policies_of(
            team_reference(record.key, sdk::text_member(team, "key")));
        if (!policies) return policies.error();
        if (!policies->empty()) team["policies"] = *std::move(policies);
    }
    if (family.container == services_.principals.home_type()) {
        auto policies = assignments_.system_policies_of(record.key);
        if (!policies) return policies.error();
        record.policies = *std::move(policies);
    }
    if (family.type != kAccessPolicy) return {};
    auto targets = assignments_.targets_of(key, omissions_.may_be_partial);
    if (!targets) return targets.error();
    for (const sdk::Principal& target : *targets) {
        auto team = services_.teams.team_of(context_, target.key);
        if (!team) return team.error();
        if (!*team) {
            const bool is_user = target.kind == sdk::PrincipalKind::user;
            record.targets.push_back(named({{"type", is_user ? "USER" : "GROUP"},
                                            {"domainId", target.domain_id},
                                            {"name", target.name}}));
            continue;
        }
        auto of = context_.reference((*team)->record);
        if (!of) return of.error();
        record.targets.push_back({{"type", kTeam}, {"record", *of}, {"key", (*team)->key}});
    }
    return {};
}

sdk::Result<void> LiveSource::add_secrets(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                          TransferRecord& record) {
    if (wanted_.passphrase.empty() || !family.has_secrets) return {};
    auto secrets = services_.families.secrets(context_, key);
    if (!secrets && secrets.error().kind == sdk::ErrorKind::forbidden) {
        omissions_.lacks_secrets = true;
        return {};
    }
    if (!secrets) return secrets.error();
    record.secrets = *std::move(secrets);
    std::vector<std::string> names;
    for (const auto& [name, value] : record.secrets.items())
        names.push_back(name);
    return names.empty() ? sdk::Result<void>() : told_.add_secrets(key, names);
}

sdk::Result<void> LiveSource::add_files(const sdk::RecordKey& key, const sdk::FamilyInfo& family,
                                        TransferRecord& record) {
    if (family.type == kArchiveType && wanted_.has_binaries) {
        record.zip.emplace();
        record.zip->attachment.content_type = kArchiveContentType;
        record.zip->open = [this, key] {
            return pieces_of(services_.operations.on_record(context_, key, {.path = "/download"}));
        };
    }
    if (!wanted_.takes_attachments() || !family.has_attachments) return {};
    auto attachments = rows(key, family, {.path = "/attachments"});
    if (!attachments) return attachments.error();
    for (const sdk::Json& row : *attachments) {
        sdk::ContentItem::File file;
        file.attachment.id = sdk::text_member(row, "attachmentId");
        file.attachment.file_name = sdk::text_member(row, "filename");
        file.attachment.content_type = sdk::text_member(row, "contentType");
        file.attachment.length =
            static_cast<std::uint64_t>(sdk::integer_member(row, "length").value_or(0));
        file.open = [this, key, id = file.attachment.id] {
            return pieces_of(services_.operations.on_record(
                context_, key, {.path = "/attachments/{attachmentId}", .values = {id}}));
        };
        record.files.push_back(std::move(file));
    }
    return {};
}

sdk::Result<void> LiveSource::add_companions(const sdk::RecordKey& key, TransferRecord& record,
                                             std::vector<sdk::RecordKey>& outside) {
    auto companions = services_.families.companions(context_, key);
    if (!companions) return companions.error();
    if (!companions->empty()) {
        // They lie anywhere on the platform; which families they are of is told by none of them.
        for (const std::string& type : services_.families.find(kPlatform)->contained) {
            auto noted = note_reach({type, {}, context_.platform().root});
            if (!noted) return noted;
        }
    }
    for (const sdk::Companion& companion : *companions) {
        auto above = services_.families.container_of(context_, companion.record);
        if (!above) return above.error();
        // What may not be read the walk leaves out.
        if (*above != key) outside.push_back(companion.record);
        auto may = sdk::holds(context_, companion.record, sdk::Permission::read);
        if (!may) return may.error();
        if (!*may) continue;
        auto reference = context_.reference(companion.record);
        if (!reference) return reference.error();
        record.companions[companion.name] = *std::move(reference);
    }
    return {};
}

}  // namespace stele::archives

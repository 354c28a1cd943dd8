#include "transfer/import_run.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "transfer/locations.hpp"
#include "transfer/record_parts.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr std::size_t kMaxNotes = 1000;
/// How often records are looked through for those whose turn has come.
constexpr std::size_t kMaxPasses = 10;

bool is_content(std::string_view type) {
    return type == kNode || type == kAssociation;
}

/// Members that are the server's, wherever a record goes.
void drop_servers_members(sdk::Json& fields, const sdk::FamilyInfo& family) {
    for (const char* name : {"_system", "_doc", "platformId", "_ref"})
        fields.erase(name);
    for (const std::string& unmoved : family.unmoved_members)
        fields.erase(unmoved);
    if (!family.container.empty() && family.container != kPlatform)
        fields.erase(family.container + "Id");
}

/// What a record says, without what tells of its place and its past.
sdk::Json said(sdk::Json fields, const sdk::FamilyInfo& family) {
    drop_servers_members(fields, family);
    fields.erase("ok");
    return fields;
}

}  // namespace

ImportOutcome::ImportOutcome() : imports(sdk::Json::array()) {}

void ImportOutcome::note(std::string text) {
    if (notes.size() < kMaxNotes) notes.push_back(std::move(text));
}

ImportRun::ImportRun(const TransferServices& services, sdk::Context& context,
                     TransferSource& source, const TransferConfiguration& wanted,
                     sdk::RecordKey target, Progress progress)
    : services_(services),
      context_(context),
      source_(source),
      wanted_(wanted),
      target_(std::move(target)),
      progress_(std::move(progress)),
      identities_(wanted.substitutions, context.platform().id) {}

sdk::Result<ImportOutcome> ImportRun::run() {
    if (auto looked = look_at_target(); !looked) return looked.error();
    if (auto checked = check_subjects(); !checked) return checked.error();
    if (auto brought = bring_records(); !brought) return brought.error();
    if (auto brought = bring_rights(); !brought) return brought.error();
    if (auto brought = bring_content(); !brought) return brought.error();
    if (auto told = tell_subjects(); !told) return told.error();
    for (std::string& note : source_.notes())
        outcome_.note(std::move(note));
    return std::move(outcome_);
}

sdk::Error ImportRun::about(sdk::Error error, std::string_view key) const {
    error.message = std::string(key) + ": " + error.message;
    return error;
}

sdk::Result<void> ImportRun::look_at_target() {
    auto family = services_.families.of(context_, target_);
    if (!family) return family.error();
    target_family_ = *family;
    if (target_family_) return {};
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           "the target of the import is gone");
}

/// Onto a record of the same family, or into the container of such records. Content goes into
/// branches, and below nodes.
sdk::Result<void> ImportRun::check_subjects() const {
    if (source_.subjects().empty()) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.transfer_sources_missing",
                               "the archive does not say what it is about: its manifest has no "
                               "sources");
    }
    const std::string& target = target_family_->type;
    for (const TransferSubject& subject : source_.subjects()) {
        if (is_content(subject.type)) {
            if (target == kBranch || target == kNode || target == kRepository) continue;
        } else if (const sdk::FamilyInfo* const family =
                       services_.families.find_word(subject.type)) {
            if (family->type == target || family->container == target) continue;
        } else {
            return sdk::make_error(sdk::ErrorKind::invalid, "archives.transfer_type_unknown",
                                   "no enabled plugin offers " + subject.type);
        }
        return sdk::make_error(
            sdk::ErrorKind::invalid, "archives.transfer_target_unfit",
            "a " + subject.type + " goes neither into a " + target + " nor onto one");
    }
    return {};
}

bool ImportRun::is_subject(const std::string& key) const {
    return std::any_of(source_.subjects().begin(), source_.subjects().end(),
                       [&key](const TransferSubject& subject) { return subject.key == key; });
}

sdk::Result<sdk::Json> ImportRun::ask(const sdk::RecordKey& record,
                                      sdk::InnerOperation operation) const {
    return json_of(services_.operations.on_record(context_, record, operation));
}

sdk::Result<void> ImportRun::bring_records() {
    auto expected = source_.for_each([this](const TransferRecord& record) -> sdk::Result<void> {
        if (record.type != kPlatform) identities_.expect(record.id);
        expected_records_.insert(record.key);
        return {};
    });
    if (!expected) return expected;
    // Those that name others which have still to come wait for them, as long as that helps.
    Patience patience = Patience::everything;
    std::size_t left = static_cast<std::size_t>(-1);
    for (std::size_t pass = 1;; ++pass) {
        const bool helps = pass == 1 || (waiting_ < left && pass < kMaxPasses);
        if (!helps) {
            patience = patience == Patience::everything ? Patience::required : Patience::none;
        }
        left = helps && pass > 1 ? waiting_ : static_cast<std::size_t>(-1);
        waiting_ = 0;
        auto brought = source_.for_each([&](const TransferRecord& record) -> sdk::Result<void> {
            if (auto goes_on = context_.go_on(); !goes_on) return goes_on;
            if (records_.contains(record.key) || left_out_.contains(record.key)) return {};
            if (left_out_.contains(record.container)) {
                left_out_.insert(record.key);
                return {};
            }
            if (patience != Patience::none && must_wait(record, patience)) {
                ++waiting_;
                return {};
            }
            if (auto one = bring_record(record); !one) return about(one.error(), record.key);
            return progress_(++done_);
        });
        if (!brought || waiting_ == 0) return brought;
    }
}

/// What belongs to it comes after it, so that is not waited for.
bool ImportRun::must_wait(const TransferRecord& record, Patience patience) const {
    const bool is_contained =
        expected_records_.contains(record.container) && !records_.contains(record.container);
    if (is_contained) return true;
    if (arrived_.contains(record.key)) return false;
    const sdk::FamilyInfo& family = *services_.families.find(record.type);
    sdk::Json fields = said(record.fields, family);
    std::set<std::string> outstanding = identities_.rewrite(fields);
    if (patience == Patience::required) {
        return std::any_of(family.required_fields.begin(), family.required_fields.end(),
                           [&](const std::string& name) {
                               return record.fields.contains(name) && !fields.contains(name);
                           });
    }
    outstanding.erase(record.id);
    for (const auto& [name, companion] : record.companions)
        outstanding.erase(reference_parts(companion).ids.back());
    return !outstanding.empty();
}

sdk::Result<ImportRun::Destination> ImportRun::destination_of(const TransferRecord& record) const {
    Destination destination;
    if (const auto arrived = arrived_.find(record.key); arrived != arrived_.end()) {
        destination.present = arrived->second;
        return destination;
    }
    if (is_subject(record.key)) {
        if (record.type == target_family_->type) {
            destination.present = target_;
        } else {
            destination.container = target_;
        }
        return destination;
    }
    if (const auto around = records_.find(record.container); around != records_.end()) {
        destination.container = around->second;
        return destination;
    }
    // What belongs to a subject lies beside it, on the platform.
    const sdk::FamilyInfo* const family = services_.families.find(record.type);
    if (family->container == kPlatform) {
        destination.container = context_.platform().root;
        return destination;
    }
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.transfer_container_missing",
                           "what it lies in is not in the archive");
}

sdk::Result<std::optional<sdk::RecordKey>> ImportRun::find_present(
    const TransferRecord& record, const sdk::FamilyInfo& family,
    const sdk::RecordKey& container) const {
    const sdk::CollectionName collection{family.type, {}, container};
    if (is_clone()) {
        auto found = context_.documents().read(collection, record.id);
        if (!found && !sdk::is_missing(found.error())) return found.error();
        if (found) return std::optional<sdk::RecordKey>(found->key);
    } else if (wanted_.copies_on_existing) {
        return std::optional<sdk::RecordKey>();
    }
    // There cannot be two of the name.
    for (const std::string& field : family.unique_fields) {
        const auto value = record.fields.find(field);
        if (value == record.fields.end() || !value->is_string()) continue;
        sdk::PageRequest first;
        first.limit = 1;
        auto found = context_.documents().query(collection, {{field, *value}}, first);
        if (!found) return found.error();
        if (!found->rows.empty()) return std::optional<sdk::RecordKey>(found->rows.front().key);
    }
    return std::optional<sdk::RecordKey>();
}

sdk::Result<void> ImportRun::bring_record(const TransferRecord& record) {
    const sdk::FamilyInfo* const family = services_.families.find(record.type);
    auto destination = destination_of(record);
    if (!destination) return destination.error();
    std::optional<sdk::RecordKey> present = destination->present;
    if (!present) {
        auto found = find_present(record, *family, destination->container);
        if (!found) return found.error();
        present = *std::move(found);
    }
    const bool is_made_otherwise = family->type == kBranch || family->type == kArchiveType;
    if (!present && !family->is_created && !is_made_otherwise) {
        // The server makes them itself.
        left_out_.insert(record.key);
        ++outcome_.skipped;
        return {};
    }
    if (!present) {
        auto made = create(record, *family, destination->container);
        if (!made) return made.error();
        present = *std::move(made);
        ++outcome_.created;
    } else if (auto updated = update(record, *present); !updated) {
        return updated;
    }
    records_[record.key] = *present;
    if (record.type != kPlatform) {
        auto here = context_.documents().read(*present);
        if (!here) return here.error();
        identities_.meet(record.id, here->id);
    }
    return meet_companions(record, *present);
}

sdk::Result<sdk::RecordKey> ImportRun::fork_branch(const TransferRecord& record,
                                                   const sdk::RecordKey& repository) {
    sdk::Json fields = said(record.fields, *services_.families.find(kBranch));
    for (const char* of_place : {"root", "root-branch", "join-branch", "tip", "type"})
        fields.erase(of_place);
    if (!identities_.rewrite(fields).empty()) unfinished_.insert(record.key);
    auto made = json_of(services_.operations.on_collection(
        context_, kBranch, repository,
        {.method = "POST",
         .parameters = {{"branch", "master"}, {"changeset", "0:root"}},
         .body = std::move(fields)}));
    if (!made) return made.error();
    auto key =
        context_.documents().read({kBranch, {}, repository}, sdk::text_member(*made, "_doc"));
    if (!key) return key.error();
    return key->key;
}

/// An archive is made by an upload, under its coordinates.
sdk::Result<sdk::RecordKey> ImportRun::upload_archive(const TransferRecord& record,
                                                      const sdk::RecordKey& vault) {
    if (!record.zip) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.zip_missing",
                               "the zip of the archive is not there");
    }
    sdk::InnerOperation upload{
        .method = "POST", .bytes = record.zip->open, .content_type = kArchiveContentType};
    for (const char* name : {"group", "artifact", "version", "type", "title", "description"}) {
        const std::string text = sdk::text_member(record.fields, name);
        if (!text.empty()) upload.parameters.emplace_back(name, text);
    }
    const bool is_published = sdk::flag_member(record.fields, "published", false);
    upload.parameters.emplace_back("published", is_published ? "true" : "false");
    auto made = json_of(services_.operations.on_collection(context_, kArchiveType, vault, upload));
    if (!made) return made.error();
    auto key =
        context_.documents().read({kArchiveType, {}, vault}, sdk::text_member(*made, "_doc"));
    if (!key) return key.error();
    return key->key;
}

sdk::Result<sdk::RecordKey> ImportRun::create(const TransferRecord& record,
                                              const sdk::FamilyInfo& family,
                                              const sdk::RecordKey& container) {
    if (family.type == kBranch) return fork_branch(record, container);
    if (family.type == kArchiveType) return upload_archive(record, container);
    sdk::Json fields = said(record.fields, family);
    if (!identities_.rewrite(fields).empty()) unfinished_.insert(record.key);
    if (is_clone()) fields["_doc"] = record.id;
    if (wanted_.keeps_source_ids) fields["_source_doc"] = record.id;
    auto made = json_of(services_.operations.on_collection(
        context_, family.type, container, {.method = "POST", .body = std::move(fields)}));
    if (!made) return made.error();
    auto key =
        context_.documents().read({family.type, {}, container}, sdk::text_member(*made, "_doc"));
    if (!key) return key.error();
    return key->key;
}

sdk::Result<void> ImportRun::update(const TransferRecord& record, const sdk::RecordKey& present) {
    const sdk::FamilyInfo* const family = services_.families.find(record.type);
    // A branch that is the target itself takes content; what it is called stays.
    const bool keeps_target = wanted_.keeps_target || record.type == kBranch;
    if ((keeps_target && present == target_) || !family->is_updated) {
        ++outcome_.skipped;
        return {};
    }
    auto before = ask(present, {});
    if (!before) return before.error();
    const sdk::Json is_said = said(*before, *family);
    sdk::Json fields = said(record.fields, *family);
    if (!identities_.rewrite(fields).empty()) unfinished_.insert(record.key);
    // What it does not say, the record keeps: members of the server, and those that came with it.
    sdk::Json after = is_said;
    for (auto& [name, value] : fields.items())
        after[name] = value;
    if (after == is_said) {
        ++outcome_.skipped;
        return {};
    }
    auto written = ask(present, {.method = "PUT", .body = after});
    if (!written) return written.error();
    // What the server keeps as it was is no change.
    const bool is_changed = said(*written, *family) != is_said;
    ++(is_changed ? outcome_.updated : outcome_.skipped);
    return {};
}

sdk::Result<void> ImportRun::meet_companions(const TransferRecord& record,
                                             const sdk::RecordKey& key) {
    if (record.companions.empty()) return {};
    auto companions = services_.families.companions(context_, key);
    if (!companions) return companions.error();
    for (const sdk::Companion& companion : *companions) {
        const auto wanted = record.companions.find(companion.name);
        if (wanted == record.companions.end() || records_.contains(wanted->second)) continue;
        arrived_[wanted->second] = companion.record;
    }
    return {};
}

sdk::Result<void> ImportRun::bring_rights() {
    return source_.for_each([this](const TransferRecord& record) -> sdk::Result<void> {
        if (auto left = context_.go_on(); !left) return left;
        const auto key = records_.find(record.key);
        if (key == records_.end()) return {};
        if (auto completed = complete_record(record, key->second); !completed)
            return about(completed.error(), record.key);
        return {};
    });
}

sdk::Result<void> ImportRun::complete_record(const TransferRecord& record,
                                             const sdk::RecordKey& key) {
    const sdk::FamilyInfo* const family = services_.families.find(record.type);
    if (unfinished_.contains(record.key)) {
        const std::uint64_t updated = outcome_.updated;
        const std::uint64_t skipped = outcome_.skipped;
        if (auto written = update(record, key); !written) return written;
        // It was counted when it came.
        outcome_.updated = updated;
        outcome_.skipped = skipped;
    }
    for (const auto& [name, companion] : record.companions) {
        const auto here = records_.find(companion);
        if (here == records_.end()) continue;
        auto present = services_.families.companions(context_, key);
        if (!present) return present.error();
        const bool is_there =
            std::any_of(present->begin(), present->end(),
                        [&](const sdk::Companion& one) { return one.record == here->second; });
        if (is_there) continue;
        auto joined = services_.families.accompany(context_, key, {name, here->second});
        if (!joined) return joined;
    }
    if (wanted_.has_roles) {
        if (auto brought = bring_roles(record, *family, key); !brought) return brought;
    }
    if (wanted_.has_teams) {
        for (const sdk::Json& team : record.teams) {
            if (auto brought = bring_team(record, *family, key, team); !brought) return brought;
        }
    }
    if (auto brought = bring_members(record, key); !brought) return brought;
    if (wanted_.has_acls) {
        if (auto brought = bring_grants(record.acl, key, record.key); !brought) return brought;
    }
    return bring_files(record, *family, key);
}

sdk::Result<void> ImportRun::bring_roles(const TransferRecord& record,
                                         const sdk::FamilyInfo& family, const sdk::RecordKey& key) {
    if (!family.has_roles) return {};
    for (const sdk::Json& role : record.roles) {
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

sdk::Result<void> ImportRun::bring_team(const TransferRecord& record, const sdk::FamilyInfo& family,
                                        const sdk::RecordKey& key, const sdk::Json& team) {
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

sdk::Result<void> ImportRun::update_team(const sdk::RecordKey& key, const std::string& team_key,
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

sdk::Result<void> ImportRun::bring_members(const TransferRecord& record,
                                           const sdk::RecordKey& key) {
    for (const sdk::Json& named : record.members) {
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

sdk::Result<void> ImportRun::bring_grants(const sdk::Json& acl, const sdk::RecordKey& key,
                                          std::string_view about) {
    for (const sdk::Json& entry : acl) {
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

sdk::Result<void> ImportRun::bring_files(const TransferRecord& record,
                                         const sdk::FamilyInfo& family, const sdk::RecordKey& key) {
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

sdk::Result<bool> ImportRun::has_file(const sdk::RecordKey& key, const sdk::Json& rows,
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

sdk::Result<std::optional<sdk::Principal>> ImportRun::find_principal(const sdk::Json& named,
                                                                     std::string_view about) {
    const std::string domain = sdk::text_member(named, "domain");
    const std::string alias = sdk::text_member(named, "domainAlias");
    const std::string name = sdk::text_member(named, "name");
    const bool is_brought = identities_.knows(domain);
    const std::string home = is_brought || alias.empty() ? identities_.here(domain) : alias;
    auto found = services_.principals.find(context_, home + "/" + name);
    if (found) return std::optional<sdk::Principal>(*std::move(found));
    if (!sdk::is_missing(found.error())) return found.error();
    outcome_.note(std::string(about) + ": there is no principal " + home + "/" + name +
                  "; what it had was left out");
    return std::optional<sdk::Principal>();
}

sdk::Result<void> ImportRun::bring_content() {
    return source_.for_each_content(
        [this](const TransferContent& content) { return bring_content_of(content); });
}

sdk::Result<void> ImportRun::bring_content_of(const TransferContent& content) {
    sdk::ContentTransfer* const transfer = services_.content();
    if (!transfer) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.transfer_type_unknown",
                               "no enabled plugin keeps nodes");
    }
    sdk::ContentTarget target;
    target.strategy = wanted_.strategy;
    target.copies_on_existing = wanted_.copies_on_existing;
    target.substitutions = wanted_.substitutions;
    target.subjects = content.nodes;
    target.requires_all = wanted_.requires_all;
    target.keeps_source_ids = wanted_.keeps_source_ids;
    target.lifts_protection = wanted_.lifts_protection;
    target.has_attachments = wanted_.takes_attachments();
    const auto brought = records_.find(content.branch);
    if (brought != records_.end()) {
        target.branch = brought->second;
    } else if (target_family_->type == kBranch) {
        target.branch = target_;
    } else if (target_family_->type == kRepository) {
        auto master = context_.documents().read({kBranch, {}, target_}, "master");
        if (!master) return master.error();
        target.branch = master->key;
    } else {
        auto node = context_.documents().read(target_);
        if (!node) return node.error();
        auto branch = services_.families.container_of(context_, target_);
        if (!branch) return branch.error();
        target.branch = **branch;
        target.folder = node->id;
    }
    auto report = transfer->import(context_, content.source, target);
    if (!report) return report.error();
    outcome_.created += report->created;
    outcome_.updated += report->updated;
    outcome_.skipped += report->skipped;
    for (std::string& note : report->notes)
        outcome_.note(std::move(note));
    auto branch = context_.reference(target.branch);
    if (!branch) return branch.error();
    ReferenceParts parts = reference_parts(*branch);
    parts.word = kNode;
    parts.ids.emplace_back();
    const std::set<std::string> subjects(content.nodes.begin(), content.nodes.end());
    for (const auto& [id, here] : report->ids) {
        parts.ids.back() = here;
        if (subjects.contains(id)) subject_ids_[id] = parts.text();
        if (!wanted_.has_acls) continue;
        auto acl = content.acl(id);
        if (!acl) return acl.error();
        if (acl->empty()) continue;
        auto key = context_.find_reference(parts.text());
        if (!key) return key.error();
        if (auto granted = bring_grants(*acl, *key, parts.text()); !granted) return granted;
    }
    done_ += report->created + report->updated + report->skipped;
    return progress_(done_);
}

sdk::Result<sdk::Json> ImportRun::target_chain(const sdk::RecordKey& key) const {
    std::vector<sdk::Json> inwards;
    std::optional<sdk::RecordKey> step = key;
    while (step) {
        auto reference = context_.reference(*step);
        if (!reference) return reference.error();
        const ReferenceParts parts = reference_parts(*reference);
        inwards.push_back({{"typeId", parts.word}, {"id", parts.ids.back()}, {"ref", *reference}});
        auto above = services_.families.container_of(context_, *step);
        if (!above) return above.error();
        step = *std::move(above);
    }
    std::reverse(inwards.begin(), inwards.end());
    return sdk::Json(inwards);
}

sdk::Result<void> ImportRun::tell_subjects() {
    for (const TransferSubject& subject : source_.subjects()) {
        sdk::RecordKey here;
        if (is_content(subject.type)) {
            const auto id = subject_ids_.find(subject.id);
            if (id == subject_ids_.end()) return subject_missing(subject);
            auto key = context_.find_reference(id->second);
            if (!key) return key.error();
            here = *std::move(key);
        } else {
            const auto key = records_.find(subject.key);
            if (key == records_.end()) return subject_missing(subject);
            here = key->second;
        }
        sdk::Json sources = sdk::Json::array();
        for (const sdk::Json& link : subject.chain) {
            sources.push_back({{"typeId", sdk::text_member(link, "typeId")},
                               {"id", sdk::text_member(link, "id")},
                               {"ref", sdk::text_member(link, "key")}});
        }
        auto targets = target_chain(here);
        if (!targets) return targets.error();
        outcome_.imports.push_back(
            {{"sources", std::move(sources)}, {"targets", *std::move(targets)}});
    }
    return {};
}

}  // namespace stele::archives

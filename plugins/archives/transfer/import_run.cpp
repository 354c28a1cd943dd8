#include "transfer/import_run.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "paths/locations.hpp"
#include "transfer/record_parts.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

/// How often records are looked through for those whose turn has come.
constexpr std::size_t kMaxPasses = 10;

/// Imports that the thread runs.
thread_local std::size_t running = 0;

class Running {
public:
    Running() { ++running; }
    ~Running() { --running; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
};

}  // namespace

ImportRun::ImportRun(const TransferServices& services, sdk::Context& context,
                     TransferSource& source, const TransferConfiguration& wanted,
                     sdk::RecordKey target, Progress progress)
    : services_(services),
      context_(context),
      source_(source),
      wanted_(wanted),
      target_(std::move(target)),
      progress_(std::move(progress)),
      identities_(wanted.substitutions, context.platform().id,
                  [this](const std::string& word) { return chain_types(word); }),
      surroundings_(services, context, wanted, identities_, outcome_) {
    source_.set_step([this] { return move_on(); });
}

ImportRun::~ImportRun() {
    source_.set_step({});
}

std::vector<std::string> ImportRun::chain_types(const std::string& word) const {
    std::vector<std::string> types;
    // A changeset lies in its repository, and is no record.
    if (word == "changeset") types.push_back(word);
    const sdk::FamilyInfo* family = services_.families.find_word(word == "changeset" ? kRepository
                                                                 : word == kAssociation ? kNode
                                                                                        : word);
    while (family) {
        types.push_back(family->type);
        family = family->container.empty() ? nullptr : services_.families.find(family->container);
    }
    std::reverse(types.begin(), types.end());
    return types;
}

bool ImportRun::is_running() {
    return running > 0;
}

sdk::Result<ImportOutcome> ImportRun::run() {
    const Running here;
    if (auto brought = bring(); !brought) return brought.error();
    for (std::string& note : source_.notes())
        outcome_.note(std::move(note));
    return std::move(outcome_);
}

sdk::Result<void> ImportRun::bring() {
    for (const TransferSubject& subject : source_.subjects())
        subjects_.insert(subject.key);
    if (auto looked = look_at_target(); !looked) return looked.error();
    if (auto checked = check_subjects(); !checked) return checked.error();
    if (sdk::ContentTransfer* const content = services_.content()) {
        if (auto expected = content->expect(context_); !expected) return expected.error();
    }
    if (auto brought = bring_records(); !brought) return brought.error();
    if (auto brought = bring_rights(); !brought) return brought.error();
    if (auto brought = bring_assignments(); !brought) return brought.error();
    if (auto brought = bring_content(); !brought) return brought.error();
    if (auto closed = protect_branches(); !closed) return closed.error();
    return tell_subjects();
}

sdk::Result<void> ImportRun::tried(const std::string& key, sdk::Result<void> done) {
    if (done || !wanted_.is_dry_run || !sdk::is_refusal(done.error())) return done;
    outcome_.refuse(key, done.error());
    refused_.insert(key);
    return {};
}

sdk::Error ImportRun::about(sdk::Error error, std::string_view key) const {
    error.message = sdk::shown_path(key) + ": " + error.message;
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
                                   "no enabled plugin offers " + sdk::shown_path(subject.type));
        }
        return sdk::make_error(
            sdk::ErrorKind::invalid, "archives.transfer_target_unfit",
            "a " + subject.type + " goes neither into a " + target + " nor onto one");
    }
    return {};
}

bool ImportRun::is_subject(const std::string& key) const {
    return subjects_.contains(key);
}

sdk::Result<sdk::Json> ImportRun::ask(const sdk::RecordKey& record,
                                      sdk::InnerOperation operation) const {
    return json_of(services_.operations.on_record(context_, record, operation));
}

sdk::Result<void> ImportRun::bring_records() {
    auto expected = source_.for_each([this](const TransferRecord& record) -> sdk::Result<void> {
        if (record.type != kPlatform) identities_.expect(record.type, record.id);
        expected_records_.insert(record.key);
        for (const auto& [name, companion] : record.companions)
            owners_.emplace(companion, record.key);
        return {};
    });
    if (!expected) return expected;
    total_ = expected_records_.size();
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
            if (auto moved = move_on(); !moved) return moved;
            if (records_.contains(record.key) || left_out_.contains(record.key)) return {};
            if (left_out_.contains(record.container)) {
                left_out_.insert(record.key);
                return {};
            }
            if (patience != Patience::none && must_wait(record, patience)) {
                ++waiting_;
                return {};
            }
            auto one = tried(record.key, bring_record(record));
            if (!one) return about(one.error(), record.key);
            if (refused_.contains(record.key)) left_out_.insert(record.key);
            return progress_(++done_, total_);
        });
        if (!brought || waiting_ == 0) return brought;
    }
}

/// What belongs to it comes after it, so that is not waited for.
bool ImportRun::must_wait(const TransferRecord& record, Patience patience) const {
    const bool is_contained =
        expected_records_.contains(record.container) && !records_.contains(record.container);
    if (is_contained) return true;
    const auto owner = owners_.find(record.key);
    const bool is_early = owner != owners_.end() && owner->second != record.key &&
                          !records_.contains(owner->second) && !left_out_.contains(owner->second);
    if (is_early) return true;
    if (arrived_.contains(record.key)) return false;
    const sdk::FamilyInfo& family = *services_.families.find(record.type);
    sdk::Json fields = said_of_record(record.fields, family);
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

sdk::Result<std::optional<ImportRun::Destination>> ImportRun::destination_of(
    const TransferRecord& record) const {
    Destination destination;
    if (const auto arrived = arrived_.find(record.key); arrived != arrived_.end()) {
        auto family = services_.families.of(context_, arrived->second);
        if (!family) return family.error();
        if (*family && (*family)->type == record.type) {
            destination.present = arrived->second;
            return std::optional(destination);
        }
    }
    if (is_subject(record.key)) {
        if (record.type == target_family_->type) {
            destination.present = target_;
        } else {
            destination.container = target_;
        }
        return std::optional(destination);
    }
    if (const auto around = records_.find(record.container); around != records_.end()) {
        destination.container = around->second;
        return std::optional(destination);
    }
    // What belongs to a record that comes lies beside it, on the platform.
    const sdk::FamilyInfo* const family = services_.families.find(record.type);
    if (!belonging_.contains(record.key) || family->container != kPlatform)
        return std::optional<Destination>();
    destination.container = context_.platform().root;
    return std::optional(destination);
}

sdk::Result<std::optional<sdk::RecordKey>> ImportRun::find_present(
    const TransferRecord& record, const sdk::FamilyInfo& family,
    const sdk::RecordKey& container) const {
    const sdk::CollectionName collection{family.type, {}, container};
    if (is_clone()) {
        auto found = context_.documents().read(collection, record.id);
        if (!found && !sdk::is_missing(found.error())) return found.error();
        if (found) return std::optional<sdk::RecordKey>(found->key);
        if (family.type == kArchiveType) return find_archive(record, container);
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
    if (auto fits = check_parts(record); !fits) return fits;
    const sdk::FamilyInfo* const family = services_.families.find(record.type);
    auto destination = destination_of(record);
    if (!destination) return destination.error();
    if (!*destination) {
        outcome_.note(record.key + " was left out: it is nothing that the archive is about");
        left_out_.insert(record.key);
        return {};
    }
    const sdk::RecordKey container = (*destination)->container;
    std::optional<sdk::RecordKey> present = (*destination)->present;
    const bool is_made_otherwise = family->type == kBranch || family->type == kArchiveType;
    if (!present && !family->is_created && !is_made_otherwise) {
        // The server makes them itself, and writes to them meanwhile: to look at those that are
        // there already would make each such write a conflict.
        left_out_.insert(record.key);
        ++outcome_.skipped;
        return {};
    }
    if (!present) {
        auto found = find_present(record, *family, container);
        if (!found) return found.error();
        present = *std::move(found);
    }
    if (auto counted = outcome_.count_write(record.fields); !counted) return counted;
    note_open_secrets(record, *family);
    bool is_created = false;
    if (!present) {
        auto made = create(record, *family, container);
        if (!made) return made.error();
        present = *std::move(made);
        is_created = true;
    } else {
        auto updated = record.type == kArchiveType ? update_archive(record, *present)
                                                   : update(record, *present);
        if (!updated) return updated;
    }
    if (!kept_.contains(record.key)) {
        if (auto restored = restore_secrets(record, *family, *present); !restored) return restored;
    }
    if (is_created) ++outcome_.created;
    records_[record.key] = *present;
    if (record.type != kPlatform) {
        auto here = context_.documents().read(*present);
        if (!here) return here.error();
        identities_.meet(record.type, record.id, here->id);
        if (family->container == services_.principals.home_type())
            surroundings_.meet_principal(
                reference_parts(record.container).ids.back(),
                sdk::text_member(record.fields, "name"),
                sdk::text_member(here->fields, family->container + "Id") + "/" + here->id);
    }
    return meet_companions(record, *present);
}

sdk::Result<sdk::RecordKey> ImportRun::create(const TransferRecord& record,
                                              const sdk::FamilyInfo& family,
                                              const sdk::RecordKey& container) {
    if (family.type == kBranch) return fork_branch(record, container);
    if (family.type == kArchiveType) return create_archive(record, container);
    sdk::Json fields = said_of_record(record.fields, family);
    if (!identities_.rewrite(fields).empty()) unfinished_.insert(record.key);
    if (is_clone()) fields["_doc"] = record.id;
    fields.update(written_secrets(record, family));
    auto made = json_of(
        services_.operations.on_collection(context_, family.type, container,
                                           {.method = "POST",
                                            .values = placeholder_values(family, record.fields),
                                            .body = std::move(fields)}));
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
    if (keeps_target && present == target_) kept_.insert(record.key);
    if (kept_.contains(record.key) || !family->is_updated) {
        ++outcome_.skipped;
        return {};
    }
    auto before = ask(present, {});
    if (!before) return before.error();
    const sdk::Json is_said = said_of_record(*before, *family);
    sdk::Json fields = said_of_record(record.fields, *family);
    if (!identities_.rewrite(fields).empty()) {
        unfinished_.insert(record.key);
        // Members that name what has still to come, at any depth, stay as they are until then.
        sdk::Json members = said_of_record(record.fields, *family);
        for (auto& [name, value] : members.items()) {
            if (value.is_structured() && !identities_.rewrite(value).empty()) fields.erase(name);
        }
    }
    if (record.type == kBranch) hold_back_protection(record, fields);
    // What it does not say, the record keeps: members of the server, and those that came with it.
    sdk::Json after = is_said;
    for (auto& [name, value] : fields.items())
        after[name] = value;
    const sdk::Json secrets = written_secrets(record, *family);
    auto has_them = has_secrets(present, secrets);
    if (!has_them) return has_them.error();
    if (after == is_said && *has_them) {
        ++outcome_.skipped;
        if (unfinished_.contains(record.key)) skipped_so_far_.insert(record.key);
        return {};
    }
    after.update(secrets);
    auto written = ask(present, {.method = "PUT", .body = after});
    if (!written) return written.error();
    // A family may take one that it has already for one that is to be forgotten.
    auto kept = *has_them ? sdk::Result<bool>(true) : has_secrets(present, secrets);
    if (!kept) return kept.error();
    if (!*kept) {
        written = ask(present, {.method = "PUT", .body = after});
        if (!written) return written.error();
    }
    // What the server keeps as it was is no change.
    const bool is_changed = !*has_them || said_of_record(*written, *family) != is_said;
    ++(is_changed ? outcome_.updated : outcome_.skipped);
    return {};
}

sdk::Result<void> ImportRun::meet_companions(const TransferRecord& record,
                                             const sdk::RecordKey& key) {
    if (record.companions.empty()) return {};
    for (const auto& [name, companion] : record.companions)
        belonging_.insert(companion);
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
        if (auto moved = move_on(); !moved) return moved;
        const auto key = records_.find(record.key);
        if (key == records_.end()) return {};
        if (auto completed = tried(record.key, complete_record(record, key->second)); !completed)
            return about(completed.error(), record.key);
        has_assignments_ = has_assignments_ || has_assignments(record);
        return {};
    });
}

/// They name teams, which have come by now.
sdk::Result<void> ImportRun::bring_assignments() {
    if (!has_assignments_) return {};
    return source_.for_each([this](const TransferRecord& record) -> sdk::Result<void> {
        if (auto left = context_.go_on(); !left) return left;
        if (auto moved = move_on(); !moved) return moved;
        const auto key = records_.find(record.key);
        if (key == records_.end() || kept_.contains(record.key)) return {};
        const sdk::FamilyInfo* const family = services_.families.find(record.type);
        auto brought =
            tried(record.key, surroundings_.bring_assignments(record, *family, key->second));
        return brought ? brought : about(brought.error(), record.key);
    });
}

sdk::Result<void> ImportRun::complete_record(const TransferRecord& record,
                                             const sdk::RecordKey& key) {
    const sdk::FamilyInfo* const family = services_.families.find(record.type);
    if (unfinished_.contains(record.key)) {
        const std::uint64_t updated = outcome_.updated;
        const std::uint64_t skipped = outcome_.skipped;
        const bool was_skipped = skipped_so_far_.contains(record.key);
        if (auto written = update(record, key); !written) return written;
        // It was counted when it came.
        const bool is_late = was_skipped && outcome_.updated > updated;
        outcome_.updated = updated + (is_late ? 1 : 0);
        outcome_.skipped = skipped - (is_late ? 1 : 0);
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
    // Nor do its rights come to what stays as it is.
    if (kept_.contains(record.key)) return {};
    return surroundings_.bring(record, *family, key);
}

}  // namespace stele::archives

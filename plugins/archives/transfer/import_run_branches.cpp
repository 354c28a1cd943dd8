#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "transfer/import_run.hpp"
#include "transfer/record_parts.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr char kArchived[] = "archived";
constexpr char kFrozen[] = "frozen";
/// What keeps others from writing to a branch, where it is true.
constexpr const char* kProtections[] = {kArchived, kFrozen, "blockDirectCommits", "readonly"};
constexpr char kSnapshot[] = "snapshot";
constexpr char kParent[] = "root-branch";

}  // namespace

void ImportRun::hold_back_protection(const TransferRecord& record, sdk::Json& fields) {
    sdk::Json held = sdk::Json::object();
    for (const char* name : kProtections) {
        if (!sdk::flag_member(fields, name, false)) continue;
        held[name] = true;
        fields.erase(name);
    }
    if (!held.empty()) protections_[record.key] = std::move(held);
}

sdk::Result<std::string> ImportRun::parent_of(const TransferRecord& record,
                                              const sdk::RecordKey& repository) const {
    const std::string parent = sdk::text_member(record.fields, kParent);
    if (!identities_.knows(kBranch, parent)) return std::string(kMaster);
    std::string here = identities_.here(kBranch, parent);
    auto branch = context_.documents().read({kBranch, {}, repository}, here);
    if (!branch && sdk::is_missing(branch.error())) return std::string(kMaster);
    if (!branch) return branch.error();
    // One that is closed here takes no forks.
    const bool is_closed = sdk::flag_member(branch->fields, kArchived, false) ||
                           sdk::flag_member(branch->fields, kFrozen, false);
    return is_closed ? std::string(kMaster) : std::move(here);
}

sdk::Result<sdk::RecordKey> ImportRun::fork_branch(const TransferRecord& record,
                                                   const sdk::RecordKey& repository) {
    sdk::Json fields = said_of_record(record.fields, *services_.families.find(kBranch));
    for (const char* of_place : {"root", kParent, "join-branch", "tip", "type"})
        fields.erase(of_place);
    if (!identities_.rewrite(fields).empty()) unfinished_.insert(record.key);
    hold_back_protection(record, fields);
    if (is_clone()) fields["_doc"] = record.id;
    auto parent = parent_of(record, repository);
    if (!parent) return parent.error();
    const bool is_snapshot = sdk::flag_member(fields, kSnapshot, false);
    sdk::InnerOperation fork{.method = "POST",
                             .parameters = {{"branch", *parent}, {"changeset", "0:root"}},
                             .body = std::move(fields)};
    if (is_snapshot) fork.path = "/snapshots";
    auto made =
        is_snapshot
            ? ask(repository, fork)
            : json_of(services_.operations.on_collection(context_, kBranch, repository, fork));
    if (!made) return made.error();
    auto key =
        context_.documents().read({kBranch, {}, repository}, sdk::text_member(*made, "_doc"));
    if (!key) return key.error();
    if (is_snapshot) snapshots_.insert(key->key);
    return key->key;
}

sdk::Result<void> ImportRun::protect_branches() {
    for (const auto& [source, protection] : protections_) {
        const auto here = records_.find(source);
        // It was refused.
        if (here == records_.end()) continue;
        const sdk::RecordKey& key = here->second;
        auto present = ask(key, {});
        if (!present) return about(present.error(), source);
        sdk::Json fields = said_of_record(*present, *services_.families.find(kBranch));
        const sdk::Json before = fields;
        fields.update(protection);
        if (fields == before) continue;
        auto written = ask(key, {.method = "PUT", .body = std::move(fields)});
        auto closed =
            tried(source, written ? sdk::Result<void>() : sdk::Result<void>(written.error()));
        if (!closed) return about(closed.error(), source);
    }
    return {};
}

}  // namespace stele::archives

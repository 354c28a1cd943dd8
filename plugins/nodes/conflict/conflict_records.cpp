#include "conflict/conflict_records.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

namespace name = conflict_member;

/// What the server tells it apart by, and what a decision is of.
constexpr char kKey[] = "key";
constexpr char kFingerprint[] = "fingerprint";
constexpr char kOwnerRole[] = "owner";

/// A record of that depth can still be read as a part of another.
constexpr std::size_t kMostDepth = 90;

bool is_deep(const sdk::Json& value, std::size_t left) {
    if (!value.is_structured()) return false;
    if (left == 0) return true;
    return std::any_of(value.begin(), value.end(),
                       [left](const sdk::Json& inner) { return is_deep(inner, left - 1); });
}

void put_value(sdk::Json& record, const char* member, const std::optional<sdk::Json>& value) {
    if (!value || is_deep(*value, kMostDepth)) return;
    if (sdk::dump_json(*value).size() <= ConflictRecords::kMostValueBytes) record[member] = *value;
}

std::size_t bytes_of(const MergeConflict& conflict) {
    std::size_t bytes = 0;
    for (const auto* value : {&conflict.base, &conflict.source, &conflict.target}) {
        if (!*value) continue;
        const std::size_t size = sdk::dump_json(**value).size();
        if (size <= ConflictRecords::kMostValueBytes) bytes += size;
    }
    return bytes;
}

bool are_too_many(const std::vector<MergeConflict>& conflicts, std::size_t decided) {
    if (conflicts.size() + decided > ConflictRecords::kMost) return true;
    std::size_t bytes = 0;
    for (const MergeConflict& conflict : conflicts)
        bytes += bytes_of(conflict);
    return bytes > ConflictRecords::kMostBytes;
}

std::optional<ConflictDecision> decision_of(const sdk::Json& record) {
    if (!sdk::flag_member(record, name::kIsResolved, false)) return std::nullopt;
    const std::string word = sdk::text_member(record, name::kResolution);
    ConflictDecision decision{Side::target, sdk::text_member(record, kFingerprint)};
    if (word == "source") decision.choice = Side::source;
    if (word == "value") decision.choice = ValueChoice(record.value(name::kValue, sdk::Json()));
    return decision;
}

sdk::Result<ConflictOrigin> origin_of(const BranchContent& source, const BranchContent& target) {
    auto to = target.context().documents().read(target.branch());
    if (!to) return to.error();
    auto from = target.context().documents().read(source.branch());
    if (!from) return from.error();
    return ConflictOrigin{sdk::text_member(to->fields, kRepositoryId), from->id, to->id};
}

/// What `merge` makes of an origin, with its records.
template <class Merge>
sdk::Result<MergeReport> with_records(const BranchContent& target, ConflictOrigin origin,
                                      MergeOptions options, const Merge& merge) {
    ConflictRecords records(target, std::move(origin));
    auto decisions = records.decisions();
    if (!decisions) return decisions.error();
    const bool is_dry_run = options.is_dry_run;
    options.decisions = *std::move(decisions);
    sdk::Result<MergeReport> report = merge(std::move(options));
    if (!report || is_dry_run) return report;
    if (report->conflicts.empty()) {
        auto committed = records.commit(report->decided);
        return committed ? std::move(report) : committed.error();
    }
    // Whoever could not write what was decided leaves nothing in the repository.
    if (auto may = target.require_create(); !may) return report;
    auto ids = records.keep(report->conflicts, report->decided);
    if (!ids) return ids.error();
    report->conflict_ids = *std::move(ids);
    return report;
}

}  // namespace

ConflictOrigin ConflictOrigin::of(const sdk::Json& conflict, std::string repository) {
    return {std::move(repository), sdk::text_member(conflict, name::kSourceBranch),
            sdk::text_member(conflict, name::kTargetBranch),
            sdk::text_member(conflict, name::kReverted)};
}

sdk::Json ConflictRecords::condition() const {
    return {{name::kSourceBranch, origin_.source},
            {name::kTargetBranch, origin_.target},
            {name::kReverted, origin_.reverted},
            {name::kIsCommitted, false}};
}

sdk::Result<std::vector<sdk::Document>> ConflictRecords::open() const {
    sdk::PageRequest all;
    all.limit = static_cast<std::int64_t>(kMost);
    auto found = documents().query(collection(), condition(), all);
    if (!found) return found.error();
    return std::move(found->rows);
}

sdk::Result<std::uint64_t> ConflictRecords::open_count() const {
    sdk::PageRequest none;
    none.limit = 0;
    sdk::Json undecided = condition();
    undecided[name::kIsResolved] = false;
    auto found = documents().query(collection(), undecided, none);
    if (!found) return found.error();
    return found->total_rows;
}

sdk::Result<ConflictDecisions> ConflictRecords::decisions() {
    auto records = open();
    if (!records) return records.error();
    read_ = *std::move(records);
    ConflictDecisions decisions;
    for (const sdk::Document& record : read_) {
        auto decision = decision_of(record.fields);
        if (decision)
            decisions.emplace(sdk::text_member(record.fields, kKey), *std::move(decision));
    }
    return decisions;
}

sdk::Json ConflictRecords::record_of(const MergeConflict& conflict) const {
    sdk::Json record = {{name::kSourceBranch, origin_.source},
                        {name::kTargetBranch, origin_.target},
                        {name::kReverted, origin_.reverted},
                        {name::kNode, conflict.node},
                        {name::kKind, conflict_name(conflict.kind)},
                        {"path", conflict.path},
                        {"message", conflict.sentence},
                        {name::kIsResolved, false},
                        {name::kIsCommitted, false},
                        {name::kResolution, ""},
                        {name::kIsForTarget, conflict.is_for_target},
                        {name::kMentions, conflict.because},
                        {name::kWrites, sdk::Json::array()},
                        {kKey, conflict.key()},
                        {kFingerprint, conflict.fingerprint()}};
    for (const ConflictWrite& write : conflict.writes) {
        record[name::kWrites].push_back(
            {{"node", write.node}, {"permission", sdk::permission_name(write.permission)}});
    }
    put_value(record, "base", conflict.base);
    put_value(record, "source", conflict.source);
    put_value(record, "target", conflict.target);
    return record;
}

sdk::Result<std::string> ConflictRecords::make(const MergeConflict& conflict) {
    auto made = documents().create(collection(), record_of(conflict));
    if (!made) return made.error();
    // A job makes it as the server.
    auto owned =
        target_.context().authorities().grant(made->key, target_.principal().key, kOwnerRole);
    if (!owned) return owned.error();
    return made->id;
}

/// What was decided did not settle it.
sdk::Result<void> ConflictRecords::ask_again(const sdk::Document& record) {
    if (sdk::flag_member(record.fields, name::kIsResolved, false)) {
        auto asked = documents().patch(collection(), record.id,
                                       {{name::kIsResolved, false}, {name::kResolution, ""}});
        if (!asked) return asked.error();
    }
    auto is_readable = target_.may(record.key, sdk::Permission::read);
    if (!is_readable) return is_readable.error();
    if (*is_readable) return {};
    return target_.context().authorities().grant(record.key, target_.principal().key, kOwnerRole);
}

sdk::Result<std::vector<std::string>> ConflictRecords::keep(
    const std::vector<MergeConflict>& conflicts, const std::set<std::string>& decided) {
    std::vector<std::string> ids;
    if (are_too_many(conflicts, decided.size())) return ids;
    std::map<std::string, const sdk::Document*> present;
    for (const sdk::Document& record : read_)
        present.emplace(sdk::text_member(record.fields, kKey), &record);
    for (const MergeConflict& conflict : conflicts) {
        if (auto may = target_.context().go_on(); !may) return may.error();
        const auto found = present.find(conflict.key());
        const bool is_same =
            found != present.end() &&
            sdk::text_member(found->second->fields, kFingerprint) == conflict.fingerprint();
        if (is_same) {
            if (auto asked = ask_again(*found->second); !asked) return asked.error();
            ids.push_back(found->second->id);
            present.erase(found);
            continue;
        }
        // Whoever owned the former one need not be allowed to read what is there now.
        if (found != present.end()) {
            auto removed = documents().remove(collection(), found->second->id);
            if (!removed) return removed.error();
            present.erase(found);
        }
        auto made = make(conflict);
        if (!made) return made.error();
        ids.push_back(*std::move(made));
    }
    for (const auto& [key, record] : present) {
        if (decided.contains(key)) continue;
        if (auto removed = documents().remove(collection(), record->id); !removed)
            return removed.error();
    }
    return ids;
}

sdk::Result<void> ConflictRecords::commit(const std::set<std::string>& decided) {
    for (const sdk::Document& record : read_) {
        if (auto may = target_.context().go_on(); !may) return may;
        if (!decided.contains(sdk::text_member(record.fields, kKey))) {
            if (auto removed = documents().remove(collection(), record.id); !removed)
                return removed;
            continue;
        }
        auto committed = documents().patch(collection(), record.id, {{name::kIsCommitted, true}});
        if (!committed) return committed.error();
    }
    return {};
}

sdk::Result<MergeReport> merge_with_decisions(const BranchContent& source,
                                              const BranchContent& target, MergeOptions options) {
    auto origin = origin_of(source, target);
    if (!origin) return origin.error();
    return with_records(target, *std::move(origin), std::move(options), [&](MergeOptions decided) {
        return merge_branches(source, target, std::move(decided));
    });
}

sdk::Result<ConflictDecisions> decisions_between(const BranchContent& source,
                                                 const BranchContent& target) {
    auto origin = origin_of(source, target);
    if (!origin) return origin.error();
    return ConflictRecords(target, *std::move(origin)).decisions();
}

sdk::Result<MergeReport> revert_with_decisions(const BranchContent& target,
                                               std::string_view changeset, bool is_dry_run) {
    auto origin = origin_of(target, target);
    if (!origin) return origin.error();
    origin->reverted = changeset;
    return with_records(target, *std::move(origin), {.is_dry_run = is_dry_run},
                        [&](MergeOptions options) {
                            return revert_changeset(target, changeset, std::move(options));
                        });
}

}  // namespace stele::nodes

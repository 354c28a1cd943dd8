#include "merge/merge_draft.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/text.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "definition/line_texts.hpp"
#include "history/tags.hpp"
#include "merge/draft_structure.hpp"
#include "merge/record_merge.hpp"

namespace stele::nodes {

namespace {

/// A person or group that only the source has got, or has no more: before a changeset that is
/// reverted and made it along with something else.
bool is_own_person(const ChangedRecord& record) {
    const bool is_new = !record.base && !record.target;
    if (record.source && !is_new) return false;
    const std::string type =
        sdk::text_member(record.source ? *record.source : *record.base, member::kType);
    return type == type::kPerson || type == type::kGroup;
}

std::string value_sentence(const std::string& id, const ChangedRecord& record,
                           const ValueConflict& conflict) {
    const std::string title = shown_title(id, *record.source);
    if (is_attachment_path(conflict.path))
        return fmt::format("both branches have changed the attachment {} of {}",
                           conflict.path.substr(attachment_path({}).size()), title);
    const std::string what =
        conflict.path.empty() ? title : fmt::format("{} of {}", conflict.path, title);
    switch (conflict.kind) {
        case ValueConflictKind::removed_on_source:
            return fmt::format("the source has removed {}, and the target has changed it", what);
        case ValueConflictKind::removed_on_target:
            return fmt::format("the source has changed {}, and the target has removed it", what);
        case ValueConflictKind::both_added:
            return fmt::format("both branches have added {}, with different values", what);
        case ValueConflictKind::text_overlaps:
            return fmt::format("both branches have changed the same lines of {}", what);
        case ValueConflictKind::too_many:
            return fmt::format("{} has too many conflicts to tell each", what);
        case ValueConflictKind::both_changed:
            break;
    }
    return fmt::format("both branches have changed {}, to different values", what);
}

class Drafting {
public:
    Drafting(const BranchContent& target, const Chooser& chooser)
        : target_(target), chooser_(chooser) {}

    sdk::Result<void> take(const std::vector<ChangedRecord>& changed) {
        for (const ChangedRecord& record : changed) {
            if (!record.source) deleted_.emplace(record.id, &record);
        }
        for (const ChangedRecord& record : changed) {
            if (!record.source || record.target) continue;
            auto is_one = take_same_name(record);
            if (!is_one) return is_one.error();
            if (*is_one) taken_.insert(record.id);
        }
        for (const ChangedRecord& record : changed) {
            if (taken_.contains(record.id)) continue;
            if (auto decided = decide(record); !decided) return decided;
        }
        return {};
    }

    /// Of one principal each branch has a person of its own.
    sdk::Result<void> know(const std::map<std::string, sdk::Json>& persons) {
        for (const auto& [id, part] : persons) {
            auto present = target_.find_person(sdk::text_member(part, "principal-domain"),
                                               sdk::text_member(part, "principal-id"));
            if (!present) return present.error();
            if (*present) {
                draft_.aliases.emplace(id, **present);
            } else {
                draft_.missing_persons.insert(id);
            }
        }
        return {};
    }

    MergeDraft end() {
        // Those of a node that both have changed follow from its properties when it is written.
        std::erase_if(draft_.steps, [this](const auto& entry) {
            const sdk::Json& part = entry.second.part;
            if (!is_association(part) || !is_relation(part)) return false;
            const MergeStep* const source = draft_.step(sdk::text_member(part, member::kSource));
            return source != nullptr && source->is_merged;
        });
        return std::move(draft_);
    }

private:
    /// Definitions and tags that both branches have made by themselves are one thing, and stay it;
    /// so are those that one branch has deleted and made again.
    sdk::Result<bool> take_same_name(const ChangedRecord& record) {
        auto same = find_same(*record.source);
        if (!same) return same.error();
        if (!*same || (*same)->id == record.id) return false;
        draft_.aliases[record.id] = (*same)->id;
        const auto former = deleted_.find((*same)->id);
        if (former != deleted_.end()) taken_.insert((*same)->id);
        if (!is_definition(*record.source)) return true;
        ChangedRecord one = record;
        one.id = (*same)->id;
        one.target = merged_part((*same)->fields);
        one.target_ms = written_ms((*same)->fields);
        if (former != deleted_.end()) one.base = former->second->base;
        if (auto decided = decide(one); !decided) return decided.error();
        return true;
    }

    sdk::Result<std::optional<sdk::Document>> find_same(const sdk::Json& part) {
        if (is_definition(part)) {
            const std::string qname = sdk::text_member(part, member::kQName);
            auto found = target_.node(qname);
            if (!found && sdk::is_missing(found.error())) return std::optional<sdk::Document>();
            if (!found) return found.error();
            const bool is_replaced =
                is_unchanged_built_in(found->fields) && is_replaceable_definition(qname);
            if (is_replaced || !is_definition(found->fields)) return std::optional<sdk::Document>();
            return std::optional<sdk::Document>(std::move(*found));
        }
        const std::string tag = sdk::text_member(part, "tag");
        if (sdk::text_member(part, member::kType) != type::kTag || tag.empty())
            return std::optional<sdk::Document>();
        sdk::PageRequest first;
        first.limit = 1;
        auto found = target_.context().documents().query(
            target_.nodes(), {{member::kType, type::kTag}, {"tag", tag}}, first);
        if (!found) return found.error();
        if (found->rows.empty()) return std::optional<sdk::Document>();
        return std::optional<sdk::Document>(std::move(found->rows.front()));
    }

    sdk::Result<void> decide(const ChangedRecord& record) {
        if (is_same_part(record.source, record.target)) {
            if (!record.source && is_membership(*record.base))
                draft_.left_by_both.insert(sdk::text_member(*record.base, member::kTarget));
            return {};
        }
        if (record.is_changed_on_target() && record.source && record.target) return merge(record);
        if (record.is_changed_on_target()) {
            if (record.source)
                decide_edit(record);
            else
                decide_removal(record);
        } else if (record.source) {
            put(record, record.target ? MergeStep::Kind::update : MergeStep::Kind::create,
                *record.source);
        } else {
            put(record, MergeStep::Kind::remove, *record.base);
        }
        return {};
    }

    void decide_removal(const ChangedRecord& record) {
        MergeConflict conflict =
            conflict_of(ConflictKind::delete_edit, record,
                        fmt::format("the source has deleted {}, and the target has changed it",
                                    shown_title(record.id, *record.target)));
        conflict.writes.push_back({record.id, sdk::Permission::remove});
        const auto side = chooser_.choose(conflict, record.source_ms, record.target_ms);
        if (side == Side::source) return put(record, MergeStep::Kind::remove, *record.target);
        if (side) {
            draft_.kept.insert(record.id);
            return;
        }
        draft_.conflicts.push_back(std::move(conflict));
    }

    void decide_edit(const ChangedRecord& record) {
        MergeConflict conflict =
            conflict_of(ConflictKind::edit_delete, record,
                        fmt::format("the source has changed {}, and the target has deleted it",
                                    shown_title(record.id, *record.source)));
        const auto side = chooser_.choose(conflict, record.source_ms, record.target_ms);
        if (side == Side::source) return put(record, MergeStep::Kind::create, *record.source);
        if (side) return;
        draft_.conflicts.push_back(std::move(conflict));
    }

    /// As the target's definitions have it.
    sdk::Result<const std::set<std::string>*> texts_of(const sdk::Json& part) {
        const std::string type = sdk::text_member(part, member::kType);
        const auto known = texts_.find(type);
        if (known != texts_.end()) return &known->second;
        auto texts = is_association(part) ? std::set<std::string>() : texts_of_lines(target_, type);
        if (!texts) return texts.error();
        return &texts_.emplace(type, *std::move(texts)).first->second;
    }

    sdk::Result<void> merge(const ChangedRecord& record) {
        auto texts = texts_of(*record.target);
        if (!texts) return texts.error();
        ValueMergeOptions options;
        options.is_text_of_lines = [texts = *texts](std::string_view path) {
            return texts->contains(std::string(path));
        };
        options.choose = [&](const ValueConflict& found) -> std::optional<ValueChoice> {
            if (chooser_.has_decisions()) {
                auto decided = chooser_.decided(conflict_of(record, found));
                if (decided) return decided;
            }
            const auto side = chooser_.by_rule(record.source_ms, record.target_ms);
            return side ? std::optional<ValueChoice>(*side) : std::nullopt;
        };
        ValueMerge merge = merge_records(record.base ? &*record.base : nullptr, *record.source,
                                         *record.target, options);
        for (const ValueConflict& found : merge.conflicts)
            draft_.conflicts.push_back(conflict_of(record, found));
        if (!merge.changes_target) return {};
        put(record, MergeStep::Kind::update, std::move(merge.merged));
        draft_.steps[record.id].is_merged = true;
        return {};
    }

    void put(const ChangedRecord& record, MergeStep::Kind kind, sdk::Json part) {
        MergeStep step{.kind = kind,
                       .part = std::move(part),
                       .source_ms = record.source_ms,
                       .target_ms = record.target_ms};
        step.is_renamed =
            kind == MergeStep::Kind::update && name_of(step.part) != name_of(*record.target);
        draft_.steps[record.id] = std::move(step);
    }

    static MergeConflict conflict_of(const ChangedRecord& record, const ValueConflict& found) {
        const auto kind =
            is_attachment_path(found.path) ? ConflictKind::attachment : ConflictKind::value;
        MergeConflict conflict{kind,
                               record.id,
                               found.path,
                               found.base,
                               found.source,
                               found.target,
                               value_sentence(record.id, record, found)};
        // Who may not read it under these may not learn what the source says there.
        conflict.because = record.other_ids();
        return conflict;
    }

    static MergeConflict conflict_of(ConflictKind kind, const ChangedRecord& record,
                                     std::string sentence) {
        MergeConflict conflict{kind,          record.id,          {}, record.base, record.source,
                               record.target, std::move(sentence)};
        conflict.because = record.other_ids();
        return conflict;
    }

    const BranchContent& target_;
    const Chooser& chooser_;
    MergeDraft draft_;
    /// What the source has deleted, by ids.
    std::map<std::string, const ChangedRecord*> deleted_;
    /// What is decided along with another record.
    std::set<std::string> taken_;
    /// Texts that are merged by lines, by types.
    std::map<std::string, std::set<std::string>> texts_;
};

}  // namespace

std::map<std::string, sdk::Json> leave_own_out(std::vector<ChangedRecord>& changed) {
    std::set<std::string> persons;
    std::map<std::string, sdk::Json> present;
    for (const ChangedRecord& record : changed) {
        if (!is_own_person(record)) continue;
        persons.insert(record.id);
        if (record.source) present.emplace(record.id, *record.source);
    }
    std::erase_if(changed, [&persons](const ChangedRecord& record) {
        const sdk::Json& part = record.source ? *record.source : *record.base;
        const bool is_place =
            is_membership(part) && persons.contains(sdk::text_member(part, member::kTarget));
        return persons.contains(record.id) || is_place || is_tagging(part);
    });
    return present;
}

const MergeStep* MergeDraft::step(const std::string& id) const {
    const auto found = steps.find(id);
    return found == steps.end() ? nullptr : &found->second;
}

bool MergeDraft::removes(const std::string& id) const {
    const MergeStep* const found = step(id);
    return found != nullptr && found->is_removal();
}

const std::string& MergeDraft::resolved(const std::string& id) const {
    const auto found = aliases.find(id);
    return found == aliases.end() ? id : found->second;
}

bool is_membership(const sdk::Json& part) {
    return is_place_in_tree(part) && sdk::text_member(part, member::kType) == association::kChild;
}

bool is_place_in_tree(const sdk::Json& part) {
    const std::string type = sdk::text_member(part, member::kType);
    return is_association(part) && (type == association::kChild || type == association::kOwned) &&
           sdk::text_member(part, member::kDirectionality) != kUndirected;
}

std::string shown_title(const std::string& id, const sdk::Json& part) {
    constexpr std::size_t kMaxShown = 100;
    std::string title = sdk::text_member(part, "title");
    if (title.empty() && !is_association(part)) title = name_of(part);
    if (title.empty() || title == id || title.size() > kMaxShown) return id;
    return fmt::format("{} ({})", sdk::shown_path(title), id);
}

sdk::Result<MergeDraft> draft_merge(const BranchContent& source, const BranchContent& target,
                                    const MergeSides& sides,
                                    const std::vector<ChangedRecord>& changed,
                                    const std::map<std::string, sdk::Json>& persons,
                                    const Chooser& chooser,
                                    const std::set<std::string>* associations) {
    Drafting drafting(target, chooser);
    if (auto known = drafting.know(persons); !known) return known.error();
    if (auto taken = drafting.take(changed); !taken) return taken.error();
    MergeDraft draft = drafting.end();
    draft.associations = associations;
    if (auto checked = DraftStructure(source, target, sides, chooser, draft).check(); !checked)
        return checked.error();
    draft.leaves_out =
        !chooser.takes_all() &&
        std::any_of(changed.begin(), changed.end(), [&draft](const ChangedRecord& record) {
            return draft.aliases.contains(record.id) ||
                   (draft.step(record.id) == nullptr &&
                    !is_same_part(record.source, record.target));
        });
    return draft;
}

}  // namespace stele::nodes

#include "merge/merge_rights.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"

namespace stele::nodes {

namespace {

sdk::Result<bool> reads_everything(const BranchContent& content) {
    if (content.changes().is_server_alone(content.context())) return true;
    return content.context().authorities().covers_inside(content.principal().key, content.branch(),
                                                         {sdk::Permission::read});
}

/// Whether somebody may know what a branch has under an id: the record, or its deletion. What was
/// purged nobody may but those who read everything.
sdk::Result<bool> may_know_record(const BranchContent& content, const std::string& id) {
    sdk::Documents& documents = content.context().documents();
    auto record = documents.read(content.nodes(), id);
    if (!record && sdk::is_missing(record.error()))
        record = documents.read(deletions_of(content), id);
    if (!record && sdk::is_missing(record.error())) return false;
    if (!record) return record.error();
    return content.may(record->key, sdk::Permission::read);
}

/// The server makes those that nodes name, whoever may READ them; they say their word only.
bool is_new_tag(const ChangedRecord& record) {
    if (!record.source || record.base) return false;
    const sdk::Json& tag = *record.source;
    if (sdk::text_member(tag, member::kType) != type::kTag) return false;
    static constexpr std::array<std::string_view, 6> kSaid{
        member::kType, member::kQName, member::kFeatures, member::kIsAssociation, "title", "tag"};
    for (const auto& [name, value] : tag.items()) {
        const bool is_usual = std::find(kSaid.begin(), kSaid.end(), name) != kSaid.end();
        if (!is_usual) return false;
    }
    const sdk::Json features = tag.value(member::kFeatures, sdk::Json::object());
    const bool has_settings =
        std::any_of(features.begin(), features.end(),
                    [](const sdk::Json& settings) { return !settings.empty(); });
    if (has_settings) return false;
    return tag.contains("title") && tag.at("title") == tag.value("tag", sdk::Json());
}

/// What whoever acts may know of what a source has changed.
class ReadRights {
public:
    static sdk::Result<ReadRights> of(const BranchContent& source, const BranchContent& target) {
        auto reads_source = reads_everything(source);
        if (!reads_source) return reads_source.error();
        auto reads_target = reads_everything(target);
        if (!reads_target) return reads_target.error();
        return ReadRights(source, target, *reads_source, *reads_target);
    }

    sdk::Result<bool> may(const ChangedRecord& record) const {
        if (is_new_tag(record)) return true;
        auto may = reads_source_ ? sdk::Result<bool>(true) : may_know_source(record);
        if (!may || !*may || !record.target || reads_target_) return may;
        return may_know_record(target_, record.id);
    }

private:
    sdk::Result<bool> may_know_source(const ChangedRecord& record) const {
        if (!record.is_told_by_ends) return may_know_record(source_, record.id);
        // The branch itself, as it was: it may know the place under another id only.
        if (is_one_branch_ && record.target) return may_know_record(target_, record.id);
        for (const std::string& id : record.source_ids) {
            auto may = may_know_record(source_, id);
            if (!may || !*may) return may;
        }
        return true;
    }

    ReadRights(const BranchContent& source, const BranchContent& target, bool reads_source,
               bool reads_target)
        : source_(source),
          target_(target),
          reads_source_(reads_source),
          reads_target_(reads_target),
          is_one_branch_(source.branch() == target.branch()) {}

    const BranchContent& source_;
    const BranchContent& target_;
    bool reads_source_;
    bool reads_target_;
    bool is_one_branch_;
};

/// Permissions of whoever merges on the target.
class TargetRights {
public:
    TargetRights(const BranchContent& target, const MergeDraft& draft)
        : target_(target), draft_(draft) {}

    sdk::Result<void> require(const std::string& id, const MergeStep& step) {
        if (is_association(step.part)) return require_association(id, step);
        switch (step.kind) {
            case MergeStep::Kind::create:
                return require_create();
            case MergeStep::Kind::update:
                return require_on(id, sdk::Permission::update);
            case MergeStep::Kind::remove:
                break;
        }
        return require_on(id, sdk::Permission::remove);
    }

private:
    sdk::Result<void> require_create() {
        if (may_create_) return {};
        if (auto may = target_.require_create(); !may) return may;
        may_create_ = true;
        return {};
    }

    sdk::Result<void> require_on(const std::string& id, sdk::Permission permission) {
        auto node = target_.node(id);
        if (!node) return node.error();
        return target_.require(*node, permission);
    }

    /// Whoever makes a node owns it.
    bool is_made(const std::string& id) const {
        const MergeStep* const step = draft_.step(id);
        return step != nullptr && step->kind == MergeStep::Kind::create;
    }

    sdk::Result<void> require_association(const std::string& id, const MergeStep& step) {
        const std::string source = sdk::text_member(step.part, member::kSource);
        const std::string target = sdk::text_member(step.part, member::kTarget);
        if (step.kind == MergeStep::Kind::update) return require_on(id, sdk::Permission::update);
        if (step.is_removal()) {
            // It goes with its end.
            if (draft_.removes(source) || draft_.removes(target)) return {};
            auto association = target_.node(id);
            if (!association) return association.error();
            auto may = target_.may(association->key, sdk::Permission::remove);
            if (!may) return may.error();
            if (*may) return {};
            return require_on(is_membership(step.part) ? target : source, sdk::Permission::update);
        }
        if (is_made(source)) return {};
        const bool is_member = is_membership(step.part);
        return require_on(source,
                          is_member ? sdk::Permission::create_subobjects : sdk::Permission::update);
    }

    const BranchContent& target_;
    const MergeDraft& draft_;
    bool may_create_ = false;
};

}  // namespace

sdk::Result<void> require_readable(const BranchContent& source, const BranchContent& target,
                                   const std::vector<ChangedRecord>& changed) {
    auto may_read = ReadRights::of(source, target);
    if (!may_read) return may_read.error();
    std::size_t hidden = 0;
    for (const ChangedRecord& record : changed) {
        auto may = may_read->may(record);
        if (!may) return may.error();
        if (!*may) ++hidden;
    }
    if (hidden == 0) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "nodes.merge_unreadable",
        fmt::format("{} of the {} nodes and associations that the source has changed may not be "
                    "read",
                    hidden, changed.size()));
}

sdk::Result<void> leave_unreadable_out(const BranchContent& source, const BranchContent& target,
                                       std::vector<ChangedRecord>& changed) {
    auto may_read = ReadRights::of(source, target);
    if (!may_read) return may_read.error();
    std::vector<ChangedRecord> left;
    for (ChangedRecord& record : changed) {
        auto may = may_read->may(record);
        if (!may) return may.error();
        if (*may) left.push_back(std::move(record));
    }
    changed = std::move(left);
    return {};
}

sdk::Result<void> require_writable(const BranchContent& target, const MergeDraft& draft) {
    if (target.changes().is_server_alone(target.context())) return {};
    TargetRights rights(target, draft);
    for (const auto& [id, step] : draft.steps) {
        if (auto may = rights.require(id, step); !may) return may;
    }
    return {};
}

}  // namespace stele::nodes

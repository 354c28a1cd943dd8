#include "merge/merge_writing.hpp"

#include <array>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/pace.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "history/deletion.hpp"
#include "merge/record_merge.hpp"
#include "relation/named_targets.hpp"
#include "relation/relators.hpp"

namespace stele::nodes {

namespace {

class MergeWriting {
public:
    MergeWriting(const BranchContent& target, const MergeDraft& draft,
                 std::vector<MergeFault>* faults)
        : target_(target), draft_(draft), faults_(faults), pace_(target.context()) {}

    /// Definitions come before what they define and go after it; associations go before nodes that
    /// leave room for their names, and come after those that they lead to.
    sdk::Result<void> write() {
        auto address = node_address(target_);
        if (!address) return address.error();
        address_ = *std::move(address);
        using Kind = MergeStep::Kind;
        const auto is_node = [](const MergeStep& step) { return !is_association(step.part); };
        const std::array passes{
            Pass{[&](const MergeStep& s) { return is_definition(s.part) && !s.is_removal(); }},
            Pass{[&](const MergeStep& s) { return !is_node(s) && s.is_removal(); }},
            Pass{[&](const MergeStep& s) {
                return is_node(s) && s.is_removal() && !is_definition(s.part);
            }},
            Pass{[&](const MergeStep& s) {
                return is_node(s) && s.kind == Kind::update && !is_definition(s.part);
            }},
            Pass{[&](const MergeStep& s) {
                return is_node(s) && s.kind == Kind::create && !is_definition(s.part);
            }},
            Pass{[&](const MergeStep& s) { return !is_node(s) && !s.is_removal(); }},
            Pass{[&](const MergeStep& s) { return is_definition(s.part) && s.is_removal(); }}};
        for (const Pass& pass : passes) {
            for (const auto& [id, step] : draft_.steps) {
                if (!pass(step)) continue;
                if (auto may = pace_.step(); !may) return may;
                if (auto written = try_write(id, step); !written) return written;
                if (faults_ != nullptr && faults_->size() >= kMostFaults) return {};
            }
        }
        return {};
    }

private:
    using Pass = std::function<bool(const MergeStep&)>;

    sdk::Documents& documents() const { return target_.context().documents(); }
    Changes::Relations& relations() const { return target_.changes().relations(); }

    sdk::Result<void> try_write(const std::string& id, const MergeStep& step) {
        if (follows_from_fault(step)) return {};
        auto written = write(id, step);
        if (written || faults_ == nullptr || !sdk::is_refusal(written.error())) return written;
        faults_->push_back({id, std::move(written.error())});
        faulty_.insert(id);
        return {};
    }

    /// An association with what could not be written.
    bool follows_from_fault(const MergeStep& step) const {
        return !faulty_.empty() && is_association(step.part) &&
               (faulty_.contains(sdk::text_member(step.part, member::kSource)) ||
                faulty_.contains(sdk::text_member(step.part, member::kTarget)));
    }

    sdk::Result<void> write(const std::string& id, const MergeStep& step) {
        switch (step.kind) {
            case MergeStep::Kind::create:
                return create(id, step);
            case MergeStep::Kind::update:
                return update(id, step);
            case MergeStep::Kind::remove:
                break;
        }
        return remove(id, step);
    }

    sdk::Result<void> create(const std::string& id, const MergeStep& step) {
        // Relations come as associations of their own, as the source has them.
        const Raised comes_back(relations().come_back);
        if (auto forgotten = forget_deletion(target_, id); !forgotten) return forgotten;
        if (auto kept = keep_system(target_, id); !kept) return kept;
        take_attachments(id, step.part);
        auto fields = fields_of(step);
        if (!fields) return fields.error();
        (*fields)["_doc"] = id;
        auto made = is_association(*fields) ? associate(*std::move(fields))
                                            : target_.create(*std::move(fields));
        if (!made) return made.error();
        return keep_servers_members(step.part, *made);
    }

    sdk::Result<sdk::Document> associate(sdk::Json fields) {
        std::optional<Raised> in_step;
        if (is_relation(fields)) in_step.emplace(relations().are_in_step);
        NewAssociation association;
        association.source = sdk::text_member(fields, member::kSource);
        association.target = sdk::text_member(fields, member::kTarget);
        association.type = sdk::text_member(fields, member::kType);
        association.is_undirected =
            sdk::text_member(fields, member::kDirectionality) == kUndirected;
        association.fields = std::move(fields);
        return target_.associate(association);
    }

    sdk::Result<void> update(const std::string& id, const MergeStep& step) {
        std::optional<Raised> comes_back;
        std::optional<Raised> in_step;
        if (!step.is_merged) comes_back.emplace(relations().come_back);
        if (is_association(step.part)) in_step.emplace(relations().are_in_step);
        take_attachments(id, step.part);
        auto fields = fields_of(step);
        if (!fields) return fields.error();
        auto written = documents().update(target_.nodes(), id, *std::move(fields));
        if (!written) return written.error();
        return keep_servers_members(step.part, *written);
    }

    sdk::Result<void> remove(const std::string& id, const MergeStep& step) {
        const bool goes_along = is_association(step.part) &&
                                (draft_.removes(sdk::text_member(step.part, member::kSource)) ||
                                 draft_.removes(sdk::text_member(step.part, member::kTarget)));
        if (goes_along) return {};
        if (is_association(step.part)) {
            // What it stands for goes by the node's own step.
            const Raised in_step(relations().are_in_step);
            return documents().remove(target_.nodes(), id);
        }
        // All that goes along has a step of its own.
        Changes& changes = target_.changes();
        const bool was_cascading = changes.is_cascading();
        changes.set_cascading(true);
        auto removed = documents().remove(target_.nodes(), id);
        changes.set_cascading(was_cascading);
        return removed;
    }

    /// What properties name they name on the target.
    sdk::Result<sdk::Json> fields_of(const MergeStep& step) {
        sdk::Json fields = fields_in(step.part);
        if (!may_have_elements(fields)) return fields;
        const std::string type = sdk::text_member(fields, member::kType);
        auto known = naming_.find(type);
        if (known == naming_.end()) {
            auto relators = relators_of(target_, fields);
            if (!relators) return relators.error();
            std::vector<std::string> paths;
            for (const Relator& relator : *relators)
                paths.push_back(relator.path);
            known = naming_.emplace(type, std::move(paths)).first;
        }
        name_nodes_of(address_, known->second, fields);
        return fields;
    }

    void take_attachments(const std::string& id, const sdk::Json& part) const {
        sdk::Json attachments = attachments_in(part);
        target_.changes().set_system(
            id, {{member::kAttachments,
                  attachments.empty() ? sdk::Json(nullptr) : std::move(attachments)}});
    }

    /// What a write of a client leaves as it is.
    sdk::Result<void> keep_servers_members(const sdk::Json& part, const sdk::Document& written) {
        sdk::Json members = sdk::Json::object();
        for (const char* name :
             {member::kType, member::kQName, member::kImportKey, member::kSourceDoc}) {
            const auto wanted = part.find(name);
            if (wanted == part.end()) continue;
            const auto has = written.fields.find(name);
            if (has == written.fields.end() || *has != *wanted) members[name] = *wanted;
        }
        if (members.empty()) return {};
        auto patched = documents().patch(target_.nodes(), written.id, members);
        return patched ? sdk::Result<void>() : patched.error();
    }

    const BranchContent& target_;
    const MergeDraft& draft_;
    std::vector<MergeFault>* const faults_;
    std::set<std::string> faulty_;
    std::string address_;
    /// Paths of properties that name nodes, by types; definitions are written before.
    std::map<std::string, std::vector<std::string>> naming_;
    Pace pace_;
};

}  // namespace

sdk::Result<void> write_draft(const BranchContent& target, const MergeDraft& draft,
                              std::vector<MergeFault>* faults) {
    return MergeWriting(target, draft, faults).write();
}

sdk::Result<bool> write_merge(const BranchContent& source, const BranchContent& target,
                              const MergeSides& sides, const MergeDraft& draft,
                              std::vector<MergeFault>* faults) {
    sdk::Transaction& transaction = target.context().transaction();
    const VersionSpace space = target.services().branches.space(target.place());
    auto noted = Ancestry::note_pair(transaction, space, source.place().line, target.place().line);
    if (!noted) return noted.error();
    const Coverage taken = sides.taken();
    // Forks of the line would have it, too, so it must not have left anything out.
    if (draft.steps.empty() && !draft.leaves_out) {
        auto last = target.services().branches.last_line(transaction, target.place());
        if (!last) return last.error();
        auto kept = Ancestry::note(transaction, space, sides.target_tip(), taken, *last);
        if (!kept) return kept.error();
        return false;
    }
    if (auto written = write_draft(target, draft, faults); !written) return written.error();
    auto writer = target.changes().writer(target.context(), target.branch());
    if (!writer) return writer.error();
    (*writer)->put_merge(Ancestry::encode(taken));
    auto note = target.changes().note(target.context(), target.branch());
    if (!note) return note.error();
    (*note)->merged = sides.source_tip().revision;
    return true;
}

}  // namespace stele::nodes

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "paths/locations.hpp"
#include "reading/read_ahead.hpp"
#include "transfer/import_run.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr char kOvertaken[] = "nodes.import_overtaken";

/// Of a node or association, as the source has it.
std::string key_in(const TransferContent& content, const std::string& id) {
    ReferenceParts parts = reference_parts(content.branch);
    parts.word = kNode;
    parts.ids.push_back(id);
    return parts.text();
}

}  // namespace

sdk::Result<void> ImportRun::move_on() {
    if (auto may = context_.go_on(); !may) return may;
    sdk::ContentTransfer* const transfer = services_.content();
    if (!transfer || source_.reads_context()) return {};
    return transfer->move_on(context_);
}

sdk::Result<void> ImportRun::bring_content() {
    return source_.for_each_content([this](const TransferContent& content) -> sdk::Result<void> {
        auto brought = bring_content_of(content);
        // Others were faster: that is no answer to what comes.
        if (!brought && brought.error().code == kOvertaken) return brought;
        return tried(content.branch, std::move(brought));
    });
}

sdk::Result<void> ImportRun::bring_content_of(const TransferContent& content) {
    if (left_out_.contains(content.branch)) return {};
    sdk::ContentTransfer* const transfer = services_.content();
    if (!transfer) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.transfer_type_unknown",
                               "no enabled plugin keeps nodes");
    }
    auto target = target_of(content);
    if (!target) return target.error();
    std::uint64_t told = 0;
    target->progress = [&](std::uint64_t come, std::uint64_t coming) {
        return progress_(done_ + (told = come), total_ + coming);
    };
    ReadAhead ahead(content.source, [this] { return move_on(); });
    auto report = transfer->import(context_, ahead, *target);
    if (!report) return report.error();
    count(content, *report);
    if (auto met = meet_nodes(content, target->branch, report->ids); !met) return met;
    const std::uint64_t here = std::max(told, report->created + report->updated + report->skipped);
    done_ += here;
    total_ += here;
    return progress_(done_, total_);
}

sdk::Result<sdk::ContentTarget> ImportRun::target_of(const TransferContent& content) const {
    sdk::ContentTarget target;
    target.strategy = wanted_.strategy;
    target.copies_on_existing = wanted_.copies_on_existing;
    target.substitutions = wanted_.substitutions;
    target.subjects = content.nodes;
    target.requires_all = wanted_.requires_all;
    target.keeps_source_ids = wanted_.keeps_source_ids;
    target.lifts_protection = wanted_.lifts_protection;
    target.has_attachments = wanted_.takes_attachments();
    target.tells_refusals = wanted_.is_dry_run;
    const auto brought = records_.find(content.branch);
    if (brought != records_.end()) {
        target.branch = brought->second;
    } else if (target_family_->type == kBranch) {
        target.branch = target_;
    } else if (target_family_->type == kRepository) {
        auto master = context_.documents().read({kBranch, {}, target_}, "master");
        if (!master) return master.error();
        target.branch = master->key;
    } else if (target_family_->type != kNode) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.transfer_target_unfit",
                               "content of a branch goes into no " + target_family_->type);
    } else {
        auto node = context_.documents().read(target_);
        if (!node) return node.error();
        auto branch = services_.families.container_of(context_, target_);
        if (!branch) return branch.error();
        target.branch = **branch;
        target.folder = node->id;
    }
    if (snapshots_.contains(target.branch)) target.lifts_protection = true;
    return target;
}

void ImportRun::count(const TransferContent& content, sdk::ContentReport& report) {
    outcome_.created += report.created;
    outcome_.updated += report.updated;
    outcome_.skipped += report.skipped;
    for (const sdk::ContentRefusal& refusal : report.refusals)
        outcome_.refuse(key_in(content, refusal.id), refusal.error);
    // Those beyond what the report has.
    outcome_.refused += report.refused - report.refusals.size();
    for (std::string& note : report.notes)
        outcome_.note(std::move(note));
}

sdk::Result<void> ImportRun::meet_nodes(const TransferContent& content, const sdk::RecordKey& key,
                                        const sdk::TextTable& ids) {
    auto branch = context_.reference(key);
    if (!branch) return branch.error();
    ReferenceParts parts = reference_parts(*branch);
    parts.word = kNode;
    parts.ids.emplace_back();
    const std::set<std::string> subjects(content.nodes.begin(), content.nodes.end());
    return ids.for_each([&](std::string_view id, std::string_view here) -> sdk::Result<void> {
        if (auto moved = move_on(); !moved) return moved;
        const std::string source(id);
        parts.ids.back() = here;
        if (subjects.contains(source)) subject_ids_[source] = parts.text();
        if (!wanted_.has_acls) return {};
        auto acl = content.acl(source);
        if (!acl) return acl.error();
        if (acl->empty()) return {};
        auto node = context_.find_reference(parts.text());
        if (!node) return node.error();
        return tried(key_in(content, source),
                     surroundings_.bring_grants(*acl, *node, parts.text()));
    });
}

sdk::Result<sdk::Json> ImportRun::target_chain(const sdk::RecordKey& key) const {
    auto references = references_to(context_, services_.families, key);
    if (!references) return references.error();
    sdk::Json chain = sdk::Json::array();
    for (const std::string& reference : *references) {
        const ReferenceParts parts = reference_parts(reference);
        chain.push_back({{"typeId", parts.word}, {"id", parts.ids.back()}, {"ref", reference}});
    }
    return chain;
}

bool ImportRun::is_refused(const TransferSubject& subject) const {
    return outcome_.is_refused(subject.key) || outcome_.is_refused(subject.id) ||
           left_out_.contains(subject.key);
}

sdk::Result<void> ImportRun::tell_subjects() {
    for (const TransferSubject& subject : source_.subjects()) {
        sdk::RecordKey here;
        if (is_content(subject.type)) {
            const auto id = subject_ids_.find(subject.id);
            if (id == subject_ids_.end() && is_refused(subject)) continue;
            if (id == subject_ids_.end()) return subject_missing(subject);
            auto key = context_.find_reference(id->second);
            if (!key) return key.error();
            here = *std::move(key);
        } else {
            const auto key = records_.find(subject.key);
            if (key == records_.end() && is_refused(subject)) continue;
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

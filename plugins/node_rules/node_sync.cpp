#include "node_sync.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "node_state.hpp"
#include "vocabulary.hpp"

namespace stele::node_rules {

namespace {

/// Nothing where there is none; rights are not looked at.
sdk::Result<std::optional<sdk::Document>> find_node(sdk::Context& context,
                                                    const sdk::RecordKey& branch,
                                                    const std::string& node) {
    auto found = context.documents().read({kNode, "", branch}, node);
    if (!found && sdk::is_missing(found.error())) return std::optional<sdk::Document>();
    if (!found) return found.error();
    return std::optional(std::move(*found));
}

}  // namespace

sdk::Result<sdk::RecordKey> NodeSync::target(sdk::Context& context) const {
    const std::string& repository =
        action_.repository.empty() ? source_.repository_id : action_.repository;
    const auto unknown = [&] {
        return sdk::make_error(
            sdk::ErrorKind::not_found, "node_rules.target_unfit",
            fmt::format("there is no branch {} in a repository {}", sdk::shown_path(action_.branch),
                        sdk::shown_path(repository)));
    };
    auto branch = context.documents().read({kBranch, repository}, action_.branch);
    if (!branch && sdk::is_missing(branch.error())) return unknown();
    if (!branch) return branch.error();
    auto may = sdk::holds(context, branch->key, sdk::Permission::read);
    if (!may) return may.error();
    if (!*may) return unknown();
    if (branch->key == source_.branch) {
        return sdk::make_error(sdk::ErrorKind::invalid, "node_rules.target_unfit",
                               "a rule cannot bring nodes to the branch that they are on");
    }
    return branch->key;
}

sdk::Result<bool> NodeSync::is_from_target(sdk::Context& context, const CopyWay& back,
                                           std::uint64_t source) const {
    auto row = copies::read(context.transaction(), back);
    if (!row) return row.error();
    return *row && (*row)->copy == source;
}

sdk::Result<NodeSync::Carried> NodeSync::carried_by(sdk::Context& context,
                                                    const sdk::ContentSpace& space,
                                                    const sdk::RecordKey& branch,
                                                    const sdk::Document& node) {
    std::string changeset = changeset_of(node.fields);
    auto brought = copies::read_wave(context.transaction(), space, branch, node.id);
    if (!brought) return brought.error();
    if (*brought && (*brought)->changeset == changeset)
        return Carried{true, std::move((*brought)->wave)};
    return Carried{false, {branch, std::move(changeset), modified_ms(node.fields)}};
}

/// Both sides are in line: so say the rows of both ways.
sdk::Result<void> NodeSync::note(sdk::Context& context, const CopyWay& way, const CopyWay& back,
                                 const CopyRow& row) const {
    auto known = copies::read(context.transaction(), way);
    if (!known) return known.error();
    if (!*known || **known != row) copies::write(context.transaction(), way, row);
    auto known_back = copies::read(context.transaction(), back);
    if (!known_back) return known_back.error();
    const CopyRow row_back{row.copy, row.source};
    if (*known_back && **known_back != row_back)
        copies::write(context.transaction(), back, row_back);
    return {};
}

sdk::Result<SyncOutcome> NodeSync::bring(sdk::Context& context, const sdk::Document& node,
                                         const sdk::RecordKey& target) const {
    auto there = services_.log.view(context.transaction(), target);
    if (!there) return there.error();
    const CopyWay way{source_.space, source_.branch, node.id, target};
    const CopyWay back{there->space, target, node.id, source_.branch};
    auto row = copies::read(context.transaction(), way);
    if (!row) return row.error();
    auto present = find_node(context, target, node.id);
    if (!present) return present.error();
    const sdk::Json said = said_by(node.fields);
    const std::uint64_t digest = digest_of(said);
    auto source = carried_by(context, source_.space, source_.branch, node);
    if (!source) return source.error();
    if (*present) {
        auto copied = carried_by(context, there->space, target, **present);
        if (!copied) return copied.error();
        const bool has_come_round = source->is_brought && copied->wave.is_same(source->wave);
        if (has_come_round || (copied->is_brought && copied->wave.is_newer(source->wave)))
            return SyncOutcome::unchanged;
        // What came from there would undo what was changed there since.
        auto is_theirs = is_from_target(context, back, digest);
        if (!is_theirs) return is_theirs.error();
        if (*is_theirs) return SyncOutcome::unchanged;
        const sdk::Json copy = said_by((*present)->fields);
        const CopyRow now{digest, digest_of(copy)};
        auto may = sdk::holds(context, (*present)->key, sdk::Permission::read);
        if (!may) return may.error();
        if (*may && (said == copy || (*row && **row == now))) {
            auto noted = note(context, way, back, now);
            return noted ? sdk::Result<SyncOutcome>(SyncOutcome::unchanged) : noted.error();
        }
    }
    // Associations would let whoever writes to the source say what lies where on the target.
    auto done =
        services_.operations.on_record(context, target,
                                       {.method = "POST",
                                        .path = "/copyfrom",
                                        .body = {{"nodeIds", {node.id}},
                                                 {"branchId", source_.branch_id},
                                                 {"sourceRepositoryId", source_.repository_id},
                                                 {"excludeAssociationTypes", true},
                                                 {"overwrite", true}}});
    if (!done) return done.error();
    auto copy = context.documents().read({kNode, "", target}, node.id);
    if (!copy) return copy.error();
    copies::write_wave(context.transaction(), there->space, target, node.id,
                       {changeset_of(copy->fields), std::move(source->wave)});
    auto noted = note(context, way, back, {digest, digest_of(said_by(copy->fields))});
    return noted ? sdk::Result<SyncOutcome>(SyncOutcome::copied) : noted.error();
}

sdk::Result<SyncOutcome> NodeSync::remove(sdk::Context& context, const std::string& node) const {
    auto target = this->target(context);
    // With the branch its copies are gone, too.
    if (!target && sdk::is_missing(target.error())) return SyncOutcome::left;
    if (!target) return target.error();
    const CopyWay way{source_.space, source_.branch, node, *target};
    auto row = copies::read(context.transaction(), way);
    if (!row) return row.error();
    if (!*row) return SyncOutcome::left;
    auto copy = find_node(context, *target, node);
    if (!copy) return copy.error();
    if (*copy) {
        auto done = services_.operations.on_record(context, (*copy)->key, {.method = "DELETE"});
        if (!done) return done.error();
    }
    copies::forget(context.transaction(), way);
    auto there = services_.log.view(context.transaction(), *target);
    if (!there) return there.error();
    copies::forget_wave(context.transaction(), there->space, *target, node);
    return *copy ? SyncOutcome::removed : SyncOutcome::left;
}

sdk::Result<SyncOutcome> NodeSync::run(sdk::Context& context, const std::string& node) const {
    auto source = find_node(context, source_.branch, node);
    if (!source) return source.error();
    if (!*source) return remove(context, node);
    auto may = sdk::holds(context, (*source)->key, sdk::Permission::read);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "node_rules.source_unreadable",
                               "READ on the node is needed to bring it elsewhere");
    }
    if (!is_brought((*source)->fields) || !holds(rule_, (*source)->fields))
        return SyncOutcome::left;
    auto target = this->target(context);
    if (!target) return target.error();
    return bring(context, **source, *target);
}

}  // namespace stele::node_rules

#include "history/difference.hpp"

#include <algorithm>
#include <unordered_set>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/record_space.hpp>

#include "branch/vocabulary.hpp"
#include "history/history.hpp"
#include "version/collection_keys.hpp"

namespace stele::nodes {

namespace {

constexpr char kNodeRecords[] = {kNodeSlot, 'd', '\0'};

View view_of_ancestor(const View& view, const Link& ancestor) {
    View shown;
    shown.newest = view.newest;
    for (const Link& link : view.links) {
        if (link.line == ancestor.line) shown.links.push_back(ancestor);
        if (link.line < ancestor.line) shown.links.push_back(link);
    }
    return shown;
}

/// What of a record is content.
sdk::Json content_of_record(const sdk::Json& record) {
    sdk::Json content = record;
    for (const char* name : {member::kSystem, member::kStatistics, member::kPaths})
        content.erase(name);
    const auto system = record.find(member::kSystem);
    if (system == record.end() || !system->is_object()) return content;
    const auto attachments = system->find(member::kAttachments);
    if (attachments != system->end()) content[member::kSystem] = *attachments;
    return content;
}

bool is_same(const std::optional<sdk::Json>& one, const std::optional<sdk::Json>& other) {
    if (!one || !other) return !one && !other;
    return sdk::is_same_json(content_of_record(*one), content_of_record(*other));
}

NodeOperation operation_between(const std::optional<sdk::Json>& before,
                                const std::optional<sdk::Json>& after) {
    if (is_same(before, after)) return NodeOperation::none;
    if (!before) return NodeOperation::create;
    return after ? NodeOperation::update : NodeOperation::remove;
}

/// A version of a record as it is stored; no revision where none shows.
struct StoredVersion {
    std::optional<Revision> revision;
    std::string bytes;
};

sdk::Result<StoredVersion> stored_version(const ViewReader& view, std::string_view key) {
    StoredVersion stored;
    auto version = view.find_version(key, stored.bytes);
    if (!version) return version.error();
    if (*version) stored.revision = (*version)->revision;
    return stored;
}

sdk::Result<std::optional<sdk::Json>> record_of(const StoredVersion& version) {
    if (!version.revision) return std::optional<sdk::Json>();
    auto record = version_record(version.bytes, "revision " + std::to_string(*version.revision));
    if (!record) return record.error();
    return std::optional<sdk::Json>(std::move(*record));
}

}  // namespace

Link common_ancestor(const View& one, const View& other) {
    for (const Link& link : one.links) {
        const auto found =
            std::find_if(other.links.begin(), other.links.end(),
                         [&](const Link& candidate) { return candidate.line == link.line; });
        if (found != other.links.end()) return {link.line, std::min(link.bound, found->bound)};
    }
    return {kFirstLine, 0};
}

std::string_view operation_name(NodeOperation operation) {
    switch (operation) {
        case NodeOperation::create:
            return "create";
        case NodeOperation::update:
            return "update";
        case NodeOperation::remove:
            return "delete";
        case NodeOperation::none:
            break;
    }
    return "none";
}

NodeDifference compare(const NodeStates& states) {
    NodeDifference found;
    found.on_source = operation_between(states.ancestor, states.source);
    found.on_target = operation_between(states.ancestor, states.target);
    found.is_conflict = found.on_source != NodeOperation::none &&
                        found.on_target != NodeOperation::none &&
                        !is_same(states.source, states.target);
    return found;
}

Difference::Difference(const sdk::Reader& store, VersionSpace space, View source, View target)
    : store_(store),
      space_(std::move(space)),
      ancestor_(common_ancestor(source, target)),
      at_ancestor_(store_, space_, view_of_ancestor(source, ancestor_)),
      at_source_(store_, space_, std::move(source)),
      at_target_(store_, space_, std::move(target)) {}

struct Difference::Walk {
    DifferenceBounds left;
    std::unordered_set<std::string> known = {};
    Written found = {};

    bool is_over() const { return !found.truncated_by.empty(); }

    void visit(std::string_view key) {
        if (left.writes == 0) {
            found.truncated_by = "writes";
            return;
        }
        --left.writes;
        if (!key.starts_with(kNodeRecords) || known.contains(std::string(key))) return;
        if (left.nodes == 0) {
            found.truncated_by = "nodes";
            return;
        }
        --left.nodes;
        known.emplace(key);
        found.keys.emplace_back(key);
    }
};

sdk::Result<Difference::Written> Difference::written(const DifferenceBounds& bounds) const {
    Walk both{bounds};
    for (const ViewReader* side : {&at_source_, &at_target_}) {
        if (auto walked = walk(side->view(), both); !walked) return walked.error();
    }
    return std::move(both.found);
}

sdk::Result<void> Difference::walk(const View& view, Walk& walk) const {
    for (const Link& link : view.links) {
        const bool is_last = link.line == ancestor_.line;
        if (is_last && link.bound == ancestor_.bound) return {};
        const std::string rows = space_.written(link.line);
        std::string begin = rows;
        append_number(begin, is_last ? ancestor_.bound + 1 : 0);
        std::string end = rows;
        append_number(end, link.is_tip() ? kUncommitted : link.bound + 1);
        const auto cursor = store_.scan({begin, end}, sdk::ScanDirection::backward);
        for (; cursor->is_valid() && !walk.is_over(); cursor->next())
            walk.visit(cursor->key().substr(rows.size() + kNumberBytes));
        if (auto status = cursor->status(); !status) return status;
        if (is_last || walk.is_over()) return {};
    }
    return {};
}

sdk::Result<std::optional<NodeStates>> Difference::states(std::string_view key) const {
    auto ancestor = stored_version(at_ancestor_, key);
    if (!ancestor) return ancestor.error();
    auto source = stored_version(at_source_, key);
    if (!source) return source.error();
    auto target = stored_version(at_target_, key);
    if (!target) return target.error();
    // A revision is given once, so it says which version it is.
    if (source->revision == ancestor->revision && target->revision == ancestor->revision)
        return std::optional<NodeStates>();
    NodeStates found;
    for (const auto& [version, state] :
         {std::pair(&*ancestor, &found.ancestor), std::pair(&*source, &found.source),
          std::pair(&*target, &found.target)}) {
        auto record = record_of(*version);
        if (!record) return record.error();
        *state = std::move(*record);
    }
    return std::optional<NodeStates>(std::move(found));
}

}  // namespace stele::nodes

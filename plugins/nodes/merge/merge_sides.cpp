#include "merge/merge_sides.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/members.hpp>

#include "branch/pace.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "history/history.hpp"
#include "merge/adopted_versions.hpp"
#include "merge/record_merge.hpp"
#include "relation/named_targets.hpp"
#include "relation/relators.hpp"

namespace stele::nodes {

namespace {

Link newest_link(const View& settled) {
    const auto found = std::find_if(settled.links.begin(), settled.links.end(),
                                    [](const Link& link) { return link.bound > 0; });
    return found == settled.links.end() ? Link{kFirstLine, 0} : *found;
}

sdk::Error no_common_base() {
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.merge_base_missing",
                           "the branches have no changeset in common");
}

}  // namespace

std::int64_t written_ms(const sdk::Json& record) {
    return sdk::system_ms(record, "modified_on");
}

sdk::Result<AncestryPoint> settled_tip(const BranchContent& source, const BranchContent& target,
                                       const sdk::Reader& past) {
    const VersionSpace space = target.services().branches.space(target.place());
    auto settled = Ancestry(past, space).settled(source.view().view(), target.view().view().newest);
    if (!settled) return settled.error();
    const Link tip = newest_link(*settled);
    return AncestryPoint{tip.line, tip.bound};
}

bool ChangedRecord::is_changed_on_target() const {
    return !is_same_part(base, target);
}

std::vector<std::string> ChangedRecord::other_ids() const {
    std::vector<std::string> ids(source_ids.begin(), source_ids.end());
    std::erase(ids, id);
    return ids;
}

MergeSides::MergeSides(MergeBase base, const sdk::Reader& past,
                       std::shared_ptr<const VersionSpace> space, View source_view,
                       const BranchContent& source, const BranchContent& target)
    : base_(std::move(base)),
      past_(&past),
      space_(std::move(space)),
      source_view_(std::make_unique<ViewReader>(past, *space_, std::move(source_view))),
      source_(&source),
      target_(&target) {}

sdk::Result<MergeSides> MergeSides::open(const BranchContent& source, const BranchContent& target,
                                         const sdk::Reader& past) {
    auto space =
        std::make_shared<const VersionSpace>(target.services().branches.space(target.place()));
    const Ancestry ancestry(past, *space);
    // What the transaction shows, by revisions that were given: the picture may show later ones.
    const Revision newest = target.view().view().newest;
    auto from = ancestry.settled(source.view().view(), newest);
    if (!from) return from.error();
    auto to = ancestry.settled(target.view().view(), newest);
    if (!to) return to.error();
    if (from->links.empty() || to->links.empty()) return no_common_base();
    auto base = MergeBase::find(past, *space, *from, *to);
    if (!base) return base.error();
    if (base->points().empty()) return no_common_base();
    const Link tip = newest_link(*from);
    const Link own = to->links.front();
    MergeSides sides(std::move(*base), past, std::move(space), std::move(*from), source, target);
    auto address = node_address(target);
    if (!address) return address.error();
    sides.address_ = *std::move(address);
    sides.source_tip_ = {tip.line, tip.bound};
    sides.target_tip_ = {own.line, own.bound};
    for (const sdk::Reader* side : {static_cast<const sdk::Reader*>(sides.source_view_.get()),
                                    static_cast<const sdk::Reader*>(&target.view())}) {
        auto has = has_adopted(*side);
        if (!has) return has.error();
        sides.has_adopted_ = sides.has_adopted_ || *has;
    }
    return sides;
}

sdk::Result<std::optional<MergeSides>> MergeSides::revert(const AncestryPoint& changeset,
                                                          const BranchContent& target,
                                                          const sdk::Reader& past) {
    auto space =
        std::make_shared<const VersionSpace>(target.services().branches.space(target.place()));
    const Ancestry ancestry(past, *space);
    auto to = ancestry.settled(target.view().view(), target.view().view().newest);
    if (!to) return to.error();
    auto taken = ancestry.coverage(*to);
    if (!taken) return taken.error();
    if (covered(*taken, changeset.line) < changeset.revision) return std::optional<MergeSides>();
    auto view = find_view(past, *space, changeset.line, changeset.revision - 1);
    if (!view) return view.error();
    auto former = ancestry.settled(std::move(*view), changeset.revision - 1);
    if (!former) return former.error();
    if (newest_link(*former).bound == 0) {
        return sdk::invalid_parameter(
            "id", "must not be the first changeset of the repository, which nothing comes before");
    }
    MergeBase base = MergeBase::of_revert(past, *space, changeset);
    auto address = node_address(target);
    if (!address) return address.error();
    MergeSides sides(std::move(base), past, std::move(space), std::move(*former), target, target);
    sides.address_ = *std::move(address);
    return std::optional<MergeSides>(std::move(sides));
}

bool MergeSides::is_contained() const {
    return taken().empty();
}

Coverage MergeSides::taken() const {
    Coverage taken;
    for (const auto& [line, revision] : base_.source()) {
        if (revision > covered(base_.target(), line)) taken[line] = revision;
    }
    return taken;
}

sdk::Result<std::vector<std::string>> MergeSides::written(std::size_t most) const {
    std::vector<std::string> keys;
    std::unordered_set<std::string> known;
    Pace pace(target_->context());
    // Of lines that were merged in, too: what such a line has changed and changed back is nothing
    // that its merge had to write, and differs from a base that lies between the two.
    for (const auto& [line, revision] : base_.source()) {
        const Revision both = covered(base_.common(), line);
        if (both >= revision) continue;
        // Of the changeset that a line was loaded with the rows stand before all others.
        auto loaded = loaded_revision(*past_, *space_, line);
        if (!loaded) return loaded.error();
        const std::string rows = space_->written(line);
        std::string begin = rows;
        append_number(begin, both == 0 || both < *loaded ? 0 : both + 1);
        std::string end = rows;
        append_number(end, revision + 1);
        const auto cursor = past_->scan({begin, end}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (auto may = pace.step(); !may) return may.error();
            const std::string_view key = cursor->key().substr(rows.size() + kNumberBytes);
            if (node_of_record_key(key).empty() || !known.emplace(key).second) continue;
            if (keys.size() == most) {
                return sdk::make_error(
                    sdk::ErrorKind::too_large, "nodes.merge_too_large",
                    fmt::format("more than {} nodes and associations would be merged at once",
                                most));
            }
            keys.emplace_back(key);
        }
        if (auto status = cursor->status(); !status) return status.error();
    }
    return keys;
}

sdk::Result<std::optional<ChangedRecord>> MergeSides::changed(std::string_view key) const {
    auto version = SideVersion::of(*source_view_, key);
    if (!version) return version.error();
    auto base = base_of(key);
    if (!base) return base.error();
    if (base->part) {
        if (auto named = name_on_target(*base->part); !named) return named.error();
    }
    const bool is_one_version = !base->part || base->revision;
    if (is_one_version && version->revision == base->revision)
        return std::optional<ChangedRecord>();
    auto found = read_source(key, *version);
    if (!found) return found.error();
    if (is_same_part(base->part, found->source)) return std::optional<ChangedRecord>();
    found->base = std::move(base->part);
    if (auto read = read_target(key, *found); !read) return read.error();
    return std::optional<ChangedRecord>(*std::move(found));
}

sdk::Result<ChangedRecord> MergeSides::fresh(std::string_view key) const {
    auto version = SideVersion::of(*source_view_, key);
    if (!version) return version.error();
    auto found = read_source(key, *version);
    if (!found) return found.error();
    if (auto read = read_target(key, *found); !read) return read.error();
    return found;
}

sdk::Result<ChangedRecord> MergeSides::read_source(std::string_view key,
                                                   const SideVersion& version) const {
    auto source = version.record();
    if (!source) return source.error();
    ChangedRecord found;
    found.id = node_of_record_key(key);
    if (!*source) return found;
    auto part = part_of(**source);
    if (!part) return part.error();
    found.source_ms = written_ms(**source);
    found.source = *std::move(part);
    return found;
}

sdk::Result<sdk::Json> MergeSides::part_of(const sdk::Json& record) const {
    sdk::Json part = merged_part(record);
    if (auto named = name_on_target(part); !named) return named.error();
    return part;
}

sdk::Result<void> MergeSides::name_on_target(sdk::Json& part) const {
    if (!may_have_elements(part)) return {};
    const std::string type = sdk::text_member(part, member::kType);
    auto known = naming_.find(type);
    if (known == naming_.end()) {
        // A type that only one of the branches has is defined there.
        std::vector<std::string> paths;
        for (const BranchContent* branch : {source_, target_}) {
            auto relators = relators_of(*branch, part);
            if (!relators) return relators.error();
            for (const Relator& relator : *relators)
                paths.push_back(relator.path);
        }
        known = naming_.emplace(type, std::move(paths)).first;
    }
    name_nodes_of(address_, known->second, part);
    return {};
}

sdk::Result<void> MergeSides::read_target(std::string_view key, ChangedRecord& found) const {
    auto present = SideVersion::of(target_->view(), key);
    if (!present) return present.error();
    auto target = present->record();
    if (!target) return target.error();
    if (!*target) return {};
    found.target_ms = written_ms(**target);
    auto part = part_of(**target);
    if (!part) return part.error();
    found.target = *std::move(part);
    return {};
}

sdk::Result<std::vector<AncestryPoint>> MergeSides::adopted(std::string_view key) const {
    const std::string id = node_of_record_key(key);
    // What a common changeset had taken over already is in what it holds.
    std::vector<AncestryPoint> held;
    auto views = base_views();
    if (!views) return views.error();
    for (const ViewReader* view : *views) {
        auto points = adopted_versions(*view, id);
        if (!points) return points.error();
        held.insert(held.end(), points->begin(), points->end());
    }
    std::vector<AncestryPoint> found;
    const auto look = [&](const sdk::Reader& by, const Coverage& from) -> sdk::Result<void> {
        auto points = adopted_versions(by, id);
        if (!points) return points.error();
        for (AncestryPoint point : *points) {
            // A branch that was reset, or forked before, has less of the line.
            point.revision = std::min(point.revision, covered(from, point.line));
            const bool is_held = std::any_of(held.begin(), held.end(), [&](const auto& other) {
                return other.line == point.line && other.revision >= point.revision;
            });
            if (!is_held && point.revision > covered(base_.common(), point.line))
                found.push_back(point);
        }
        return {};
    };
    if (auto looked = look(target_->view(), base_.source()); !looked) return looked.error();
    if (auto looked = look(*source_view_, base_.target()); !looked) return looked.error();
    return without_taken(std::move(found), id);
}

sdk::Result<std::vector<AncestryPoint>> MergeSides::without_taken(std::vector<AncestryPoint> points,
                                                                  const std::string& id) const {
    if (points.size() < 2) return points;
    std::vector<AncestryPoint> left;
    for (const AncestryPoint& point : points) {
        bool is_taken = false;
        for (const AncestryPoint& other : points) {
            if (is_taken || other == point) continue;
            auto view = base_.view_at(other);
            if (!view) return view.error();
            auto taken = adopted_versions(**view, id);
            if (!taken) return taken.error();
            is_taken = std::any_of(taken->begin(), taken->end(), [&point](const auto& one) {
                return one.line == point.line && one.revision >= point.revision;
            });
        }
        if (!is_taken) left.push_back(point);
    }
    return left;
}

sdk::Result<MergeBase::Record> MergeSides::base_of(std::string_view key) const {
    if (!has_adopted_) return base_.record(key);
    auto points = adopted(key);
    if (!points) return points.error();
    return points->empty() ? base_.record(key) : base_.record(key, *std::move(points));
}

sdk::Result<std::optional<sdk::Json>> MergeSides::base_of(const std::set<std::string>& ids,
                                                          const MergeBase::Read& read) const {
    if (!has_adopted_) return base_.joined(read, {});
    std::vector<AncestryPoint> taken;
    for (const std::string& id : ids) {
        auto points = adopted(node_record_key(id));
        if (!points) return points.error();
        taken.insert(taken.end(), points->begin(), points->end());
    }
    return base_.joined(read, std::move(taken));
}

sdk::Result<bool> MergeSides::is_in_base(std::string_view key) const {
    if (!has_adopted_) return base_.contains(key);
    auto base = base_of(key);
    if (!base) return base.error();
    return base->part.has_value();
}

sdk::Result<std::vector<const ViewReader*>> MergeSides::base_views() const {
    std::vector<const ViewReader*> views;
    for (const AncestryPoint& point : base_.points()) {
        auto view = base_.view_at(point);
        if (!view) return view.error();
        views.push_back(*view);
    }
    return views;
}

}  // namespace stele::nodes

#include "merge/merge_base.hpp"

#include <algorithm>

#include "history/difference.hpp"
#include "history/history.hpp"
#include "merge/record_merge.hpp"

namespace stele::nodes {

namespace {

sdk::Result<std::optional<sdk::Json>> part_of(const SideVersion& version) {
    auto record = version.record();
    if (!record || !*record) return record;
    return std::optional<sdk::Json>(merged_part(**record));
}

}  // namespace

sdk::Result<SideVersion> SideVersion::of(const ViewReader& view, std::string_view key) {
    SideVersion stored;
    auto version = view.find_version(key, stored.bytes);
    if (!version) return version.error();
    if (*version) stored.revision = (*version)->revision;
    return stored;
}

sdk::Result<std::optional<sdk::Json>> SideVersion::record() const {
    if (!revision) return std::optional<sdk::Json>();
    auto read = version_record(bytes, "revision " + std::to_string(*revision));
    if (!read) return read.error();
    return std::optional<sdk::Json>(std::move(*read));
}

sdk::Result<MergeBase> MergeBase::find(const sdk::Reader& store, const VersionSpace& space,
                                       const View& source, const View& target) {
    MergeBase base(store, space);
    const Link floor = common_ancestor(source, target);
    auto of_source = base.ancestry_.coverage(source, floor);
    if (!of_source) return of_source.error();
    auto of_target = base.ancestry_.coverage(target, floor);
    if (!of_target) return of_target.error();
    base.source_ = std::move(*of_source);
    base.target_ = std::move(*of_target);
    auto points = base.ancestry_.nearest_common(base.source_, base.target_, floor);
    if (!points) return points.error();
    base.points_ = std::move(*points);
    for (const auto& [line, revision] : base.source_) {
        const Revision both = std::min(revision, covered(base.target_, line));
        if (both > 0) base.common_[line] = both;
    }
    return base;
}

MergeBase MergeBase::of_revert(const sdk::Reader& store, const VersionSpace& space,
                               const AncestryPoint& changeset) {
    MergeBase base(store, space);
    base.points_ = {changeset};
    base.source_ = {{changeset.line, changeset.revision}};
    base.common_ = {{changeset.line, changeset.revision - 1}};
    return base;
}

sdk::Result<const ViewReader*> MergeBase::view_at(const AncestryPoint& point) const {
    auto& known = views_[{point.line, point.revision}];
    if (!known) {
        auto view = find_view(*store_, *space_, point.line, point.revision);
        if (!view) return view.error();
        known = std::make_unique<ViewReader>(*store_, *space_, std::move(*view));
    }
    return known.get();
}

sdk::Result<const Coverage*> MergeBase::behind(const AncestryPoint& point) const {
    const auto known = coverages_.find({point.line, point.revision});
    if (known != coverages_.end()) return &known->second;
    auto coverage = ancestry_.coverage(point);
    if (!coverage) return coverage.error();
    return &coverages_.emplace(std::pair{point.line, point.revision}, *std::move(coverage))
                .first->second;
}

sdk::Result<MergeBase::Record> MergeBase::record(std::string_view key) const {
    return record(key, points_, kMostJoined);
}

sdk::Result<MergeBase::Record> MergeBase::record(std::string_view key,
                                                 std::vector<AncestryPoint> adopted) const {
    auto nearest = nearest_with(std::move(adopted));
    if (!nearest) return nearest.error();
    return record(key, *nearest, kMostJoined);
}

sdk::Result<std::optional<sdk::Json>> MergeBase::joined(const Read& read,
                                                        std::vector<AncestryPoint> adopted) const {
    auto nearest = nearest_with(std::move(adopted));
    if (!nearest) return nearest.error();
    return joined(*nearest, read, kMostJoined);
}

sdk::Result<std::vector<AncestryPoint>> MergeBase::nearest_with(
    std::vector<AncestryPoint> adopted) const {
    if (adopted.empty()) return points_;
    std::vector<AncestryPoint> points = points_;
    points.insert(points.end(), adopted.begin(), adopted.end());
    std::vector<AncestryPoint> nearest;
    for (std::size_t i = 0; i < points.size(); ++i) {
        bool is_behind = false;
        for (std::size_t j = 0; j < points.size() && !is_behind; ++j) {
            if (i == j || (points[i] == points[j] && i < j)) continue;
            auto other = behind(points[j]);
            if (!other) return other.error();
            is_behind = covered(**other, points[i].line) >= points[i].revision;
        }
        if (!is_behind) nearest.push_back(points[i]);
    }
    return nearest;
}

sdk::Result<bool> MergeBase::contains(std::string_view key) const {
    if (points_.size() == 1) {
        auto view = view_at(points_.front());
        if (!view) return view.error();
        return (*view)->contains(key);
    }
    auto found = record(key);
    if (!found) return found.error();
    return found->part.has_value();
}

sdk::Result<MergeBase::Record> MergeBase::record(std::string_view key,
                                                 const std::vector<AncestryPoint>& points,
                                                 int left) const {
    std::vector<SideVersion> versions;
    for (const AncestryPoint& point : points) {
        auto view = view_at(point);
        if (!view) return view.error();
        auto version = SideVersion::of(**view, key);
        if (!version) return version.error();
        versions.push_back(std::move(*version));
    }
    if (versions.empty()) return Record();
    const bool is_one = std::all_of(versions.begin(), versions.end(), [&](const auto& version) {
        return version.revision == versions.front().revision;
    });
    if (!is_one && left > 0) {
        const auto read = [key](const ViewReader& view) -> sdk::Result<std::optional<sdk::Json>> {
            auto version = SideVersion::of(view, key);
            if (!version) return version.error();
            return part_of(*version);
        };
        auto part = joined(points, read, left);
        if (!part) return part.error();
        return Record{*std::move(part), std::nullopt};
    }
    auto part = part_of(versions.front());
    if (!part) return part.error();
    return Record{std::move(*part), versions.front().revision};
}

sdk::Result<void> MergeBase::join_each(const std::vector<AncestryPoint>& points,
                                       const Join& join) const {
    auto behind = ancestry_.coverage(points.front());
    if (!behind) return behind.error();
    for (std::size_t i = 1; i < points.size(); ++i) {
        auto own = ancestry_.coverage(points[i]);
        if (!own) return own.error();
        auto shared = ancestry_.nearest_common(*behind, *own);
        if (!shared) return shared.error();
        if (auto joined = join(i, *shared); !joined) return joined;
        cover(*behind, *own);
    }
    return {};
}

sdk::Result<std::optional<sdk::Json>> MergeBase::joined(const std::vector<AncestryPoint>& points,
                                                        const Read& read, int left) const {
    std::vector<std::optional<sdk::Json>> parts;
    for (const AncestryPoint& point : points) {
        auto view = view_at(point);
        if (!view) return view.error();
        auto part = read(**view);
        if (!part) return part;
        parts.push_back(*std::move(part));
    }
    if (parts.empty()) return std::optional<sdk::Json>();
    std::optional<sdk::Json> joined = parts.front();
    const bool is_one = std::all_of(parts.begin(), parts.end(), [&joined](const auto& part) {
        return is_same_part(part, joined);
    });
    if (is_one || left == 0) return joined;
    auto done = join_each(
        points, [&](std::size_t i, const std::vector<AncestryPoint>& shared) -> sdk::Result<void> {
            if (is_same_part(parts[i], joined)) return {};
            auto before = this->joined(shared, read, left - 1);
            if (!before) return before.error();
            joined = join_records(*before, joined, parts[i]);
            return {};
        });
    if (!done) return done.error();
    return joined;
}

}  // namespace stele::nodes

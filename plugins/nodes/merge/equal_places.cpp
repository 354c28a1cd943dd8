#include "merge/equal_places.hpp"

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/members.hpp>

#include "branch/graph.hpp"
#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"
#include "history/history.hpp"
#include "merge/merge_draft.hpp"
#include "merge/record_merge.hpp"

namespace stele::nodes {

namespace {

struct Place {
    std::string type;
    /// The folder or owner.
    std::string source;
    std::string target;

    auto operator<=>(const Place&) const = default;
};

std::optional<Place> place_of(const sdk::Json& part) {
    if (!is_place_in_tree(part)) return std::nullopt;
    return Place{sdk::text_member(part, member::kType), sdk::text_member(part, member::kSource),
                 sdk::text_member(part, member::kTarget)};
}

/// Without what follows from the id.
sdk::Json comparable(sdk::Json part) {
    part.erase(member::kQName);
    return part;
}

using Ids = std::set<std::string>;

sdk::Result<Ids> ids_in(const ViewReader& view, const Place& place) {
    Ids ids;
    auto walked = Graph(view).for_each_edge(
        place.target, Direction::incoming, place.type, [&](const Edge& edge) {
            if (edge.end == Direction::incoming && edge.other == place.source)
                ids.insert(edge.association);
            return true;
        });
    if (!walked) return walked.error();
    return ids;
}

struct Base {
    std::string id;
    std::optional<sdk::Json> part;
};

/// What the common changesets have at a place, together.
sdk::Result<Base> base_at(const MergeSides& sides, const Place& place) {
    Base base;
    auto part =
        sides.base().joined([&](const ViewReader& view) -> sdk::Result<std::optional<sdk::Json>> {
            auto ids = ids_in(view, place);
            if (!ids) return ids.error();
            if (ids->empty()) return std::optional<sdk::Json>();
            if (base.id.empty()) base.id = *ids->begin();
            auto version = SideVersion::of(view, node_record_key(*ids->begin()));
            if (!version) return version.error();
            auto record = version->record();
            if (!record || !*record) return record;
            return std::optional(comparable(merged_part(**record)));
        });
    if (!part) return part.error();
    base.part = *std::move(part);
    if (!base.part) base.id.clear();
    return base;
}

class Matching {
public:
    Matching(const BranchContent& target, const MergeSides& sides,
             std::vector<ChangedRecord>& changed)
        : target_(target), sides_(sides), changed_(changed) {}

    sdk::Result<void> match(const std::vector<std::string>& written) {
        for (std::size_t i = 0; i < changed_.size(); ++i) {
            const ChangedRecord& record = changed_[i];
            known_.insert(record.id);
            if (!record.base && !record.source) continue;
            // All three have it under one id.
            if (record.base && record.source && record.target) continue;
            const auto place = place_of(record.base ? *record.base : *record.source);
            if (place) found_[*place].emplace(record.id, i);
        }
        if (auto added = add_ended(written); !added) return added;
        Pace pace(target_.context());
        for (const auto& [place, records] : found_) {
            if (auto may = pace.step(); !may) return may;
            if (auto settled = settle(place, records); !settled) return settled;
        }
        std::erase_if(changed_,
                      [this](const ChangedRecord& record) { return left_.contains(record.id); });
        std::move(joined_.begin(), joined_.end(), std::back_inserter(changed_));
        return {};
    }

private:
    /// Where records stand in what is changed, by id.
    using Records = std::map<std::string, std::size_t>;

    /// What the source has made, or got by a merge, and ended.
    sdk::Result<void> add_ended(const std::vector<std::string>& written) {
        const View& view = sides_.source_view().view();
        const History history(sides_.past(), sides_.space(), view);
        Pace pace(target_.context());
        for (const std::string& key : written) {
            if (auto may = pace.step(); !may) return may;
            const std::string id = node_of_record_key(key);
            if (known_.contains(id)) continue;
            auto is_there = sides_.source_view().contains(key);
            if (!is_there) return is_there.error();
            if (*is_there) continue;
            auto last = history.newest(id);
            if (!last) return last.error();
            if (!*last) continue;
            auto record = history.read(id, **last);
            if (!record) return record.error();
            if (!*record) continue;
            if (auto place = place_of(**record)) found_[*place];
        }
        return {};
    }

    sdk::Result<void> settle(const Place& place, const Records& records) {
        auto in_source = ids_in(sides_.source_view(), place);
        if (!in_source) return in_source.error();
        auto in_target = ids_in(target_.view(), place);
        if (!in_target) return in_target.error();
        const auto is_alone = [&records](const Ids& ids) {
            return std::all_of(ids.begin(), ids.end(),
                               [&](const std::string& id) { return records.contains(id); });
        };
        auto base = base_of(place, records);
        if (!base) return base.error();
        const bool has_known_base = !base->part || records.contains(base->id);
        // The ids tell the same as the ends.
        if (records.size() == 1 && has_known_base && is_alone(*in_source) && is_alone(*in_target))
            return {};
        ChangedRecord joined;
        joined.base = std::move(base->part);
        joined.id = std::move(base->id);
        if (auto read = read_source(*in_source, joined); !read) return read;
        if (auto read = read_target(*in_target, joined); !read) return read;
        for (const auto& [id, index] : records) {
            left_.insert(id);
            joined.source_ids.insert(id);
        }
        if (joined.id.empty()) return {};
        joined.is_told_by_ends = true;
        const auto is_same = [](const std::optional<sdk::Json>& one,
                                const std::optional<sdk::Json>& other) {
            return one && other ? sdk::is_same_json(comparable(*one), comparable(*other))
                                : one.has_value() == other.has_value();
        };
        if (is_same(joined.base, joined.source)) return {};
        // What follows from the id does so from that of the one that stays.
        const std::string qname = qname_of(joined);
        for (std::optional<sdk::Json>* const part :
             {&joined.base, &joined.source, &joined.target}) {
            if (*part) (**part)[member::kQName] = qname;
        }
        joined_.push_back(std::move(joined));
        return {};
    }

    static std::string qname_of(const ChangedRecord& record) {
        for (const auto* const part : {&record.target, &record.source, &record.base}) {
            if (*part) return sdk::text_member(**part, member::kQName);
        }
        return {};
    }

    /// What the sides had at a place, also what one has taken over from the other since.
    sdk::Result<Base> base_of(const Place& place, const Records& records) const {
        for (const auto& [id, index] : records) {
            if (changed_[index].base) return Base{id, changed_[index].base};
        }
        return base_at(sides_, place);
    }

    sdk::Result<void> read_source(const Ids& ids, ChangedRecord& joined) const {
        if (ids.empty()) return {};
        joined.id = *ids.begin();
        auto own = sides_.fresh(node_record_key(joined.id));
        if (!own) return own.error();
        joined.source = std::move(own->source);
        joined.source_ms = own->source_ms;
        joined.source_ids.insert(joined.id);
        return {};
    }

    sdk::Result<void> read_target(const Ids& ids, ChangedRecord& joined) const {
        if (ids.empty()) return {};
        joined.id = *ids.begin();
        auto own = sides_.fresh(node_record_key(joined.id));
        if (!own) return own.error();
        joined.target = std::move(own->target);
        joined.target_ms = own->target_ms;
        return {};
    }

    const BranchContent& target_;
    const MergeSides& sides_;
    std::vector<ChangedRecord>& changed_;
    /// Ids of what is changed.
    Ids known_;
    /// What is changed of places, and of those that have ended.
    std::map<Place, Records> found_;
    /// Of places one for each.
    std::vector<ChangedRecord> joined_;
    Ids left_;
};

}  // namespace

sdk::Result<bool> is_place_in_base(const MergeSides& sides, const sdk::Json& association) {
    const auto place = place_of(association);
    if (!place) return false;
    auto base = base_at(sides, *place);
    if (!base) return base.error();
    return base->part.has_value();
}

sdk::Result<void> match_equal_places(const BranchContent& target, const MergeSides& sides,
                                     const std::vector<std::string>& written,
                                     std::vector<ChangedRecord>& changed) {
    return Matching(target, sides, changed).match(written);
}

}  // namespace stele::nodes

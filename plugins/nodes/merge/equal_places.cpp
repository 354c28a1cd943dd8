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
    /// One that it has there.
    std::string id;
    std::optional<sdk::Json> part;
};

/// What both sides had at a place, also what one has taken over from the other since; `ids` are
/// those that it is known to have had.
sdk::Result<Base> base_at(const MergeSides& sides, const Place& place, const Ids& ids) {
    Base base;
    auto part =
        sides.base_of(ids, [&](const ViewReader& view) -> sdk::Result<std::optional<sdk::Json>> {
            auto shown = ids_in(view, place);
            if (!shown) return shown.error();
            if (shown->empty()) return std::optional<sdk::Json>();
            if (base.id.empty()) base.id = *shown->begin();
            auto version = SideVersion::of(view, node_record_key(*shown->begin()));
            if (!version) return version.error();
            auto record = version->record();
            if (!record || !*record) return record;
            return std::optional(comparable(merged_part(**record)));
        });
    if (!part) return part.error();
    base.part = *std::move(part);
    return base;
}

bool is_same_place(const std::optional<sdk::Json>& one, const std::optional<sdk::Json>& other) {
    return one && other ? sdk::is_same_json(comparable(*one), comparable(*other))
                        : one.has_value() == other.has_value();
}

class Matching {
public:
    Matching(const BranchContent& target, const MergeSides& sides,
             std::vector<ChangedRecord>& changed)
        : target_(target), sides_(sides), changed_(changed) {}

    sdk::Result<void> match(const std::vector<std::string>& written) {
        if (auto opened = open_histories(); !opened) return opened;
        std::set<std::string> known;
        for (std::size_t i = 0; i < changed_.size(); ++i) {
            const ChangedRecord& record = changed_[i];
            known.insert(record.id);
            if (!record.base && !record.source) continue;
            const auto place = place_of(record.base ? *record.base : *record.source);
            if (place) found_[*place].records.emplace(record.id, i);
        }
        Pace pace(target_.context());
        for (const std::string& key : written) {
            if (auto may = pace.step(); !may) return may;
            if (known.contains(node_of_record_key(key))) continue;
            if (auto added = add_unchanged(key); !added) return added;
        }
        for (const auto& [place, written_there] : found_) {
            if (auto may = pace.step(); !may) return may;
            if (auto settled = settle(place, written_there); !settled) return settled;
        }
        std::erase_if(changed_,
                      [this](const ChangedRecord& record) { return left_.contains(record.id); });
        std::move(joined_.begin(), joined_.end(), std::back_inserter(changed_));
        return {};
    }

private:
    /// What the source's changesets have written at a place.
    struct Written {
        /// Where it stands in what is changed, by id.
        std::map<std::string, std::size_t> records;
        /// What is not changed by its id.
        Ids others;
    };

    /// The source's own, and those of other lines whose changesets have come into it since.
    sdk::Result<void> open_histories() {
        const View& own = sides_.source_view().view();
        histories_.emplace_back(sides_.past(), sides_.space(), own);
        const MergeBase& base = sides_.base();
        for (const auto& [line, revision] : base.source()) {
            const bool is_own =
                std::any_of(own.links.begin(), own.links.end(),
                            [line = line](const Link& link) { return link.line == line; });
            if (is_own || covered(base.common(), line) >= revision) continue;
            auto view = base.view_at({line, revision});
            if (!view) return view.error();
            histories_.emplace_back(sides_.past(), sides_.space(), (*view)->view());
        }
        return {};
    }

    /// What has changed by its ends alone: it has ended since it was made, or come by a merge that
    /// left it out for one that was there, or is what the base has under another id.
    sdk::Result<void> add_unchanged(const std::string& key) {
        const std::string id = node_of_record_key(key);
        auto present = SideVersion::of(sides_.source_view(), key);
        if (!present) return present.error();
        auto record = present->record();
        for (const History& history : histories_) {
            if (!record || *record) break;
            record = last_record(history, id);
        }
        if (!record) return record.error();
        const auto place = *record ? place_of(**record) : std::nullopt;
        if (place) found_[*place].others.insert(id);
        return {};
    }

    static sdk::Result<std::optional<sdk::Json>> last_record(const History& history,
                                                             const std::string& id) {
        auto last = history.newest(id);
        if (!last) return last.error();
        return *last ? history.read(id, **last) : std::optional<sdk::Json>();
    }

    sdk::Result<void> settle(const Place& place, const Written& written) {
        auto in_source = ids_in(sides_.source_view(), place);
        if (!in_source) return in_source.error();
        auto in_target = ids_in(target_.view(), place);
        if (!in_target) return in_target.error();
        Ids ids = written.others;
        for (const auto& [id, index] : written.records)
            ids.insert(id);
        ids.insert(in_source->begin(), in_source->end());
        ids.insert(in_target->begin(), in_target->end());
        auto base = base_at(sides_, place, ids);
        if (!base) return base.error();
        auto known_to_source = known_to_source_of(ids, *in_source);
        if (!known_to_source) return known_to_source.error();
        if (written.records.size() == 1 && ids.size() == 1) {
            // The id tells the same as the ends.
            ChangedRecord& record = changed_[written.records.begin()->second];
            if (is_same_place(base->part, record.base)) {
                record.is_told_by_ends = true;
                record.source_ids = *std::move(known_to_source);
                return {};
            }
        }
        for (const auto& [id, index] : written.records)
            left_.insert(id);
        ChangedRecord joined;
        joined.is_told_by_ends = true;
        joined.source_ids = *std::move(known_to_source);
        joined.base = std::move(base->part);
        if (joined.base) joined.id = std::move(base->id);
        auto of_source = first_of(*in_source);
        if (!of_source) return of_source.error();
        joined.source = std::move(of_source->source);
        joined.source_ms = of_source->source_ms;
        auto of_target = first_of(*in_target);
        if (!of_target) return of_target.error();
        joined.target = std::move(of_target->target);
        joined.target_ms = of_target->target_ms;
        for (ChangedRecord* const has : {&*of_source, &*of_target}) {
            if (!has->id.empty()) joined.id = std::move(has->id);
        }
        if (is_same_place(joined.base, joined.source)) return {};
        // What follows from the id does so from that of the one that stays.
        const std::string qname = qname_of(joined);
        for (std::optional<sdk::Json>* const part :
             {&joined.base, &joined.source, &joined.target}) {
            if (*part) (**part)[member::kQName] = qname;
        }
        joined_.push_back(std::move(joined));
        return {};
    }

    /// Those that it has or has had itself.
    sdk::Result<Ids> known_to_source_of(const Ids& ids, const Ids& present) const {
        Ids known;
        for (const std::string& id : ids) {
            if (present.contains(id)) {
                known.insert(id);
                continue;
            }
            auto last = histories_.front().newest(id);
            if (!last) return last.error();
            if (*last) known.insert(id);
        }
        return known;
    }

    /// A base that was joined has no name of its own.
    static std::string qname_of(const ChangedRecord& record) {
        for (const auto* const part : {&record.target, &record.source}) {
            if (*part) return sdk::text_member(**part, member::kQName);
        }
        return "o:" + record.id;
    }

    /// What the sides have under the first of some ids; nothing where there is none.
    sdk::Result<ChangedRecord> first_of(const Ids& ids) const {
        return ids.empty() ? ChangedRecord() : sides_.fresh(node_record_key(*ids.begin()));
    }

    const BranchContent& target_;
    const MergeSides& sides_;
    std::vector<ChangedRecord>& changed_;
    std::vector<History> histories_;
    std::map<Place, Written> found_;
    /// Of places one for each.
    std::vector<ChangedRecord> joined_;
    Ids left_;
};

}  // namespace

sdk::Result<bool> is_place_in_base(const MergeSides& sides, const sdk::Document& association) {
    const auto place = place_of(association.fields);
    if (!place) return false;
    auto ids = ids_in(sides.source_view(), *place);
    if (!ids) return ids.error();
    ids->insert(association.id);
    auto base = base_at(sides, *place, *ids);
    if (!base) return base.error();
    return base->part.has_value();
}

sdk::Result<void> match_equal_places(const BranchContent& target, const MergeSides& sides,
                                     const std::vector<std::string>& written,
                                     std::vector<ChangedRecord>& changed) {
    return Matching(target, sides, changed).match(written);
}

}  // namespace stele::nodes

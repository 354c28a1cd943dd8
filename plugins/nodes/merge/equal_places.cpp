#include "merge/equal_places.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

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
sdk::Json comparable(const sdk::Json& part) {
    sdk::Json fields = fields_in(part);
    fields.erase(member::kQName);
    return fields;
}

class Matching {
public:
    Matching(const BranchContent& target, const MergeSides& sides, bool has_taken_over,
             std::vector<ChangedRecord>& changed)
        : target_(target), sides_(sides), has_taken_over_(has_taken_over), changed_(changed) {}

    sdk::Result<void> match(const std::vector<std::string>& written) {
        for (std::size_t i = 0; i < changed_.size(); ++i) {
            const ChangedRecord& record = changed_[i];
            known_.emplace(record.id, i);
            if (!record.base && !record.source) continue;
            const auto place = place_of(record.base ? *record.base : *record.source);
            if (!place) continue;
            if (record.base) former_.insert(*place);
            if (!record.base || !record.source) found_[*place].insert(record.id);
        }
        if (auto added = add_ended(written); !added) return added;
        Pace pace(target_.context());
        for (const auto& [place, ids] : found_) {
            if (auto may = pace.step(); !may) return may;
            if (auto settled = settle(place, ids); !settled) return settled;
        }
        std::erase_if(changed_,
                      [this](const ChangedRecord& record) { return left_.contains(record.id); });
        return {};
    }

private:
    /// What the source has made, or got by a merge, and ended.
    sdk::Result<void> add_ended(const std::vector<std::string>& written) {
        const View& view = sides_.source_view().view();
        const History history(sides_.past(), sides_.space(), view);
        for (const std::string& key : written) {
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

    sdk::Result<void> settle(const Place& place, const std::set<std::string>& ids) {
        auto in_source = ids_in(sides_.source_view(), place);
        if (!in_source) return in_source.error();
        auto was_there = is_in_base(place);
        if (!was_there) return was_there.error();
        if (!in_source->empty() && *was_there) {
            leave_replaced(ids);
        } else if (*was_there) {
            return end_on_target(place, ids);
        }
        return {};
    }

    void leave_replaced(const std::set<std::string>& ids) {
        std::vector<sdk::Json> parts;
        for (const std::string& id : ids) {
            const ChangedRecord& record = changed_[known_.at(id)];
            parts.push_back(comparable(record.source ? *record.source : *record.base));
        }
        // Unless it says something else than before.
        if (std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) == parts.end())
            left_.insert(ids.begin(), ids.end());
    }

    sdk::Result<void> end_on_target(const Place& place, const std::set<std::string>& ids) {
        auto in_target = ids_in(target_.view(), place);
        if (!in_target) return in_target.error();
        for (const std::string& id : *in_target) {
            if (known_.contains(id)) continue;
            auto record = sides_.fresh(node_record_key(id));
            if (!record) return record.error();
            if (record->source || !record->target) continue;
            record->base = record->target;
            record->is_of_target_alone = true;
            changed_.push_back(*std::move(record));
        }
        if (in_target->empty()) return ids.empty() ? add_left_by_both(place) : sdk::Result<void>();
        for (const std::string& id : ids) {
            if (!in_target->contains(id)) left_.insert(id);
        }
        return {};
    }

    sdk::Result<std::set<std::string>> ids_in(const ViewReader& view, const Place& place) const {
        std::set<std::string> ids;
        auto walked = Graph(view).for_each_edge(
            place.target, Direction::incoming, place.type, [&](const Edge& edge) {
                if (edge.end == Direction::incoming && edge.other == place.source)
                    ids.insert(edge.association);
                return true;
            });
        if (!walked) return walked.error();
        return ids;
    }

    /// Both have ended it, the source under an id that the base does not have.
    sdk::Result<void> add_left_by_both(const Place& place) {
        auto views = sides_.base_views();
        if (!views) return views.error();
        for (const ViewReader* view : *views) {
            auto ids = ids_in(*view, place);
            if (!ids) return ids.error();
            if (ids->empty()) continue;
            ChangedRecord record;
            record.id = *ids->begin();
            record.base = sdk::Json{{member::kType, place.type},
                                    {member::kIsAssociation, true},
                                    {member::kSource, place.source},
                                    {member::kTarget, place.target}};
            record.is_of_target_alone = true;
            changed_.push_back(std::move(record));
            return {};
        }
        return {};
    }

    sdk::Result<bool> is_in_base(const Place& place) const {
        // What one branch has taken over from the other since the common changesets.
        if (has_taken_over_ && former_.contains(place)) return true;
        return sides_.base().shows([&](const ViewReader& view) -> sdk::Result<bool> {
            auto ids = ids_in(view, place);
            if (!ids) return ids.error();
            return !ids->empty();
        });
    }

    const BranchContent& target_;
    const MergeSides& sides_;
    const bool has_taken_over_;
    std::vector<ChangedRecord>& changed_;
    /// Where what is changed stands in it, by id.
    std::map<std::string, std::size_t> known_;
    /// Places that the base of what is changed has.
    std::set<Place> former_;
    /// By places the ids of those among what is changed.
    std::map<Place, std::set<std::string>> found_;
    std::set<std::string> left_;
};

}  // namespace

sdk::Result<void> match_equal_places(const BranchContent& target, const MergeSides& sides,
                                     const std::vector<std::string>& written, bool has_taken_over,
                                     std::vector<ChangedRecord>& changed) {
    return Matching(target, sides, has_taken_over, changed).match(written);
}

}  // namespace stele::nodes

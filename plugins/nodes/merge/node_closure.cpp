#include "merge/node_closure.hpp"

#include <fmt/format.h>

#include <stele/sdk/members.hpp>

#include "branch/pace.hpp"
#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "graph/node_copy.hpp"
#include "history/history.hpp"
#include "merge/adopted_versions.hpp"

namespace stele::nodes {

namespace {

class Closing {
public:
    Closing(const BranchContent& source, const BranchContent& target, const MergeSides& sides,
            const ClosureRules& rules)
        : source_(source), target_(target), sides_(sides), rules_(rules), pace_(target.context()) {}

    sdk::Result<NodeClosure> close(const std::vector<std::string>& named) {
        for (const std::string& id : named) {
            auto is_there = is_on_target(id);
            if (!is_there) return is_there.error();
            auto was_there = *is_there ? sdk::Result<bool>(false) : was_on_target(id);
            if (!was_there) return was_there.error();
            if (!*is_there) closure_.fresh.insert(id);
            Reached reached{.id = id, .depth = rules_.depth, .comes_back = *was_there};
            if (auto added = add(std::move(reached)); !added) return added.error();
        }
        const bool follows = !rules_.excludes_associations;
        for (std::size_t next = 0; follows && next < reached_.size(); ++next) {
            const Reached from = reached_[next];
            if (auto followed = follow(from); !followed) return followed.error();
        }
        for (const std::string& id : closure_.nodes) {
            if (auto added = add_associations(id); !added) return added.error();
        }
        return std::move(closure_);
    }

private:
    struct Reached {
        std::string id;
        std::size_t depth = 0;
        /// It comes for what lies in it, and its other associations lead nowhere.
        bool is_folder = false;
        /// The target has had and deleted it, or what it comes for.
        bool comes_back = false;
    };

    sdk::Result<void> add(Reached reached) {
        if (!known_.insert(reached.id).second) return {};
        if (closure_.nodes.size() == rules_.most) {
            return sdk::make_error(
                sdk::ErrorKind::too_large, "nodes.copy_too_large",
                fmt::format("more than {} nodes would be copied at once", rules_.most));
        }
        closure_.nodes.push_back(reached.id);
        if (reached.comes_back) closure_.fresh.insert(reached.id);
        reached_.push_back(std::move(reached));
        return {};
    }

    bool comes(const Edge& edge) const {
        return is_copied_type(edge.type) && !rules_.excluded_types.contains(edge.type);
    }

    sdk::Result<void> follow(const Reached& from) {
        auto edges = source_.edges(from.id, Direction::any);
        if (!edges) return edges.error();
        for (const Edge& edge : *edges) {
            if (auto may = pace_.step(); !may) return may;
            if (!comes(edge) || known_.contains(edge.other)) continue;
            auto next = next_of(from, edge);
            if (!next) return next.error();
            if (!*next) continue;
            auto node = source_.readable_node(edge.other);
            if (!node && sdk::is_missing(node.error())) continue;
            if (!node) return node.error();
            const std::string type = sdk::text_member(node->fields, member::kType);
            if (type == type::kPerson || type == type::kGroup || type == type::kTag) continue;
            if (auto added = add(std::move(**next)); !added) return added;
        }
        return {};
    }

    /// What is at the other end of an association, where it comes along.
    sdk::Result<std::optional<Reached>> next_of(const Reached& from, const Edge& edge) const {
        const std::optional<Reached> nothing;
        const bool is_outgoing = edge.end == Direction::outgoing;
        if (is_place(edge)) {
            // What it lies in, belongs to or translates.
            auto is_there = is_on_target(edge.other);
            if (!is_there) return is_there.error();
            if (*is_there) return nothing;
            return std::optional<Reached>(
                Reached{.id = edge.other, .is_folder = true, .comes_back = from.comes_back});
        }
        if (edge.type == association::kChild || from.is_folder) return nothing;
        const bool is_part = is_outgoing && (edge.type == association::kHasTranslation ||
                                             edge.type == association::kOwned);
        if (is_part) {
            auto is_there = is_on_target(edge.other);
            if (!is_there) return is_there.error();
            return std::optional<Reached>(Reached{.id = edge.other,
                                                  .depth = from.depth,
                                                  .comes_back = from.comes_back && !*is_there});
        }
        if (is_outgoing && rules_.has_relators) {
            auto association = source_.readable_node(edge.association);
            if (!association && !sdk::is_missing(association.error())) return association.error();
            // One step: what it names in turn stays.
            if (association && is_relation(association->fields))
                return std::optional<Reached>(Reached{.id = edge.other, .is_folder = true});
        }
        if (from.depth == 0) return nothing;
        return std::optional<Reached>(Reached{.id = edge.other, .depth = from.depth - 1});
    }

    /// Whether an association makes what it leads to, which it is seen from, lie in something.
    static bool is_place(const Edge& edge) {
        return edge.end == Direction::incoming &&
               (edge.type == association::kChild || edge.type == association::kOwned ||
                edge.type == association::kHasTranslation);
    }

    sdk::Result<bool> was_on_target(const std::string& id) const {
        auto bases = sides_.base_views();
        if (!bases) return bases.error();
        for (const ViewReader* base : *bases) {
            auto has = base->contains(node_record_key(id));
            if (!has || *has) return has;
        }
        auto taken = adopted_versions(target_.view(), id);
        if (!taken) return taken.error();
        return !taken->empty();
    }

    sdk::Result<bool> is_on_target(const std::string& id) const {
        auto node = target_.node(id);
        if (!node && sdk::is_missing(node.error())) return false;
        if (!node) return node.error();
        return true;
    }

    sdk::Result<void> add_associations(const std::string& id) {
        for (const BranchContent* branch : {&source_, &target_}) {
            auto edges = branch->edges(id, Direction::any);
            if (!edges) return edges.error();
            for (const Edge& edge : *edges) {
                if (auto may = pace_.step(); !may) return may;
                if (!is_copied_type(edge.type) || closure_.associations.contains(edge.association))
                    continue;
                // What lies in a folder comes when it is named itself.
                const bool is_member =
                    edge.type == association::kChild && edge.end == Direction::outgoing;
                if (is_member && !known_.contains(edge.other)) continue;
                auto has_end = may_have_end(edge.other);
                if (!has_end) return has_end.error();
                auto association = branch->readable_node(edge.association);
                if (!association && !sdk::is_missing(association.error()))
                    return association.error();
                if (!*has_end || !association) {
                    if (auto left = leave_out(*branch, edge); !left) return left;
                    continue;
                }
                // What stands for a property belongs to its node.
                const bool stays = rules_.excludes_associations || !comes(edge);
                if (!stays || is_relation(association->fields))
                    closure_.associations.insert(edge.association);
            }
        }
        return add_former_places(id);
    }

    /// A node whose new place stays behind would lie nowhere, or in two places.
    sdk::Result<void> leave_out(const BranchContent& branch, const Edge& edge) const {
        const bool is_new_place =
            &branch == &source_ && is_place(edge) && comes(edge) && !rules_.excludes_associations;
        if (!is_new_place) return {};
        auto is_there = is_on_target(edge.association);
        if (!is_there) return is_there.error();
        if (*is_there) return {};
        return sdk::make_error(sdk::ErrorKind::forbidden, "nodes.merge_unreadable",
                               "a node lies on the source in what may not be read");
    }

    /// Folders that the branches have had it in.
    sdk::Result<void> add_former_places(const std::string& id) {
        if (rules_.excludes_associations) return {};
        auto bases = sides_.base_views();
        if (!bases) return bases.error();
        std::set<std::string> places;
        for (const ViewReader* base : *bases) {
            if (auto added = add_places(*base, id, places); !added) return added;
        }
        // Ones that a branch has taken over were seen along with former ones.
        std::vector<std::string> left(places.begin(), places.end());
        left.push_back(id);
        while (sides_.takes_over() && !left.empty()) {
            const std::string record = std::move(left.back());
            left.pop_back();
            auto points = adopted_points(record);
            if (!points) return points.error();
            for (const AncestryPoint& point : *points) {
                auto view = sides_.base().view_at(point);
                if (!view) return view.error();
                std::set<std::string> taken;
                if (auto added = add_places(**view, id, taken); !added) return added;
                for (const std::string& place : taken) {
                    if (places.insert(place).second) left.push_back(place);
                }
            }
        }
        closure_.associations.insert(places.begin(), places.end());
        return {};
    }

    sdk::Result<void> add_places(const ViewReader& view, const std::string& id,
                                 std::set<std::string>& places) const {
        for (const char* type : {association::kChild, association::kOwned}) {
            if (rules_.excluded_types.contains(type)) continue;
            auto walked = Graph(view).for_each_edge(id, Direction::incoming, type,
                                                    [&places](const Edge& edge) {
                                                        places.insert(edge.association);
                                                        return true;
                                                    });
            if (!walked) return walked;
        }
        return {};
    }

    /// Where either branch has taken a record over from the other.
    sdk::Result<std::vector<AncestryPoint>> adopted_points(const std::string& id) const {
        auto points = adopted_versions(target_.view(), id);
        if (!points) return points;
        auto others = adopted_versions(sides_.source_view(), id);
        if (!others) return others;
        points->insert(points->end(), others->begin(), others->end());
        return points;
    }

    /// Whether the target has the other end, or gets it. A person's is found by the merge.
    sdk::Result<bool> may_have_end(const std::string& id) {
        if (known_.contains(id)) return true;
        auto is_there = is_on_target(id);
        if (!is_there || *is_there) return is_there;
        auto node = source_.node(id);
        if (!node && sdk::is_missing(node.error())) return false;
        if (!node) return node.error();
        const std::string type = sdk::text_member(node->fields, member::kType);
        const bool is_person = type == type::kPerson || type == type::kGroup;
        if (is_person) closure_.associations.insert(id);
        return is_person;
    }

    const BranchContent& source_;
    const BranchContent& target_;
    const MergeSides& sides_;
    const ClosureRules& rules_;
    Pace pace_;
    NodeClosure closure_;
    std::vector<Reached> reached_;
    std::set<std::string> known_;
};

}  // namespace

sdk::Result<NodeClosure> close_over(const BranchContent& source, const BranchContent& target,
                                    const MergeSides& sides, const std::vector<std::string>& named,
                                    const ClosureRules& rules) {
    return Closing(source, target, sides, rules).close(named);
}

}  // namespace stele::nodes

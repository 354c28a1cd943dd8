#include "merge/circles.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace stele::nodes {

namespace {

/// Tarjan's strongly connected components, with a stack of its own: folders lie deep.
class Circles {
public:
    using Above = std::function<sdk::Result<std::vector<std::string>>(const std::string& node)>;

    explicit Circles(const Above& above) : above_(above) {}

    sdk::Result<void> walk(const std::string& begin) {
        if (places_.contains(begin)) return {};
        if (auto entered = enter(begin); !entered) return entered;
        while (!path_.empty()) {
            Step& step = path_.back();
            if (step.next == step.above.size()) {
                leave();
                continue;
            }
            const std::string above = step.above[step.next++];
            const auto known = places_.find(above);
            if (known == places_.end()) {
                if (auto entered = enter(above); !entered) return entered;
            } else if (!known->second.group) {
                lower(step.node, known->second.order);
            }
        }
        return {};
    }

    CircleGroups groups() const {
        CircleGroups found;
        for (const auto& [node, place] : places_)
            found.emplace(node, *place.group);
        return found;
    }

private:
    struct Place {
        std::size_t order = 0;
        /// The first that it reaches of those whose group is open.
        std::size_t lowest = 0;
        std::optional<std::size_t> group;
    };
    struct Step {
        std::string node;
        std::vector<std::string> above;
        std::size_t next = 0;
    };

    sdk::Result<void> enter(const std::string& node) {
        auto above = above_(node);
        if (!above) return above.error();
        const std::size_t order = places_.size();
        places_[node] = {order, order, std::nullopt};
        open_.push_back(node);
        path_.push_back({node, *std::move(above)});
        return {};
    }

    void lower(const std::string& node, std::size_t order) {
        Place& place = places_.at(node);
        place.lowest = std::min(place.lowest, order);
    }

    void leave() {
        const std::string node = std::move(path_.back().node);
        path_.pop_back();
        const Place place = places_.at(node);
        if (!path_.empty()) lower(path_.back().node, place.lowest);
        if (place.lowest != place.order) return;
        std::string last;
        do {
            last = std::move(open_.back());
            open_.pop_back();
            places_.at(last).group = place.order;
        } while (last != node);
    }

    const Above& above_;
    std::unordered_map<std::string, Place> places_;
    std::vector<Step> path_;
    /// Nodes whose group is not known yet.
    std::vector<std::string> open_;
};

}  // namespace

sdk::Result<CircleGroups> circle_groups(
    const std::vector<std::string>& begin,
    const std::function<sdk::Result<std::vector<std::string>>(const std::string& node)>& above) {
    Circles circles(above);
    for (const std::string& node : begin) {
        if (auto walked = circles.walk(node); !walked) return walked.error();
    }
    return circles.groups();
}

}  // namespace stele::nodes

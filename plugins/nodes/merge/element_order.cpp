#include "merge/element_order.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "merge/rising_places.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

using Names = std::span<const std::string_view>;
/// Numbers of elements.
using Order = std::vector<std::size_t>;

/// What says where an element stands: the order that both sides have left, or a side.
enum class Placed : std::uint8_t { as_before, by_source, by_target };

struct Element {
    std::string_view name;
    std::size_t in_base = kNone;
    bool is_in_target = false;
    Placed placed = Placed::as_before;
    /// Of the tree in which each hangs on what it stands behind.
    std::size_t first_child = kNone;
    std::size_t last_child = kNone;
    std::size_t next = kNone;
};

/// The elements as a tree: those that nobody moved, in their order, and on each what stands behind
/// it. What was moved hangs on the nearest element before it that is in the base and that the other
/// side did not move; what was added hangs on the element before it, whatever that is. Nothing
/// hangs on itself: elements of the base never hang on additions, nor on what the other side
/// placed, and additions of the target never on those that only the source has.
class OrderTree {
public:
    OrderTree(Names base, Names source, Names target,
              const std::function<bool(std::string_view)>& stays)
        : stays_(stays) {
        // What stands before everything.
        elements_.emplace_back();
        target_ = numbered(target);
        for (const std::size_t number : target_)
            elements_[number].is_in_target = true;
        source_ = numbered(source);
        for (std::size_t place = 0; place < base.size(); ++place) {
            const auto found = numbers_.find(base[place]);
            if (found == numbers_.end()) continue;
            elements_[found->second].in_base = place;
            base_.push_back(found->second);
        }
    }

    std::vector<std::string_view> merged() {
        mark_placed(source_, Placed::by_source);
        // Where both have moved it, the target's place is the last that is marked.
        mark_placed(target_, Placed::by_target);
        hang(target_, Placed::by_target);
        hang(source_, Placed::by_source);
        std::vector<std::string_view> names;
        names.reserve(elements_.size() - 1);
        append_behind(kStart, names);
        for (const std::size_t number : base_) {
            if (elements_[number].placed != Placed::as_before) continue;
            names.push_back(elements_[number].name);
            append_behind(number, names);
        }
        return names;
    }

private:
    static constexpr std::size_t kStart = 0;

    Order numbered(Names names) {
        Order order;
        order.reserve(names.size());
        for (const std::string_view name : names) {
            auto found = numbers_.find(name);
            if (found == numbers_.end()) {
                if (!stays_(name)) continue;
                found = numbers_.emplace(name, elements_.size()).first;
                elements_.push_back({.name = name});
            }
            order.push_back(found->second);
        }
        return order;
    }

    /// What a side has moved, as few as possible, and what it alone has added, or the target.
    void mark_placed(const Order& side, Placed by) {
        Order common;
        std::vector<std::size_t> places;
        for (const std::size_t number : side) {
            const Element& element = elements_[number];
            if (element.in_base == kNone) {
                if (by == Placed::by_target || !element.is_in_target) place(number, by);
            } else {
                common.push_back(number);
                places.push_back(element.in_base);
            }
        }
        const auto rising = longest_rising(places);
        auto unmoved = rising.begin();
        for (std::size_t i = 0; i < common.size(); ++i) {
            if (unmoved != rising.end() && *unmoved == i) {
                ++unmoved;
            } else {
                place(common[i], by);
            }
        }
    }

    void place(std::size_t number, Placed by) { elements_[number].placed = by; }

    void hang(const Order& side, Placed by) {
        std::size_t before = kStart;
        std::size_t before_moved = kStart;
        for (const std::size_t number : side) {
            const Element& element = elements_[number];
            const bool is_added = element.in_base == kNone;
            if (element.placed == by) hang_behind(is_added ? before : before_moved, number);
            if (!is_added && (element.placed == by || element.placed == Placed::as_before))
                before_moved = number;
            before = number;
        }
    }

    void hang_behind(std::size_t parent, std::size_t number) {
        Element& above = elements_[parent];
        if (above.last_child == kNone) {
            above.first_child = number;
        } else {
            elements_[above.last_child].next = number;
        }
        above.last_child = number;
    }

    void append_behind(std::size_t parent, std::vector<std::string_view>& names) {
        if (elements_[parent].first_child == kNone) return;
        std::vector<std::size_t> open{elements_[parent].first_child};
        while (!open.empty()) {
            const Element& element = elements_[open.back()];
            open.pop_back();
            names.push_back(element.name);
            if (element.next != kNone) open.push_back(element.next);
            if (element.first_child != kNone) open.push_back(element.first_child);
        }
    }

    const std::function<bool(std::string_view)>& stays_;
    std::vector<Element> elements_;
    std::unordered_map<std::string_view, std::size_t> numbers_;
    Order base_;
    Order source_;
    Order target_;
};

}  // namespace

std::vector<std::string_view> merge_order(std::span<const std::string_view> base,
                                          std::span<const std::string_view> source,
                                          std::span<const std::string_view> target,
                                          const std::function<bool(std::string_view)>& stays) {
    return OrderTree(base, source, target, stays).merged();
}

}  // namespace stele::nodes

#include "relation/property_resolver.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

/// What the server says of the node, when it is named.
constexpr std::array kToldOfNode{kElementId, kElementRef, kElementTitle, kElementQName,
                                 kElementType};

/// Neither the write nor a definition makes an element that was there say more.
void keep_told(const sdk::Json& former, sdk::Json& element) {
    for (const char* name : kToldOfNode) {
        const auto told = former.find(name);
        if (told != former.end()) {
            element[name] = *told;
        } else {
            element.erase(name);
        }
    }
}

}  // namespace

PropertyResolver::PropertyResolver(NamedTargets& targets, const Relator& relator,
                                   const sdk::Json* former, sdk::Violations& violations)
    : targets_(targets),
      relator_(relator),
      violations_(violations),
      pace_(targets.content().context()) {
    for (const sdk::Json* element : elements_of(former)) {
        std::string id = named_node(*element);
        if (id.empty()) {
            ++nameless_before_;
        } else {
            named_before_[std::move(id)].elements.push_back(element);
        }
    }
}

void PropertyResolver::add_problem(const std::string& place, const char* code,
                                   std::string_view problem) {
    std::string path = relator_.path + place;
    std::replace(path.begin(), path.end(), '/', '.');
    path = sdk::shown_path(path);
    violations_.push_back({path, code, fmt::format("the property \"{}\" {}", path, problem)});
}

void PropertyResolver::add_exceeded(std::string_view problem) {
    is_exceeded_ = true;
    add_problem({}, "nodes.relations_exceeded", problem);
}

sdk::Result<void> PropertyResolver::resolve(sdk::Json& value) {
    if (value.is_object()) return value.empty() ? sdk::Result<void>() : resolve_element(value, {});
    if (!value.is_array()) return {};
    is_full_ = value.size() > kMaxElements;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (is_exceeded_ || violations_.size() >= sdk::kMaxViolations) break;
        if (auto done = resolve_element(value[i], fmt::format("/{}", i)); !done) return done;
    }
    return {};
}

const sdk::Json* PropertyResolver::take_former(const std::string& id) {
    const auto former = named_before_.find(id);
    if (former == named_before_.end()) return nullptr;
    auto& [elements, taken] = former->second;
    return taken < elements.size() ? elements[taken++] : nullptr;
}

sdk::Result<void> PropertyResolver::resolve_element(sdk::Json& element, const std::string& place) {
    if (auto may_go_on = pace_.step(); !may_go_on) return may_go_on;
    const std::string id = named_node(element);
    if (id.empty()) {
        if (nameless_before_ == 0) {
            add_problem(place, "nodes.relation_malformed",
                        "must be an object that names a node by id or ref");
        } else {
            --nameless_before_;
        }
        return {};
    }
    if (const sdk::Json* const former = take_former(id)) {
        keep_told(*former, element);
        return {};
    }
    return resolve_new(id, element, place);
}

sdk::Result<void> PropertyResolver::resolve_new(const std::string& id, sdk::Json& element,
                                                const std::string& place) {
    // More of them that were there before a definition stay, and are no measure for what is new.
    if (is_full_) {
        add_exceeded(fmt::format("names more than {} nodes", kMaxElements));
        return {};
    }
    auto target = targets_.find(id);
    if (!target) return target.error();
    if (*target == nullptr) {
        add_problem(place, "nodes.relation_unknown", "names no node of the branch");
        return {};
    }
    auto is_fit = targets_.is_of(**target, relator_.node_type);
    if (!is_fit) return is_fit.error();
    if (!*is_fit) {
        add_problem(place, "nodes.relation_unfit",
                    "must name a node of type " + relator_.node_type);
        return {};
    }
    auto is_told = targets_.tell(id, **target, element);
    if (!is_told) return is_told.error();
    if (!*is_told) add_exceeded("names nodes with longer titles than is told at once");
    return {};
}

}  // namespace stele::nodes

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

constexpr char kElementTitle[] = "title";
constexpr char kElementQName[] = "qname";
constexpr char kElementType[] = "typeQName";
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

sdk::Result<std::string> node_address(const BranchContent& content) {
    auto branch = content.context().reference(content.branch());
    if (!branch) return branch.error();
    return std::string(kNodeType) + branch->substr(branch->find("://")) + '/';
}

PropertyResolver::PropertyResolver(const BranchContent& content, const Relator& relator,
                                   const sdk::Json* former, sdk::Violations& violations)
    : content_(content), relator_(relator), violations_(violations) {
    for (const sdk::Json* element : elements_of(former)) {
        ++size_before_;
        std::string id = named_node(*element);
        if (id.empty()) {
            ++nameless_before_;
        } else {
            named_before_.emplace(std::move(id), element);
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

sdk::Result<void> PropertyResolver::exceeded() {
    add_problem({}, "nodes.relations_exceeded",
                fmt::format("names more than {} nodes", kMaxElements));
    return {};
}

sdk::Result<void> PropertyResolver::resolve(sdk::Json& value) {
    if (value.is_object()) return value.empty() ? sdk::Result<void>() : resolve_element(value, {});
    if (!value.is_array()) return {};
    if (value.size() > std::max(kMaxElements, size_before_)) return exceeded();
    for (std::size_t i = 0; i < value.size(); ++i) {
        const bool is_enough =
            violations_.size() >= sdk::kMaxViolations || looked_up_ > kMaxElements;
        if (is_enough) break;
        if (auto done = resolve_element(value[i], fmt::format("/{}", i)); !done) return done;
    }
    return {};
}

sdk::Result<void> PropertyResolver::resolve_element(sdk::Json& element, const std::string& place) {
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
    const auto former = named_before_.find(id);
    if (former != named_before_.end()) {
        keep_told(*former->second, element);
        return {};
    }
    // As many as there were from before a definition are no measure for what is new.
    if (++looked_up_ > kMaxElements) return exceeded();
    auto target = content_.readable_node(id);
    if (!target && !sdk::is_missing(target.error())) return target.error();
    // Other names of a node are not its id.
    if (!target || target->id != id || is_association(target->fields)) {
        add_problem(place, "nodes.relation_unknown", "names no node of the branch");
        return {};
    }
    auto is_fit = fits(sdk::text_member(target->fields, member::kType));
    if (!is_fit) return is_fit.error();
    if (*is_fit) return fill_in(*target, element);
    add_problem(place, "nodes.relation_unfit", "must name a node of type " + relator_.node_type);
    return {};
}

sdk::Result<bool> PropertyResolver::fits(const std::string& type) {
    const auto known = fitting_types_.find(type);
    if (known != fitting_types_.end()) return known->second;
    auto is_fit = is_of_type(content_, type, relator_.node_type);
    if (is_fit) fitting_types_.emplace(type, *is_fit);
    return is_fit;
}

sdk::Result<void> PropertyResolver::fill_in(const sdk::Document& target, sdk::Json& element) {
    if (address_.empty()) {
        auto address = node_address(content_);
        if (!address) return address.error();
        address_ = std::move(*address);
    }
    element[kElementId] = target.id;
    element[kElementRef] = address_ + target.id;
    element[kElementTitle] = sdk::text_member(target.fields, kElementTitle);
    element[kElementQName] = sdk::text_member(target.fields, member::kQName);
    element[kElementType] = sdk::text_member(target.fields, member::kType);
    return {};
}

}  // namespace stele::nodes

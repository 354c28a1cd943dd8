#include "branch/relation_elements.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kPropertyPath[] = "propertyPath";
/// Associations that one operation makes, or brings back, because properties stand for them.
constexpr std::size_t kMaxMade = 10'000;

template <class Value>
Value* member_at(Value& node, std::string_view path) {
    Value* at = &node;
    for (const std::string& step : split_path(path)) {
        if (!at->is_object()) return nullptr;
        const auto found = at->find(step);
        if (found == at->end()) return nullptr;
        at = &*found;
    }
    return at;
}

void erase_property(sdk::Json& node, std::string_view path) {
    const std::size_t slash = path.rfind('/');
    const bool is_inner = slash != std::string_view::npos;
    sdk::Json* const holder = is_inner ? member_at(node, path.substr(0, slash)) : &node;
    if (holder != nullptr && holder->is_object())
        holder->erase(std::string(path.substr(is_inner ? slash + 1 : 0)));
}

}  // namespace

bool is_relation(const sdk::Json& association) {
    return is_association(association) && has_feature(association, feature::kRelator);
}

sdk::Result<sdk::Document> relate(const BranchContent& content, const sdk::Document& source,
                                  const sdk::Document& target, const std::string& type,
                                  std::string_view path) {
    const Raised in_step(content.changes().relations().are_in_step);
    const sdk::Json stands = {
        {feature::kRelator, {{"propertyHolder", "source"}, {kPropertyPath, path}}}};
    return content.associate(source, target,
                             {.source = source.id,
                              .target = target.id,
                              .type = type,
                              .fields = {{member::kFeatures, stands}}});
}

std::string relation_path(const sdk::Json& association) {
    if (!is_relation(association)) return {};
    const sdk::Json& config = association[member::kFeatures][feature::kRelator];
    return config.is_object() ? sdk::text_member(config, kPropertyPath) : std::string();
}

bool may_have_elements(const sdk::Json& node) {
    for (const auto& [name, value] : node.items()) {
        if (!name.starts_with('_') && value.is_structured()) return true;
    }
    return false;
}

const sdk::Json* property_at(const sdk::Json& node, std::string_view path) {
    return member_at(node, path);
}

sdk::Json* property_at(sdk::Json& node, std::string_view path) {
    return member_at(node, path);
}

std::vector<const sdk::Json*> elements_of(const sdk::Json* value) {
    std::vector<const sdk::Json*> found;
    if (value == nullptr || value->is_null()) return found;
    if (!value->is_array()) return {value};
    found.reserve(value->size());
    for (const sdk::Json& element : *value)
        found.push_back(&element);
    return found;
}

std::string named_node(const sdk::Json& element) {
    if (!element.is_object()) return {};
    std::string id = sdk::text_member(element, kElementId);
    if (!id.empty()) return id;
    const std::string reference = sdk::text_member(element, kElementRef);
    const std::size_t slash = reference.rfind('/');
    return slash == std::string::npos ? std::string() : reference.substr(slash + 1);
}

bool NamedNodes::contains(const std::string& path, const std::string& target) {
    auto [place, is_new] = known_.try_emplace(path);
    if (is_new) {
        for (const sdk::Json* element : elements_of(property_at(node_, path)))
            place->second.insert(named_node(*element));
    }
    return place->second.contains(target);
}

sdk::Result<void> count_relation(Changes& changes) {
    if (++changes.relations().made <= kMaxMade) return {};
    return sdk::make_error(
        sdk::ErrorKind::too_large, "nodes.relations_too_many",
        fmt::format("properties would name more than {} nodes anew at once", kMaxMade));
}

sdk::Error of_property(std::string_view path, sdk::Error error) {
    error.message =
        fmt::format("the property \"{}\": {}", sdk::shown_path(std::string(path)), error.message);
    return error;
}

bool erase_elements(sdk::Json& node, std::string_view path, const std::set<std::string>& targets) {
    sdk::Json* const value = property_at(node, path);
    if (value == nullptr) return false;
    if (!value->is_array()) {
        if (!targets.contains(named_node(*value))) return false;
        erase_property(node, path);
        return true;
    }
    sdk::Json kept = sdk::Json::array();
    for (sdk::Json& element : *value) {
        if (!targets.contains(named_node(element))) kept.push_back(std::move(element));
    }
    const bool is_smaller = kept.size() != value->size();
    *value = std::move(kept);
    return is_smaller;
}

bool point_elements(sdk::Json& node, std::string_view path,
                    const std::map<std::string, std::string>& others, const std::string& address) {
    sdk::Json* const value = property_at(node, path);
    if (value == nullptr) return false;
    bool has_pointed = false;
    const auto point = [&](sdk::Json& element) {
        const std::string former = named_node(element);
        const auto other = others.find(former);
        if (other == others.end()) return;
        const std::string reference = address + other->second;
        const bool names_it = sdk::text_member(element, kElementId) == other->second &&
                              sdk::text_member(element, kElementRef) == reference;
        if (names_it) return;
        element[kElementId] = other->second;
        element[kElementRef] = reference;
        if (sdk::text_member(element, kElementQName) == "o:" + former)
            element[kElementQName] = "o:" + other->second;
        has_pointed = true;
    };
    if (value->is_array()) {
        for (sdk::Json& element : *value)
            point(element);
    } else {
        point(*value);
    }
    return has_pointed;
}

}  // namespace stele::nodes

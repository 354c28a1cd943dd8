#include "transfer/link_rewriting.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "relation/named_targets.hpp"

namespace stele::nodes {

namespace {

constexpr std::string_view kNodeReference = "node://";

/// Whether an object names a node (docs/specification/semantics.md 3.4).
bool is_link(const sdk::Json& value) {
    if (!value.is_object()) return false;
    const std::string reference = sdk::text_member(value, kElementRef);
    const bool is_reference = sdk::equals_ignoring_case(
        std::string_view(reference).substr(0, kNodeReference.size()), kNodeReference);
    return is_reference || (!sdk::text_member(value, kElementId).empty() &&
                            !sdk::text_member(value, kElementType).empty());
}

}  // namespace

sdk::Result<LinkRewriting> LinkRewriting::open(ImportState& state) {
    auto address = node_address(state.content);
    if (!address) return address.error();
    return LinkRewriting(state, std::move(*address));
}

sdk::Result<bool> LinkRewriting::rewrite(const std::string& item, sdk::Json& fields) {
    item_ = item;
    is_complete_ = true;
    if (auto done = visit_members(fields, false); !done) return done.error();
    return is_complete_;
}

sdk::Result<bool> LinkRewriting::visit(sdk::Json& value, bool is_feature) {
    if (value.is_string()) {
        if (auto done = visit_text(value, is_feature); !done) return done.error();
        return true;
    }
    if (value.is_array()) {
        if (auto done = visit_elements(value, is_feature); !done) return done.error();
        return true;
    }
    if (!value.is_object()) return true;
    if (auto done = visit_members(value, is_feature); !done) return done.error();
    return is_link(value) ? point(value) : sdk::Result<bool>(true);
}

sdk::Result<void> LinkRewriting::visit_members(sdk::Json& object, bool is_feature) {
    std::vector<std::string> gone;
    for (auto& [name, value] : object.items()) {
        if (name == "_doc" || name == member::kSystem) continue;
        auto stays = visit(value, is_feature || name == member::kFeatures);
        if (!stays) return stays.error();
        if (!*stays) gone.push_back(name);
    }
    for (const std::string& name : gone)
        object.erase(name);
    return {};
}

sdk::Result<void> LinkRewriting::visit_elements(sdk::Json& array, bool is_feature) {
    sdk::Json kept = sdk::Json::array();
    for (sdk::Json& element : array) {
        auto stays = visit(element, is_feature);
        if (!stays) return stays.error();
        if (*stays) kept.push_back(std::move(element));
    }
    array = std::move(kept);
    return {};
}

sdk::Result<void> LinkRewriting::visit_text(sdk::Json& text, bool is_feature) {
    const std::string& substituted = state_.substituted(text.get_ref<const std::string&>());
    if (&substituted != text.get_ptr<const std::string*>()) text = std::string(substituted);
    if (!is_feature) return {};
    auto planned = state_.plan.find(text.get_ref<const std::string&>());
    if (!planned) return planned.error();
    if (!*planned) return {};
    auto resolved = state_.resolve(text.get_ref<const std::string&>());
    if (!resolved) return resolved.error();
    if (resolved->is_awaited) is_complete_ = false;
    if (!resolved->id.empty()) text = resolved->id;
    return {};
}

sdk::Result<bool> LinkRewriting::point(sdk::Json& link) {
    const std::string former = named_node(link);
    auto resolved = state_.resolve(former);
    if (!resolved) return resolved.error();
    if (resolved->is_awaited) {
        is_complete_ = false;
        return true;
    }
    if (resolved->id.empty()) {
        if (auto dropped = state_.drop_link(item_, former); !dropped) return dropped.error();
        return false;
    }
    if (link.contains(kElementId)) link[kElementId] = resolved->id;
    if (link.contains(kElementRef)) link[kElementRef] = address_ + resolved->id;
    if (!link.contains(kElementQName)) return true;
    auto is_unnamed = state_.unnamed.contains(former);
    if (!is_unnamed) return is_unnamed.error();
    if (*is_unnamed || sdk::text_member(link, kElementQName) == "o:" + former)
        link[kElementQName] = "o:" + resolved->id;
    return true;
}

}  // namespace stele::nodes

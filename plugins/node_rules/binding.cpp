#include "binding.hpp"

#include <fmt/format.h>

#include <stele/sdk/members.hpp>

#include "vocabulary.hpp"

namespace stele::node_rules {

namespace {

using sdk::Json;

/// Of the association, or of its feature; null where neither has it.
Json configured(const Json& association, const char* name) {
    const auto own = association.find(name);
    if (own != association.end()) return *own;
    const auto features = association.find(kFeatures);
    if (features == association.end() || !features->is_object()) return {};
    const auto feature = features->find(kBehaviorBinding);
    if (feature == features->end() || !feature->is_object()) return {};
    return feature->value(name, Json());
}

sdk::Error unfit_binding(std::string problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "node_rules.binding_unfit", std::move(problem));
}

}  // namespace

bool is_binding(const Json& node) {
    return sdk::text_member(node, kType) == kHasBehavior &&
           sdk::flag_member(node, kIsAssociation, false);
}

sdk::Result<Binding> read_binding(const Json& association) {
    const Json settings{{"policy", configured(association, "policy")},
                        {"scope", configured(association, "scope")}};
    const std::string policy = sdk::text_member(settings, "policy");
    if (policy != kAfterTouch) {
        return unfit_binding(fmt::format("its policy is '{}'; rules run at {} only",
                                         sdk::shown_path(policy), kAfterTouch));
    }
    const auto scope = sdk::integer_member(settings, "scope");
    if (scope != 0 && scope != 1)
        return unfit_binding("its scope must be 0, one node, or 1, the nodes of a type");
    Binding binding{sdk::text_member(association, "source"),
                    sdk::text_member(association, "target"), scope == 1};
    if (binding.source.empty() || binding.rule.empty())
        return unfit_binding("it has not got two ends");
    return binding;
}

std::string author_of(const Json& node) {
    const auto system = node.find(kSystem);
    if (system == node.end() || !system->is_object()) return {};
    const std::string id = sdk::text_member(*system, "modified_by_principal_id");
    const std::string domain = sdk::text_member(*system, "modified_by_principal_domain_id");
    // The server's own writes are in the domain of that name, which has no principals.
    if (id.empty() || domain.empty() || domain == "system") return {};
    return domain + "/" + id;
}

}  // namespace stele::node_rules

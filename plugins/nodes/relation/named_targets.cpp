#include "relation/named_targets.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "relation/relators.hpp"

namespace stele::nodes {

namespace {

/// Bytes that one write is told of what it names.
constexpr std::size_t kMaxTold = 1u << 20;
/// The same of an operation, which may write many nodes.
constexpr std::size_t kMaxToldAtAll = 16u << 20;

}  // namespace

sdk::Result<std::string> node_address(const BranchContent& content) {
    auto branch = content.context().reference(content.branch());
    if (!branch) return branch.error();
    return std::string(kNodeType) + branch->substr(branch->find("://")) + '/';
}

sdk::Result<const NamedTargets::Target*> NamedTargets::find(const std::string& id) {
    if (auto may_go_on = content_.context().go_on(); !may_go_on) return may_go_on.error();
    auto known = known_.find(id);
    if (known == known_.end()) {
        auto node = content_.readable_node(id);
        if (!node && !sdk::is_missing(node.error())) return node.error();
        std::optional<Target> target;
        // Other names of a node are not its id.
        if (node && node->id == id && !is_association(node->fields)) {
            target = Target{sdk::text_member(node->fields, kElementTitle),
                            sdk::text_member(node->fields, member::kQName),
                            sdk::text_member(node->fields, member::kType)};
        }
        known = known_.emplace(id, std::move(target)).first;
    }
    return known->second ? &*known->second : nullptr;
}

sdk::Result<bool> NamedTargets::is_of(const Target& target, const std::string& wanted) {
    const std::string asked = target.type + ' ' + wanted;
    const auto known = fitting_.find(asked);
    if (known != fitting_.end()) return known->second;
    auto is_fit = extends(target.type, wanted);
    if (is_fit) fitting_.emplace(asked, *is_fit);
    return is_fit;
}

sdk::Result<const std::string*> NamedTargets::parent_of(const std::string& type) {
    auto known = parents_.find(type);
    if (known == parents_.end()) {
        if (auto may_go_on = content_.context().go_on(); !may_go_on) return may_go_on.error();
        auto chain = definition_chain(content_, type, 1);
        if (!chain) return chain.error();
        std::optional<std::string> parent;
        if (!chain->empty()) parent = sdk::text_member(chain->front()->fields, kParent);
        known = parents_.emplace(type, std::move(parent)).first;
    }
    return known->second ? &*known->second : nullptr;
}

sdk::Result<bool> NamedTargets::extends(const std::string& type, const std::string& wanted) {
    if (wanted.empty() || wanted == type::kNode || wanted == type) return true;
    std::string at = type;
    // A chain that leads back ends by its length, too.
    for (std::size_t passed = 0; passed < kMaxChain; ++passed) {
        auto parent = parent_of(at);
        if (!parent) return parent.error();
        if (*parent == nullptr) break;
        if (at == wanted) return true;
        at = **parent;
    }
    return false;
}

sdk::Result<bool> NamedTargets::tell(const std::string& id, const Target& target,
                                     sdk::Json& element) {
    if (address_.empty()) {
        auto address = node_address(content_);
        if (!address) return address.error();
        address_ = std::move(*address);
    }
    const std::size_t told = address_.size() + 2 * id.size() + target.title.size() +
                             target.qname.size() + target.type.size();
    std::size_t& told_at_all = content_.changes().relations().told;
    told_ += told;
    told_at_all += told;
    if (told_ > kMaxTold || told_at_all > kMaxToldAtAll) return false;
    element[kElementId] = id;
    element[kElementRef] = address_ + id;
    element[kElementTitle] = target.title;
    element[kElementQName] = target.qname;
    element[kElementType] = target.type;
    return true;
}

}  // namespace stele::nodes

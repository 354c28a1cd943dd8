#include "content/relation_elements.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "content/definitions.hpp"
#include "content/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kId[] = "id";
constexpr char kRef[] = "ref";
constexpr char kElementQName[] = "qname";

/// The last part of a reference to a node.
std::string node_of_reference(const std::string& reference) {
    const std::size_t slash = reference.rfind('/');
    return slash == std::string::npos ? std::string() : reference.substr(slash + 1);
}

/// Resolves the elements of one property.
class PropertyResolver {
public:
    PropertyResolver(const BranchContent& content, const Relator& relator, const sdk::Json* before,
                     sdk::Violations& violations)
        : content_(content),
          relator_(relator),
          path_(fmt::format("{}", fmt::join(relator.steps, "."))),
          before_(before),
          violations_(violations) {}

    sdk::Result<void> resolve(sdk::Json& value) {
        if (value.is_null()) return {};
        if (value.is_object()) {
            if (value.empty()) return {};
            auto is_kept = resolve_element(value, path_);
            if (!is_kept) return is_kept.error();
            if (!*is_kept) value = nullptr;
            return {};
        }
        if (!value.is_array()) {
            add_problem(path_, "node.relation_malformed",
                        "must be an object or an array of objects that name nodes");
            return {};
        }
        sdk::Json kept = sdk::Json::array();
        for (std::size_t i = 0; i < value.size(); ++i) {
            auto is_kept = resolve_element(value[i], fmt::format("{}.{}", path_, i));
            if (!is_kept) return is_kept.error();
            if (*is_kept) kept.push_back(std::move(value[i]));
        }
        value = std::move(kept);
        return {};
    }

private:
    void add_problem(const std::string& path, const char* code, std::string message) {
        violations_.push_back({path, code, path + " " + std::move(message)});
    }

    /// Whether it stays.
    sdk::Result<bool> resolve_element(sdk::Json& element, const std::string& path) {
        std::string name = element.is_object() ? element_id(element) : std::string();
        if (name.empty() && element.is_object())
            name = node_of_reference(sdk::text_member(element, kRef));
        if (name.empty() && element.is_object()) name = sdk::text_member(element, kElementQName);
        if (name.empty()) {
            add_problem(path, "node.relation_malformed", "must name a node by id, ref or qname");
            return true;
        }
        if (const sdk::Json* const former = element_of(before_, name))
            return keep_element(element, *former);
        auto target = content_.readable_node(name);
        if (!target && !sdk::is_missing(target.error())) return target.error();
        if (!target || is_association(target->fields)) {
            if (content_.changes().brings_content()) return false;
            add_problem(path, "node.relation_unknown", "names no node of the branch");
            return true;
        }
        auto fits = is_of_type(content_, *target, relator_.node_type);
        if (!fits) return fits.error();
        if (!*fits)
            add_problem(path, "node.relation_unfit",
                        "must name a node of type " + relator_.node_type);
        return take(*target, element);
    }

    /// A node that the property named before.
    sdk::Result<bool> keep_element(sdk::Json& element, const sdk::Json& former) {
        auto target = content_.readable_node(element_id(former));
        if (target) return take(*target, element);
        if (!sdk::is_missing(target.error())) return target.error();
        element = former;
        return seen_.insert(element_id(former)).second;
    }

    sdk::Result<bool> take(const sdk::Document& target, sdk::Json& element) {
        if (auto filled = fill_element(content_, target, element); !filled) return filled.error();
        return seen_.insert(target.id).second;
    }

    const BranchContent& content_;
    const Relator& relator_;
    const std::string path_;
    const sdk::Json* before_;
    sdk::Violations& violations_;
    std::set<std::string> seen_;
};

}  // namespace

std::string element_id(const sdk::Json& element) {
    return sdk::text_member(element, kId);
}

const sdk::Json* element_of(const sdk::Json* value, const std::string& id) {
    if (value == nullptr) return nullptr;
    if (value->is_object()) return element_id(*value) == id ? value : nullptr;
    if (!value->is_array()) return nullptr;
    const auto found = std::find_if(value->begin(), value->end(), [&id](const sdk::Json& element) {
        return element_id(element) == id;
    });
    return found == value->end() ? nullptr : &*found;
}

/// What an element says of its node, beside what a client has put there.
sdk::Result<void> fill_element(const BranchContent& content, const sdk::Document& target,
                               sdk::Json& element) {
    auto branch = content.context().reference(content.branch());
    if (!branch) return branch.error();
    const std::size_t address = branch->find("://");
    element[kId] = target.id;
    element[kRef] = std::string(kNodeType) + branch->substr(address) + '/' + target.id;
    element["title"] = sdk::text_member(target.fields, "title");
    element[kElementQName] = sdk::text_member(target.fields, member::kQName);
    element["typeQName"] = sdk::text_member(target.fields, member::kType);
    return {};
}

sdk::Result<bool> is_of_type(const BranchContent& content, const sdk::Document& node,
                             const std::string& wanted) {
    const std::string type = sdk::text_member(node.fields, member::kType);
    if (wanted.empty() || wanted == type::kNode || wanted == type) return true;
    auto chain = definition_chain(content, type);
    if (!chain) return chain.error();
    return std::any_of(chain->begin(), chain->end(), [&wanted](const sdk::Document& definition) {
        return sdk::text_member(definition.fields, member::kQName) == wanted;
    });
}

sdk::Result<void> resolve_elements(const BranchContent& content, const Relator& relator,
                                   const sdk::Json* before, sdk::Json& value,
                                   sdk::Violations& violations) {
    return PropertyResolver(content, relator, before, violations).resolve(value);
}

}  // namespace stele::nodes

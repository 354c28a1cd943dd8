#include "condition.hpp"

#include <array>

#include <re2/re2.h>
#include <nlohmann/json.hpp>

namespace stele::access_policies {

namespace {

constexpr int kDepth = 16;

sdk::Error wrong(const std::string& path, std::string code, const std::string& problem) {
    return sdk::make_error({{path, std::move(code), path + ": " + problem}});
}

/// A condition type (docs/specification/platform.md 5.4) and how it is compiled.
struct LeafType {
    std::string_view name;
    /// Members of `config`; at least one of them must be there.
    std::vector<std::string_view> members;
};

const std::vector<LeafType>& leaf_types() {
    static const std::vector<LeafType> kTypes{
        {"type", {"type"}},
        {"reference", {"reference", "id"}},
        {"reference-matches", {"reference", "id"}},
        {"qname", {"qname"}},
        {"type-qname", {"qname"}},
        {"feature", {"qname", "feature"}},
        {"feature-matches", {"qname", "feature"}},
        {"node-has-feature", {"qname", "feature"}},
        {"property", {"property"}},
        {"property-matches", {"property"}},
        {"path", {"path"}},
        {"path-matches", {"path"}},
        {"branch", {"id", "title", "alias"}},
        {"changeset", {"id"}},
        {"datastore", {"typeId", "id", "title"}},
        {"project", {"id", "title"}},
        {"definition", {}},
    };
    return kTypes;
}

/// The value at a dotted path; null when there is none.
const sdk::Json* value_at(const sdk::Json& fields, std::string_view path) {
    const sdk::Json* value = &fields;
    while (!path.empty()) {
        const std::size_t dot = path.find('.');
        if (!value->is_object()) return nullptr;
        const auto member = value->find(path.substr(0, dot));
        if (member == value->end()) return nullptr;
        value = &*member;
        path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    return value;
}

bool any_element_matches(const ValuePattern& pattern, const sdk::Json& value) {
    if (!value.is_array()) return pattern.matches(value);
    for (const sdk::Json& element : value) {
        if (pattern.matches(element)) return true;
    }
    return false;
}

}  // namespace

sdk::Result<ValuePattern> ValuePattern::compile(const sdk::Json& value, const std::string& path) {
    ValuePattern pattern;
    if (value.is_boolean() || value.is_number()) {
        pattern.literal_ = sdk::dump_json(value);
        return pattern;
    }
    if (!value.is_string()) {
        return wrong(path, "access_policies.condition_invalid",
                     "must be a regular expression, a number or a boolean");
    }
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(1 << 20);
    auto expression =
        std::make_shared<const re2::RE2>(value.get_ref<const std::string&>(), options);
    if (!expression->ok()) {
        return wrong(path, "access_policies.expression_invalid",
                     "is no regular expression: " + expression->error());
    }
    pattern.expression_ = std::move(expression);
    return pattern;
}

bool ValuePattern::matches(std::string_view text) const {
    return expression_ &&
           re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

bool ValuePattern::matches(const sdk::Json& value) const {
    if (value.is_string()) return matches(std::string_view(value.get_ref<const std::string&>()));
    if (expression_)
        return !value.is_structured() && matches(std::string_view(sdk::dump_json(value)));
    return (value.is_boolean() || value.is_number()) && sdk::dump_json(value) == literal_;
}

sdk::Result<Condition> Condition::compile(const sdk::Json& source, const std::string& path,
                                          int depth) {
    if (!source.is_object()) {
        return wrong(path, "access_policies.condition_invalid", "must be an object");
    }
    if (depth > kDepth) {
        return wrong(path, "access_policies.condition_invalid", "is nested too deeply");
    }
    const auto type = source.find("type");
    if (type == source.end() || !type->is_string()) {
        return wrong(path + ".type", "access_policies.condition_invalid", "must be a string");
    }
    const std::string& name = type->get_ref<const std::string&>();
    static const sdk::Json kEmpty = sdk::Json::object();
    const auto found = source.find("config");
    const sdk::Json& config = found == source.end() || found->is_null() ? kEmpty : *found;
    if (!config.is_object()) {
        return wrong(path + ".config", "access_policies.condition_invalid", "must be an object");
    }
    Condition condition;
    if (name == "and" || name == "or" || name == "not") {
        condition.kind_ = name == "and"  ? Kind::all_of
                          : name == "or" ? Kind::any_of
                                         : Kind::none_of;
        return compile_nested(std::move(condition), source, config, path, depth);
    }
    return compile_leaf(std::move(condition), name, config, path);
}

sdk::Result<Condition> Condition::compile_nested(Condition condition, const sdk::Json& source,
                                                 const sdk::Json& config, const std::string& path,
                                                 int depth) {
    // Published samples nest beside `type` as well as inside `config`
    // (docs/specification/semantics.md 17).
    const bool is_in_config = config.contains("conditions");
    const sdk::Json& holder = is_in_config ? config : source;
    const std::string list = path + (is_in_config ? ".config.conditions" : ".conditions");
    const auto conditions = holder.find("conditions");
    if (conditions == holder.end() || !conditions->is_array() || conditions->empty()) {
        return wrong(list, "access_policies.condition_invalid", "must be an array of conditions");
    }
    for (std::size_t i = 0; i < conditions->size(); ++i) {
        auto child = compile((*conditions)[i], list + "." + std::to_string(i), depth + 1);
        if (!child) return child;
        condition.children_.push_back(std::move(*child));
    }
    return condition;
}

sdk::Result<Condition> Condition::compile_leaf(Condition condition, const std::string& type,
                                               const sdk::Json& config, const std::string& path) {
    const LeafType* leaf = nullptr;
    for (const LeafType& known : leaf_types()) {
        if (known.name == type) leaf = &known;
    }
    if (!leaf) {
        return wrong(path + ".type", "access_policies.condition_unknown",
                     type + " is no condition type");
    }
    if (type == "definition") {
        condition.kind_ = Kind::definition;
    } else if (type == "type") {
        condition.kind_ = Kind::type;
    } else if (type.starts_with("reference")) {
        condition.kind_ = Kind::reference;
    } else if (type == "qname" || type == "type-qname" || type.starts_with("property")) {
        condition.kind_ = Kind::member;
    } else if (type.find("feature") != std::string::npos) {
        condition.kind_ = Kind::feature;
    } else if (type.starts_with("path")) {
        condition.kind_ = Kind::path;
    } else {
        condition.kind_ = Kind::store;
        condition.store_type_ = type == "datastore" ? "" : type;
    }
    if (type.starts_with("property")) {
        const auto property = config.find("property");
        const auto value = config.find("value");
        if (property == config.end() || !property->is_string() || value == config.end()) {
            return wrong(path + ".config", "access_policies.condition_invalid",
                         "must have property and value");
        }
        auto pattern = ValuePattern::compile(*value, path + ".config.value");
        if (!pattern) return pattern.error();
        condition.patterns_.push_back({property->get<std::string>(), std::move(*pattern)});
        return condition;
    }
    for (const std::string_view member : leaf->members) {
        const auto value = config.find(member);
        if (value == config.end()) continue;
        auto pattern = ValuePattern::compile(*value, path + ".config." + std::string(member));
        if (!pattern) return pattern.error();
        std::string name(member);
        if (type == "qname") name = "_qname";
        if (type == "type-qname") name = "_type";
        condition.patterns_.push_back({std::move(name), std::move(*pattern)});
    }
    if (condition.patterns_.empty() && !leaf->members.empty()) {
        return wrong(path + ".config", "access_policies.condition_invalid",
                     "must have " + std::string(leaf->members.front()));
    }
    return condition;
}

sdk::Result<bool> Condition::holds(const sdk::PolicySubject& subject) const {
    switch (kind_) {
        case Kind::all_of:
        case Kind::any_of:
        case Kind::none_of:
            return holds_nested(subject);
        case Kind::store:
            return holds_in_store(subject);
        case Kind::member:
        case Kind::feature:
        case Kind::path:
        case Kind::definition:
            return holds_on_fields(subject);
        case Kind::type:
        case Kind::reference:
            break;
    }
    const ValuePattern& pattern = patterns_.front().pattern;
    if (kind_ == Kind::type && pattern.matches(std::string_view(subject.type))) return true;
    auto reference = subject.reference();
    if (!reference) return reference.error();
    return pattern.matches(std::string_view(*reference));
}

sdk::Result<bool> Condition::holds_nested(const sdk::PolicySubject& subject) const {
    const bool wanted = kind_ != Kind::all_of;
    for (const Condition& child : children_) {
        auto held = child.holds(subject);
        if (!held) return held;
        if (*held == wanted) return kind_ == Kind::any_of;
    }
    return kind_ != Kind::any_of;
}

sdk::Result<bool> Condition::holds_in_store(const sdk::PolicySubject& subject) const {
    auto stores = subject.stores();
    if (!stores) return stores.error();
    auto fields = subject.fields();
    if (!fields) return fields.error();
    const auto text = [&](const char* name) {
        const sdk::Json* value = value_at(*fields, name);
        return value && value->is_string() ? value->get<std::string>() : std::string();
    };
    stores->insert(stores->begin(), {subject.type, text("_doc"), text("title")});
    for (const sdk::PolicySubject::Store& store : *stores) {
        if (!store_type_.empty() && store.type != store_type_) continue;
        bool is_match = true;
        for (const Named& named : patterns_) {
            const std::string& value = named.name == "typeId" ? store.type
                                       : named.name == "id"   ? store.id
                                                              : store.title;
            is_match = is_match && named.pattern.matches(std::string_view(value));
        }
        if (is_match) return true;
    }
    return false;
}

sdk::Result<bool> Condition::holds_on_fields(const sdk::PolicySubject& subject) const {
    auto fields = subject.fields();
    if (!fields) return fields.error();
    if (kind_ == Kind::definition) {
        static constexpr std::array<std::string_view, 3> kTypes{"d:type", "d:association",
                                                                "d:feature"};
        const sdk::Json* type = value_at(*fields, "_type");
        if (!type || !type->is_string()) return false;
        for (const std::string_view known : kTypes) {
            if (type->get_ref<const std::string&>() == known) return true;
        }
        return false;
    }
    const Named& named = patterns_.front();
    if (kind_ == Kind::member) {
        const sdk::Json* value = value_at(*fields, named.name);
        return value && any_element_matches(named.pattern, *value);
    }
    const sdk::Json* map = value_at(*fields, kind_ == Kind::feature ? "_features" : "_paths");
    if (!map || !map->is_object()) return false;
    for (const auto& [name, value] : map->items()) {
        const bool is_match = kind_ == Kind::feature ? named.pattern.matches(std::string_view(name))
                                                     : named.pattern.matches(value);
        if (is_match) return true;
    }
    return false;
}

}  // namespace stele::access_policies

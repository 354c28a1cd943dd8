#include "condition.hpp"

#include <algorithm>
#include <array>

#include <re2/re2.h>
#include <nlohmann/json.hpp>

namespace stele::access_policies {

namespace {

constexpr int kDepth = 16;

sdk::Error wrong(const std::string& path, std::string code, const std::string& problem) {
    return sdk::make_error({{path, std::move(code), path + ": " + problem}});
}

/// A condition type and how it is compiled.
struct LeafType {
    std::string_view name;
    /// Members of `config`; at least one of them must be there, unless they are optional.
    std::vector<std::string_view> members;
    /// The fact that it asks for.
    std::string_view fact = {};
};

const std::vector<LeafType>& leaf_types() {
    static const std::vector<LeafType> kTypes{
        {"type", {"type"}},
        {"reference", {"reference", "id"}},
        {"reference-matches", {"reference", "id"}},
        {"qname", {"qname"}, "qname"},
        {"type-qname", {"qname"}, "type-qname"},
        {"feature", {"qname", "feature"}, "feature"},
        {"feature-matches", {"qname", "feature"}, "feature"},
        {"node-has-feature", {"qname", "feature"}, "feature"},
        {"property", {"property"}},
        {"property-matches", {"property"}},
        {"path", {"path"}, "path"},
        {"path-matches", {"path"}, "path"},
        {"branch", {"id", "title", "alias"}},
        {"changeset", {"id"}, "changeset"},
        {"datastore", {"typeId", "id", "title"}},
        {"project", {"id", "title"}},
        {"definition", {"qname"}, "definition"},
    };
    return kTypes;
}

constexpr std::string_view kBranchType = "branch";

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
    // What is revoked for a path stays so below a name with a line break.
    options.set_dot_nl(true);
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

bool ValuePattern::may_match_begin(const std::string& begin) const {
    constexpr int kMax = 64;
    std::string least;
    std::string most;
    if (!expression_ || !expression_->PossibleMatchRange(&least, &most, kMax)) return true;
    return least <= begin + '\xff' && begin <= most;
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
    condition.path_ = path;
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
    // Published samples nest beside `type` as well as inside `config`.
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
    condition.fact_ = leaf->fact;
    condition.kind_ = type == "type"                  ? Kind::type
                      : type == "definition"          ? Kind::definition
                      : type == "branch"              ? Kind::branch
                      : type == "datastore"           ? Kind::store
                      : type == "project"             ? Kind::project
                      : type.starts_with("path")      ? Kind::path
                      : leaf->fact == "feature"       ? Kind::feature
                      : type.starts_with("reference") ? Kind::reference
                                                      : Kind::member;
    auto compiled = condition.compile_config(type, config, leaf->members);
    if (!compiled) return compiled.error();
    return condition;
}

sdk::Result<void> Condition::compile_config(const std::string& type, const sdk::Json& config,
                                            const std::vector<std::string_view>& members) {
    const std::string path = path_ + ".config";
    if (type.starts_with("property")) {
        const auto property = config.find("property");
        const auto value = config.find("value");
        if (property == config.end() || !property->is_string() || value == config.end()) {
            return wrong(path, "access_policies.condition_invalid", "must have property and value");
        }
        auto pattern = ValuePattern::compile(*value, path + ".value");
        if (!pattern) return pattern.error();
        patterns_.push_back({property->get<std::string>(), std::move(*pattern)});
        return {};
    }
    for (const std::string_view member : members) {
        const auto value = config.find(member);
        if (value == config.end()) continue;
        auto pattern = ValuePattern::compile(*value, path + "." + std::string(member));
        if (!pattern) return pattern.error();
        const std::string name = type == "qname" || type == "definition" ? "_qname"
                                 : type == "type-qname"                  ? "_type"
                                 : type == "changeset"                   ? "_system.changeset"
                                                                         : std::string(member);
        patterns_.push_back({name, std::move(*pattern)});
    }
    if (!patterns_.empty() || kind_ == Kind::definition) return {};
    return wrong(path, "access_policies.condition_invalid",
                 "must have " + std::string(members.front()));
}

sdk::Result<bool> Condition::holds(const SubjectFacts& facts) const {
    const sdk::PolicySubject& subject = facts.subject();
    // What a client wrote into a record of another family is no fact.
    if (!fact_.empty() && !subject.has_fact(fact_)) return false;
    switch (kind_) {
        case Kind::all_of:
        case Kind::any_of:
        case Kind::none_of:
            return holds_nested(facts);
        case Kind::store:
        case Kind::branch:
            return holds_in_store(facts);
        case Kind::project:
            return holds_in_project(facts);
        case Kind::path:
            return holds_on_paths(facts);
        case Kind::member:
        case Kind::feature:
        case Kind::definition:
            return holds_on_fields(facts);
        case Kind::type:
        case Kind::reference:
            break;
    }
    const ValuePattern& pattern = patterns_.front().pattern;
    if (kind_ == Kind::type && pattern.matches(std::string_view(subject.type))) return true;
    auto reference = facts.reference();
    if (!reference) return reference.error();
    return *reference && pattern.matches(std::string_view(**reference));
}

bool Condition::names_place() const {
    const auto names = [](const Condition& child) { return child.names_place(); };
    switch (kind_) {
        case Kind::all_of:
            return std::any_of(children_.begin(), children_.end(), names);
        case Kind::any_of:
            return std::all_of(children_.begin(), children_.end(), names);
        case Kind::branch:
            return std::any_of(patterns_.begin(), patterns_.end(),
                               [](const Named& named) { return named.name == "id"; });
        default:
            return false;
    }
}

bool Condition::asks_for_projects() const {
    return kind_ == Kind::project ||
           std::any_of(children_.begin(), children_.end(),
                       [](const Condition& child) { return child.asks_for_projects(); });
}

bool Condition::excludes_projects() const {
    if (kind_ == Kind::none_of) return asks_for_projects();
    return std::any_of(children_.begin(), children_.end(),
                       [](const Condition& child) { return child.excludes_projects(); });
}

bool Condition::may_mean(const std::vector<std::string>& words) const {
    const auto means = [&words](const Condition& child) { return child.may_mean(words); };
    if (kind_ == Kind::all_of) return std::all_of(children_.begin(), children_.end(), means);
    if (kind_ == Kind::any_of) return std::any_of(children_.begin(), children_.end(), means);
    if (kind_ != Kind::type) return true;
    return std::any_of(words.begin(), words.end(), [this](const std::string& word) {
        return patterns_.front().pattern.may_match_begin(word);
    });
}

void Condition::check_fitness(const std::vector<const sdk::PolicyFamily*>& families,
                              bool has_projects, sdk::Violations& violations) const {
    for (const Condition& child : children_)
        child.check_fitness(families, has_projects, violations);
    const auto any = [&families](const auto& fits) {
        return std::any_of(families.begin(), families.end(),
                           [&fits](const sdk::PolicyFamily* family) { return fits(*family); });
    };
    const auto has = [](const std::vector<std::string>& all, std::string_view one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    bool is_fit = true;
    if (!fact_.empty()) is_fit = any([&](const auto& family) { return has(family.facts, fact_); });
    if (kind_ == Kind::branch)
        is_fit = any([&](const auto& family) { return has(family.stores, kBranchType); });
    if (kind_ == Kind::project) is_fit = has_projects;
    if (is_fit) return;
    violations.push_back({path_, "access_policies.condition_unfit",
                          path_ + ": no record that the statement is about can be asked for this"});
}

sdk::Result<bool> Condition::holds_nested(const SubjectFacts& facts) const {
    const bool wanted = kind_ != Kind::all_of;
    for (const Condition& child : children_) {
        auto held = child.holds(facts);
        if (!held) return held;
        if (*held == wanted) return kind_ == Kind::any_of;
    }
    return kind_ != Kind::any_of;
}

bool Condition::matches(const SubjectFacts::Store& store) const {
    return std::all_of(patterns_.begin(), patterns_.end(), [&store](const Named& named) {
        if (named.name == "alias") {
            return std::any_of(store.aliases.begin(), store.aliases.end(),
                               [&named](const std::string& alias) {
                                   return named.pattern.matches(std::string_view(alias));
                               });
        }
        const std::string& value = named.name == "typeId" ? store.type
                                   : named.name == "id"   ? store.id
                                                          : store.title;
        return named.pattern.matches(std::string_view(value));
    });
}

sdk::Result<bool> Condition::holds_in_store(const SubjectFacts& facts) const {
    auto stores = facts.stores();
    if (!stores) return stores.error();
    return std::any_of((*stores)->begin(), (*stores)->end(), [this](const auto& store) {
        return (kind_ == Kind::store || store.type == kBranchType) && matches(store);
    });
}

sdk::Result<bool> Condition::holds_in_project(const SubjectFacts& facts) const {
    auto projects = facts.projects();
    if (!projects) return projects.error();
    if (!*projects) return false;
    return std::any_of((*projects)->begin(), (*projects)->end(), [this](const auto& project) {
        return matches({{}, project.id, project.title, {}});
    });
}

sdk::Result<bool> Condition::holds_on_paths(const SubjectFacts& facts) const {
    auto paths = facts.paths();
    if (!paths) return paths.error();
    if (!*paths) return false;
    return std::any_of((*paths)->begin(), (*paths)->end(), [this](const std::string& path) {
        return patterns_.front().pattern.matches(std::string_view(path));
    });
}

sdk::Result<bool> Condition::holds_on_fields(const SubjectFacts& facts) const {
    auto read = facts.fields();
    if (!read) return read.error();
    const sdk::Json& fields = **read;
    if (kind_ == Kind::definition) {
        static constexpr std::array<std::string_view, 3> kTypes{"d:type", "d:association",
                                                                "d:feature"};
        const sdk::Json* type = value_at(fields, "_type");
        const bool is_definition = type && type->is_string() &&
                                   std::find(kTypes.begin(), kTypes.end(),
                                             type->get_ref<const std::string&>()) != kTypes.end();
        if (!is_definition || patterns_.empty()) return is_definition;
    }
    const Named& named = patterns_.front();
    if (kind_ != Kind::feature) {
        const sdk::Json* value = value_at(fields, named.name);
        return value && any_element_matches(named.pattern, *value);
    }
    const sdk::Json* features = value_at(fields, "_features");
    if (!features || !features->is_object()) return false;
    for (const auto& [name, config] : features->items()) {
        if (named.pattern.matches(std::string_view(name))) return true;
    }
    return false;
}

}  // namespace stele::access_policies

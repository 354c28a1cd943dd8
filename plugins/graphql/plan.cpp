#include "plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "limits.hpp"
#include "type_text.hpp"
#include "values.hpp"

namespace stele::graphql {

namespace {

bool is_same(const Value& a, const Value& b) {
    return a.kind == b.kind && a.text == b.text &&
           std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                      [](const Value& x, const Value& y) { return is_same(x, y); }) &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                      [](const NamedValue& x, const NamedValue& y) {
                          return x.name == y.name && is_same(x.value, y.value);
                      });
}

bool is_same(const Arguments& a, const Arguments& b) {
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const NamedValue& one) {
               const auto other = std::find_if(b.begin(), b.end(), [&](const NamedValue& named) {
                   return named.name == one.name;
               });
               return other != b.end() && is_same(one.value, other->value);
           });
}

/// The selections of one response key.
struct Merged {
    struct Part {
        const Selection* selection;
        bool is_included;
    };
    /// What is left out still has to merge, but adds nothing.
    std::vector<Part> parts;

    const Selection& first() const { return *parts.front().selection; }
    bool is_included() const {
        return std::any_of(parts.begin(), parts.end(),
                           [](const Part& part) { return part.is_included; });
    }
};

/// In the order in which keys are first met.
using MergedFields = std::vector<std::pair<std::string_view, Merged>>;

class Planner {
public:
    Planner(const Schema& schema, const Document& document, const sdk::Json& variables)
        : schema_(schema), document_(document), variables_(variables) {}

    Plan run(const Operation& operation) {
        Plan plan;
        MergedFields merged;
        collect(operation.selections, true, merged);
        if (merged.size() > kMaxRootFields) {
            add("graphql.query_too_wide",
                "a query selects at most " + std::to_string(kMaxRootFields) + " fields at its top",
                operation.place);
        } else {
            plan.fields = plan_fields(schema_.query(), merged, 1);
        }
        plan.problems = std::move(problems_);
        return plan;
    }

private:
    void add(std::string code, std::string message, Place place) {
        if (problems_.size() < kMaxProblems)
            problems_.push_back({std::move(code), std::move(message), {place}});
    }

    bool is_included(const Directives& directives) const {
        return std::all_of(directives.begin(), directives.end(), [&](const Directive& directive) {
            const bool skips = directive.name == "skip";
            if (!skips && directive.name != "include") return true;
            const auto value =
                literal_value(directive.arguments.front().value, "Boolean!", variables_);
            return (value && *value == true) != skips;
        });
    }

    void collect(const Selections& selections, bool is_wanted, MergedFields& merged) {
        std::map<std::string_view, std::size_t> places;
        for (std::size_t i = 0; i < merged.size(); ++i)
            places.emplace(merged[i].first, i);
        std::set<std::string_view> included;
        std::set<std::string_view> left_out;
        collect_into(selections, is_wanted, merged, places, included, left_out);
    }

    void collect_into(const Selections& selections, bool is_wanted, MergedFields& merged,
                      std::map<std::string_view, std::size_t>& places,
                      std::set<std::string_view>& included, std::set<std::string_view>& left_out) {
        for (const Selection& selection : selections) {
            if (is_over()) return;
            const bool is_in = is_wanted && is_included(selection.directives);
            if (selection.kind == Selection::Kind::field) {
                ++selected_;
                const auto [place, is_new] = places.emplace(selection.key(), merged.size());
                if (is_new) merged.emplace_back(selection.key(), Merged());
                merged[place->second].second.parts.push_back({&selection, is_in});
            } else if (selection.kind == Selection::Kind::inline_fragment) {
                collect_into(selection.selections, is_in, merged, places, included, left_out);
            } else if ((is_in ? included : left_out).insert(selection.name).second) {
                const Fragment* fragment = document_.find_fragment(selection.name);
                collect_into(fragment->selections, is_in, merged, places, included, left_out);
            }
        }
    }

    bool is_over() const { return selected_ > kMaxSelected || !problems_.empty(); }

    std::vector<PlannedField> plan_fields(const TypeDefinition& type, const MergedFields& merged,
                                          std::size_t depth) {
        std::vector<PlannedField> fields;
        for (const auto& [key, field] : merged) {
            const Selection& first = field.first();
            if (selected_ > kMaxSelected) {
                add("graphql.query_too_wide",
                    "a query selects at most " + std::to_string(kMaxSelected) +
                        " fields, fragments written out",
                    first.place);
            }
            if (depth > kMaxDepth) {
                add("graphql.query_too_deep",
                    "fields nest at most " + std::to_string(kMaxDepth) + " deep", first.place);
            }
            if (is_over()) return {};
            check_merge(field);
            PlannedField planned = plan_field(type, field, depth);
            if (field.is_included()) fields.push_back(std::move(planned));
        }
        return fields;
    }

    void check_merge(const Merged& field) {
        const Selection& first = field.first();
        for (const auto& [other, is_in] : field.parts) {
            if (other == &first) continue;
            if (other->name == first.name && is_same(other->arguments, first.arguments)) continue;
            add("graphql.query_invalid",
                "\"" + first.key() + "\" stands for two different fields; use aliases",
                other->place);
            return;
        }
    }

    PlannedField plan_field(const TypeDefinition& type, const Merged& field, std::size_t depth) {
        const Selection& first = field.first();
        PlannedField planned{.key = first.key(),
                             .definition = schema_.find_field(type, first.name),
                             .owner = &type,
                             .arguments = sdk::Json::object(),
                             .fields = {},
                             .place = first.place};
        for (const ArgumentDefinition& argument : planned.definition->arguments) {
            const auto given =
                std::find_if(first.arguments.begin(), first.arguments.end(),
                             [&](const NamedValue& one) { return one.name == argument.name; });
            if (given == first.arguments.end()) continue;
            if (auto value = literal_value(given->value, argument.type, variables_))
                planned.arguments[argument.name] = *std::move(value);
        }
        const TypeDefinition* shown = schema_.find(named_type(planned.definition->type));
        if (!shown || shown->kind != TypeKind::object) return planned;
        MergedFields inner;
        for (const auto& [selection, is_in] : field.parts)
            collect(selection->selections, is_in, inner);
        planned.fields = plan_fields(*shown, inner, depth + 1);
        return planned;
    }

    const Schema& schema_;
    const Document& document_;
    const sdk::Json& variables_;
    Problems problems_;
    std::size_t selected_ = 0;
};

}  // namespace

sdk::Json read_variables(const Operation& operation, const sdk::Json& sent, Problems& problems) {
    sdk::Json variables = sdk::Json::object();
    for (const VariableDefinition& variable : operation.variables) {
        const auto given = sent.find(variable.name);
        if (given == sent.end()) {
            if (variable.default_value) {
                variables[variable.name] =
                    *literal_value(*variable.default_value, variable.type, variables);
            } else if (is_non_null(variable.type)) {
                problems.push_back({"graphql.variable_invalid",
                                    "$" + variable.name + " is missing",
                                    {variable.place}});
            }
            continue;
        }
        const std::string problem = input_problem(*given, variable.type);
        if (problem.empty()) {
            variables[variable.name] = input_value(*given, variable.type);
        } else {
            problems.push_back({"graphql.variable_invalid",
                                "the value of $" + variable.name + " " + problem,
                                {variable.place}});
        }
    }
    return variables;
}

Plan plan_operation(const Schema& schema, const Document& document, const Operation& operation,
                    const sdk::Json& variables) {
    return Planner(schema, document, variables).run(operation);
}

}  // namespace stele::graphql

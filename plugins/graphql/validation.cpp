#include "validation.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "type_text.hpp"
#include "values.hpp"

namespace stele::graphql {

namespace {

using NameSet = std::set<std::string_view>;

struct VariableUse {
    std::string_view name;
    std::string_view type;
    bool has_default = false;
    Place place;
};

/// What one operation or fragment refers to.
struct References {
    std::vector<VariableUse> variables;
    std::vector<std::pair<std::string_view, Place>> spreads;
};

std::string in_quotes(std::string_view name) {
    return '"' + std::string(name) + '"';
}

bool is_at_least(std::string_view given, std::string_view wanted) {
    if (is_non_null(wanted))
        return is_non_null(given) && is_at_least(nullable(given), nullable(wanted));
    given = nullable(given);
    if (is_list(wanted)) return is_list(given) && is_at_least(item_type(given), item_type(wanted));
    return given == wanted;
}

/// Texts of JSON come in variables of the type String, so `JSON` takes every type.
bool may_stand(const VariableDefinition& variable, const VariableUse& use) {
    if (use.type == "JSON") return true;
    const bool has_value =
        variable.default_value && variable.default_value->kind != Value::Kind::null;
    const bool is_filled =
        is_non_null(use.type) && !is_non_null(variable.type) && (has_value || use.has_default);
    return is_at_least(variable.type, is_filled ? nullable(use.type) : use.type);
}

class Validator {
public:
    Validator(const Schema& schema, const Document& document)
        : schema_(schema), document_(document) {}

    Problems run() {
        check_fragments();
        check_circles();
        NameSet names;
        for (const Operation& operation : document_.operations) {
            if (operation.name.empty() && document_.operations.size() > 1)
                add("an operation without a name must be the only one", operation.place);
            if (!operation.name.empty() && !names.insert(operation.name).second)
                add("there are two operations " + in_quotes(operation.name), operation.place);
            check_operation(operation);
        }
        for (const Fragment& fragment : document_.fragments) {
            if (!used_fragments_.contains(fragment.name))
                add("fragment " + in_quotes(fragment.name) + " is never used", fragment.place);
        }
        return std::move(problems_);
    }

private:
    void add(std::string message, Place place) {
        if (problems_.size() < kMaxProblems)
            problems_.push_back({"graphql.query_invalid", std::move(message), {place}});
    }

    void check_fragments() {
        for (const Fragment& fragment : document_.fragments) {
            const bool is_new = fragments_.emplace(fragment.name, &fragment).second;
            if (!is_new) add("there are two fragments " + in_quotes(fragment.name), fragment.place);
            References& references = references_[fragment.name];
            check_directives(fragment.directives, "FRAGMENT_DEFINITION", references);
            if (const TypeDefinition* type =
                    condition_type(fragment.type_condition, fragment.place))
                check_selections(fragment.selections, *type, references);
        }
    }

    void check_circles() {
        std::map<std::string_view, bool> is_done;
        for (const auto& [name, fragment] : fragments_)
            check_circle(name, is_done, 0);
    }

    /// Chains are as long as there are fragments; what is deeper than selections may be is refused.
    void check_circle(std::string_view name, std::map<std::string_view, bool>& is_done,
                      std::size_t depth) {
        const auto [seen, is_new] = is_done.emplace(name, false);
        if (!is_new) {
            if (!seen->second) {
                add("fragment " + in_quotes(name) + " contains itself", fragments_[name]->place);
                seen->second = true;
            }
            return;
        }
        if (depth > kMaxSelected) {
            add("fragments lead on to one another too far", fragments_[name]->place);
        } else {
            for (const auto& [spread, place] : references_[name].spreads) {
                if (fragments_.contains(spread)) check_circle(spread, is_done, depth + 1);
            }
        }
        is_done[name] = true;
    }

    void check_operation(const Operation& operation) {
        if (operation.kind != "query") {
            add("there are queries only, no " + operation.kind, operation.place);
            return;
        }
        References references;
        check_directives(operation.directives, "QUERY", references);
        std::map<std::string_view, const VariableDefinition*> variables;
        for (const VariableDefinition& variable : operation.variables) {
            if (!variables.emplace(variable.name, &variable).second)
                add("there are two variables $" + variable.name, variable.place);
            check_variable(variable);
        }
        check_selections(operation.selections, schema_.query(), references);
        check_uses(operation, references, variables);
    }

    void check_variable(const VariableDefinition& variable) {
        References none;
        check_directives(variable.directives, "VARIABLE_DEFINITION", none);
        if (!is_input_type(variable.type)) {
            add("$" + variable.name + " cannot have the type " + in_quotes(variable.type),
                variable.place);
            return;
        }
        if (!variable.default_value) return;
        const std::string problem = literal_problem(*variable.default_value, variable.type);
        if (!problem.empty())
            add("the default value of $" + variable.name + " " + problem, variable.place);
    }

    /// Variables that an operation uses, itself or through its fragments, and that it declares.
    void check_uses(const Operation& operation, const References& own,
                    const std::map<std::string_view, const VariableDefinition*>& variables) {
        NameSet used;
        NameSet seen;
        std::vector<const References*> open{&own};
        while (!open.empty()) {
            const References& references = *open.back();
            open.pop_back();
            for (const VariableUse& use : references.variables) {
                used.insert(use.name);
                const auto variable = variables.find(use.name);
                if (variable == variables.end()) {
                    add("$" + std::string(use.name) + " is not declared by the operation",
                        use.place);
                } else if (!may_stand(*variable->second, use)) {
                    add("$" + std::string(use.name) + " has the type " +
                            in_quotes(variable->second->type) + ", wanted is " +
                            in_quotes(use.type),
                        use.place);
                }
            }
            for (const auto& [spread, place] : references.spreads) {
                if (fragments_.contains(spread) && seen.insert(spread).second) {
                    used_fragments_.insert(spread);
                    open.push_back(&references_[spread]);
                }
            }
        }
        for (const VariableDefinition& variable : operation.variables) {
            if (!used.contains(variable.name))
                add("$" + variable.name + " is never used", variable.place);
        }
    }

    const TypeDefinition* condition_type(std::string_view name, Place place) {
        const TypeDefinition* type = schema_.find(name);
        if (type && type->kind == TypeKind::object) return type;
        add(type ? "a fragment cannot be on " + in_quotes(name)
                 : "there is no type " + in_quotes(name),
            place);
        return nullptr;
    }

    void check_selections(const Selections& selections, const TypeDefinition& type,
                          References& references) {
        for (const Selection& selection : selections) {
            if (selection.kind == Selection::Kind::field) {
                check_field(selection, type, references);
            } else if (selection.kind == Selection::Kind::spread) {
                check_spread(selection, type, references);
            } else {
                check_inline(selection, type, references);
            }
        }
    }

    void check_field(const Selection& selection, const TypeDefinition& type,
                     References& references) {
        check_directives(selection.directives, "FIELD", references);
        const FieldDefinition* field = schema_.find_field(type, selection.name);
        if (!field) {
            add(type.name + " has no field " + in_quotes(selection.name), selection.place);
            return;
        }
        check_arguments(field->arguments, selection.arguments, "field " + in_quotes(selection.name),
                        selection.place, references);
        const TypeDefinition* shown = schema_.find(named_type(field->type));
        const bool is_object = shown && shown->kind == TypeKind::object;
        if (is_object && selection.selections.empty()) {
            add("field " + in_quotes(selection.name) + " of the type " + in_quotes(field->type) +
                    " needs a selection of fields",
                selection.place);
        } else if (!is_object && !selection.selections.empty()) {
            add("field " + in_quotes(selection.name) + " of the type " + in_quotes(field->type) +
                    " has no fields",
                selection.place);
        } else if (is_object) {
            check_selections(selection.selections, *shown, references);
        }
    }

    void check_condition(std::string_view condition, const TypeDefinition& type, Place place) {
        if (condition != type.name)
            add("a fragment on " + in_quotes(condition) + " never fits in " + in_quotes(type.name),
                place);
    }

    void check_spread(const Selection& selection, const TypeDefinition& type,
                      References& references) {
        check_directives(selection.directives, "FRAGMENT_SPREAD", references);
        references.spreads.emplace_back(selection.name, selection.place);
        const Fragment* fragment = document_.find_fragment(selection.name);
        if (!fragment) {
            add("there is no fragment " + in_quotes(selection.name), selection.place);
        } else if (schema_.find(fragment->type_condition)) {
            check_condition(fragment->type_condition, type, selection.place);
        }
    }

    void check_inline(const Selection& selection, const TypeDefinition& type,
                      References& references) {
        check_directives(selection.directives, "INLINE_FRAGMENT", references);
        const TypeDefinition* inner = &type;
        if (!selection.type_condition.empty()) {
            inner = condition_type(selection.type_condition, selection.place);
            if (inner) check_condition(inner->name, type, selection.place);
        }
        if (inner) check_selections(selection.selections, *inner, references);
    }

    void check_directives(const Directives& directives, std::string_view location,
                          References& references) {
        NameSet names;
        for (const Directive& directive : directives) {
            const std::string what = "@" + directive.name;
            const DirectiveDefinition* known = find_directive(directive.name);
            if (!known) {
                add("there is no directive " + what, directive.place);
                continue;
            }
            bool may_be_here = false;
            for (const std::string& allowed : known->locations)
                may_be_here = may_be_here || allowed == location;
            if (!may_be_here) add(what + " cannot stand here", directive.place);
            if (!names.insert(directive.name).second)
                add(what + " stands here twice", directive.place);
            check_arguments(known->arguments, directive.arguments, what, directive.place,
                            references);
        }
    }

    void check_arguments(const std::vector<ArgumentDefinition>& known, const Arguments& given,
                         const std::string& what, Place place, References& references) {
        std::map<std::string_view, const NamedValue*> by_name;
        for (const NamedValue& argument : given) {
            if (!by_name.emplace(argument.name, &argument).second)
                add(what + " has the argument " + in_quotes(argument.name) + " twice",
                    argument.place);
        }
        for (const ArgumentDefinition& argument : known) {
            const auto found = by_name.find(argument.name);
            if (found == by_name.end()) {
                if (is_non_null(argument.type) && argument.default_value.empty())
                    add(what + " needs the argument " + in_quotes(argument.name), place);
                continue;
            }
            const Value& value = found->second->value;
            const std::string problem = literal_problem(value, argument.type);
            if (!problem.empty())
                add("argument " + in_quotes(argument.name) + " " + problem, value.place);
            note_variables(value, argument.type, !argument.default_value.empty(), references);
            by_name.erase(found);
        }
        for (const auto& [name, argument] : by_name)
            add(what + " has no argument " + in_quotes(name), argument->place);
    }

    void note_variables(const Value& value, std::string_view type, bool has_default,
                        References& references) {
        if (value.kind == Value::Kind::variable) {
            references.variables.push_back({value.text, type, has_default, value.place});
            return;
        }
        const std::string_view plain = nullable(type);
        const std::string_view inner = is_list(plain) ? item_type(plain) : "JSON";
        for (const Value& item : value.items)
            note_variables(item, inner, false, references);
        for (const NamedValue& member : value.members)
            note_variables(member.value, "JSON", false, references);
    }

    const Schema& schema_;
    const Document& document_;
    Problems problems_;
    std::map<std::string_view, const Fragment*> fragments_;
    std::map<std::string_view, References> references_;
    NameSet used_fragments_;
};

}  // namespace

Problems validate(const Schema& schema, const Document& document) {
    return Validator(schema, document).run();
}

}  // namespace stele::graphql

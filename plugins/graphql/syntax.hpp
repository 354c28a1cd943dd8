#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem.hpp"

/// A query as it was written (GraphQL, edition October 2021, section 2).
namespace stele::graphql {

struct NamedValue;

struct Value {
    enum class Kind { null, variable, integer, number, text, boolean, enumerator, list, object };
    Kind kind = Kind::null;
    /// The name of a variable, the digits of a number, the characters of a text.
    std::string text = {};
    std::vector<Value> items;
    std::vector<NamedValue> members;
    Place place = {};
};

/// An argument, or a member of an object.
struct NamedValue {
    std::string name;
    Value value;
    Place place;
};

using Arguments = std::vector<NamedValue>;

struct Directive {
    std::string name;
    Arguments arguments;
    Place place;
};

using Directives = std::vector<Directive>;

struct Selection {
    enum class Kind { field, spread, inline_fragment };
    Kind kind = Kind::field;
    /// Of a field, or of the fragment that is spread.
    std::string name;
    std::string alias;
    std::string type_condition;
    Arguments arguments;
    Directives directives;
    std::vector<Selection> selections;
    Place place;

    const std::string& key() const { return alias.empty() ? name : alias; }
};

using Selections = std::vector<Selection>;

struct VariableDefinition {
    std::string name;
    /// As written, without blanks: `[ID!]!`.
    std::string type;
    std::optional<Value> default_value;
    Directives directives;
    Place place;
};

struct Operation {
    std::string kind = "query";
    std::string name;
    std::vector<VariableDefinition> variables;
    Directives directives;
    Selections selections;
    Place place;
};

struct Fragment {
    std::string name;
    std::string type_condition;
    Directives directives;
    Selections selections;
    Place place;
};

struct Document {
    std::vector<Operation> operations;
    std::vector<Fragment> fragments;

    const Fragment* find_fragment(std::string_view name) const {
        for (const Fragment& fragment : fragments) {
            if (fragment.name == name) return &fragment;
        }
        return nullptr;
    }
};

}  // namespace stele::graphql

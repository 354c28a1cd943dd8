#include "parser.hpp"

#include <memory>
#include <string>
#include <utility>

#include <tao/pegtl/contrib/limit_depth.hpp>
#include <tao/pegtl/contrib/parse_tree.hpp>

#include <stele/sdk/text.hpp>

#include "grammar.hpp"
#include "limits.hpp"
#include "text_value.hpp"

namespace stele::graphql {

namespace {

namespace p = tao::pegtl;
namespace g = grammar;
using Node = p::parse_tree::node;

template <class Rule>
using Kept = p::parse_tree::selector<
    Rule, p::parse_tree::store_content::on<
              g::name, g::variable, g::number, g::integer, g::block_text, g::plain_text, g::list,
              g::member, g::object, g::word, g::argument, g::directive, g::type, g::default_value,
              g::variable_definition, g::alias, g::field, g::spread, g::type_condition,
              g::inline_fragment, g::selection_set, g::operation_kind, g::operation, g::shorthand,
              g::fragment>>;

template <class Rule>
struct Bounded : p::nothing<Rule> {};
template <>
struct Bounded<g::selection_set_inside> : p::limit_depth<kMaxTextDepth> {};
template <>
struct Bounded<g::list_inside> : p::limit_depth<kMaxTextDepth> {};
template <>
struct Bounded<g::object_inside> : p::limit_depth<kMaxTextDepth> {};
template <>
struct Bounded<g::list_type_inside> : p::limit_depth<kMaxTextDepth> {};

struct WrongText {
    Place place;
    std::string message;
};

Place place_of(const Node& node) {
    return {node.m_begin.line, node.m_begin.column};
}

const Node* child(const Node& node, bool (*fits)(const Node&)) {
    for (const auto& one : node.children) {
        if (fits(*one)) return one.get();
    }
    return nullptr;
}

template <class Rule>
const Node* child(const Node& node) {
    return child(node, [](const Node& one) { return one.is_type<Rule>(); });
}

std::string name_in(const Node* node) {
    const Node* name = node ? child<g::name>(*node) : nullptr;
    return name ? name->string() : std::string();
}

std::string characters_of(const Node& node) {
    const std::string_view literal = node.string_view();
    if (node.is_type<g::block_text>())
        return block_characters(literal.substr(3, literal.size() - 6));
    std::string text;
    if (!unescape(literal.substr(1, literal.size() - 2), text))
        throw WrongText{place_of(node), "an escape names no character"};
    return text;
}

NamedValue read_named(const Node& node);

Value read_value(const Node& node) {
    using enum Value::Kind;
    Value value;
    value.place = place_of(node);
    if (node.is_type<g::variable>()) {
        value.kind = variable;
        value.text = node.string_view().substr(1);
    } else if (node.is_type<g::list>()) {
        value.kind = list;
        for (const auto& item : node.children)
            value.items.push_back(read_value(*item));
    } else if (node.is_type<g::object>()) {
        value.kind = object;
        for (const auto& member : node.children)
            value.members.push_back(read_named(*member));
    } else if (node.is_type<g::block_text>() || node.is_type<g::plain_text>()) {
        value.kind = text;
        value.text = characters_of(node);
    } else {
        value.text = node.string();
        const bool is_word = node.is_type<g::word>();
        const bool is_flag = value.text == "true" || value.text == "false";
        if (is_word && value.text == "null") return value;
        value.kind = node.is_type<g::integer>() ? integer
                     : !is_word                 ? number
                     : is_flag                  ? boolean
                                                : enumerator;
    }
    return value;
}

NamedValue read_named(const Node& node) {
    return {name_in(&node), read_value(*node.children.back()), place_of(node)};
}

Arguments read_arguments(const Node& node) {
    Arguments arguments;
    for (const auto& one : node.children) {
        if (one->is_type<g::argument>()) arguments.push_back(read_named(*one));
    }
    return arguments;
}

Directives read_directives(const Node& node) {
    Directives directives;
    for (const auto& one : node.children) {
        if (one->is_type<g::directive>())
            directives.push_back({name_in(one.get()), read_arguments(*one), place_of(*one)});
    }
    return directives;
}

Selections read_selections(const Node& node) {
    Selections selections;
    const Node* set = child<g::selection_set>(node);
    if (!set) return selections;
    for (const auto& one : set->children) {
        Selection& selection = selections.emplace_back();
        using enum Selection::Kind;
        selection.kind = one->is_type<g::field>()    ? field
                         : one->is_type<g::spread>() ? spread
                                                     : inline_fragment;
        selection.name = name_in(one.get());
        selection.alias = name_in(child<g::alias>(*one));
        selection.type_condition = name_in(child<g::type_condition>(*one));
        selection.arguments = read_arguments(*one);
        selection.directives = read_directives(*one);
        selection.selections = read_selections(*one);
        selection.place = place_of(*one);
    }
    return selections;
}

/// Without blanks, commas and comments.
std::string type_text(std::string_view written) {
    std::string text;
    bool is_comment = false;
    for (const char c : written) {
        if (c == '#') is_comment = true;
        if (c == '\n' || c == '\r') is_comment = false;
        const bool is_mark =
            c == '[' || c == ']' || c == '!' || c == '_' || sdk::is_letter_or_digit(c);
        if (!is_comment && is_mark) text += c;
    }
    return text;
}

VariableDefinition read_variable(const Node& node) {
    VariableDefinition definition;
    definition.name = child<g::variable>(node)->string().substr(1);
    definition.type = type_text(child<g::type>(node)->string_view());
    if (const Node* value = child<g::default_value>(node))
        definition.default_value = read_value(*value->children.front());
    definition.directives = read_directives(node);
    definition.place = place_of(node);
    return definition;
}

Document read_document(const Node& root) {
    Document document;
    for (const auto& one : root.children) {
        if (one->is_type<g::fragment>()) {
            document.fragments.push_back(
                {name_in(one.get()), name_in(child<g::type_condition>(*one)), read_directives(*one),
                 read_selections(*one), place_of(*one)});
            continue;
        }
        Operation& operation = document.operations.emplace_back();
        operation.place = place_of(*one);
        operation.selections = read_selections(*one);
        if (one->is_type<g::shorthand>()) continue;
        operation.kind = child<g::operation_kind>(*one)->string();
        operation.name = name_in(one.get());
        operation.directives = read_directives(*one);
        for (const auto& part : one->children) {
            if (part->is_type<g::variable_definition>())
                operation.variables.push_back(read_variable(*part));
        }
    }
    return document;
}

/// What stands at a byte of the text, for messages.
std::string found_at(std::string_view text, std::size_t byte) {
    if (byte >= text.size()) return "the end of the query";
    return '"' + std::string(sdk::first_character(text.substr(byte))) + '"';
}

}  // namespace

Parsed parse_query(std::string_view text) {
    if (text.size() > kMaxQueryBytes) {
        return {{},
                {{"graphql.query_too_large",
                  "a query has at most " + std::to_string(kMaxQueryBytes) + " bytes"}}};
    }
    p::memory_input input(text.data(), text.size(), "query");
    try {
        const auto root = p::parse_tree::parse<g::document, Kept, Bounded>(input);
        return {read_document(*root), {}};
    } catch (const p::parse_error& error) {
        const p::position& at = error.positions().front();
        if (error.message().starts_with("maximum")) {
            return {{},
                    {{"graphql.query_too_deep",
                      "braces and brackets nest at most " + std::to_string(kMaxTextDepth) + " deep",
                      {{at.line, at.column}}}}};
        }
        return {{},
                {{"graphql.syntax_wrong",
                  "syntax error: " + found_at(text, at.byte) + " is not expected here",
                  {{at.line, at.column}}}}};
    } catch (const WrongText& wrong) {
        return {{}, {{"graphql.syntax_wrong", "syntax error: " + wrong.message, {wrong.place}}}};
    }
}

}  // namespace stele::graphql

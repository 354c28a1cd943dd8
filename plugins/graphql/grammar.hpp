#pragma once

#include "tokens.hpp"

/// The grammar of executable documents (GraphQL, edition October 2021, appendix B).
namespace stele::graphql::grammar {

// What nests is a rule of its own behind its opening mark, so that its depth can be counted without
// the attempts at places where nothing is opened.

struct value;
struct list_inside : p::must<p::star<value>, p::one<']'>> {};
struct list : p::seq<mark<'['>, list_inside> {};
struct member : p::if_must<p::seq<name, gap>, mark<':'>, value> {};
struct object_inside : p::must<p::star<member>, p::one<'}'>> {};
struct object : p::seq<mark<'{'>, object_inside> {};
struct word : p::seq<name> {};
struct value
    : p::seq<p::sor<variable, list, object, block_text, plain_text, number, integer, word>, gap> {};

struct argument : p::if_must<p::seq<name, gap>, mark<':'>, value> {};
struct arguments : p::if_must<mark<'('>, p::plus<argument>, mark<')'>> {};
struct directive : p::if_must<p::one<'@'>, name, gap, p::opt<arguments>> {};
struct directives : p::star<directive> {};

struct type;
struct list_type_inside : p::must<type, mark<']'>> {};
struct list_type : p::seq<mark<'['>, list_type_inside> {};
struct type : p::seq<p::sor<list_type, p::seq<name, gap>>, p::opt<mark<'!'>>> {};

struct default_value : p::if_must<mark<'='>, value> {};
struct variable_definition
    : p::if_must<variable, gap, mark<':'>, type, p::opt<default_value>, directives> {};
struct variable_definitions : p::if_must<mark<'('>, p::plus<variable_definition>, mark<')'>> {};

struct selection_set;
struct alias : p::seq<name, gap, mark<':'>> {};
struct field
    : p::seq<p::opt<alias>, name, gap, p::opt<arguments>, directives, p::opt<selection_set>> {};
struct ellipsis : p::seq<p::string<'.', '.', '.'>, gap> {};
struct spread : p::seq<ellipsis, p::not_at<on_word>, name, gap, directives> {};
struct type_condition : p::if_must<on_word, name, gap> {};
struct inline_fragment : p::if_must<ellipsis, p::opt<type_condition>, directives, selection_set> {};
struct selection : p::sor<spread, inline_fragment, field> {};
struct selection_set_inside : p::must<p::plus<selection>, mark<'}'>> {};
struct selection_set : p::seq<mark<'{'>, selection_set_inside> {};

struct operation_kind : p::sor<TAO_PEGTL_KEYWORD("query"), TAO_PEGTL_KEYWORD("mutation"),
                               TAO_PEGTL_KEYWORD("subscription")> {};
struct operation : p::if_must<operation_kind, gap, p::opt<name, gap>, p::opt<variable_definitions>,
                              directives, selection_set> {};
struct shorthand : p::seq<selection_set> {};
struct fragment : p::if_must<p::seq<TAO_PEGTL_KEYWORD("fragment"), gap>, p::not_at<on_word>, name,
                             gap, type_condition, directives, selection_set> {};
struct document : p::must<gap, p::plus<p::sor<shorthand, operation, fragment>>, p::eof> {};

}  // namespace stele::graphql::grammar

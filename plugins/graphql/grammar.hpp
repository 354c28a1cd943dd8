#pragma once

#include <tao/pegtl.hpp>

/// The grammar of executable documents (GraphQL, edition October 2021, appendix B).
namespace stele::graphql::grammar {

namespace p = tao::pegtl;

struct comment : p::seq<p::one<'#'>, p::star<p::not_one<'\n', '\r'>>> {};
struct byte_order_mark : p::string<'\xEF', '\xBB', '\xBF'> {};
struct ignored : p::sor<p::one<' ', '\t', '\n', '\r', ','>, byte_order_mark, comment> {};
struct gap : p::star<ignored> {};
template <char C>
struct mark : p::seq<p::one<C>, gap> {};
struct name : p::identifier {};
struct on_word : p::seq<TAO_PEGTL_KEYWORD("on"), gap> {};

struct variable : p::if_must<p::one<'$'>, name> {};

struct whole_part : p::seq<p::opt<p::one<'-'>>,
                           p::sor<p::one<'0'>, p::seq<p::range<'1', '9'>, p::star<p::digit>>>> {};
struct fraction : p::seq<p::one<'.'>, p::plus<p::digit>> {};
struct exponent : p::seq<p::one<'e', 'E'>, p::opt<p::one<'+', '-'>>, p::plus<p::digit>> {};
struct number_end : p::not_at<p::sor<p::identifier_other, p::one<'.'>>> {};
struct number
    : p::seq<whole_part, p::sor<p::seq<fraction, p::opt<exponent>>, exponent>, number_end> {};
struct integer : p::seq<whole_part, number_end> {};

struct block_quotes : p::string<'"', '"', '"'> {};
struct block_rest : p::until<block_quotes, p::sor<p::seq<p::one<'\\'>, block_quotes>, p::any>> {};
struct block_text : p::if_must<block_quotes, block_rest> {};
struct code_point : p::sor<p::rep<4, p::xdigit>,
                           p::seq<p::one<'{'>, p::rep_min_max<1, 6, p::xdigit>, p::one<'}'>>> {};
struct escape : p::seq<p::one<'\\'>, p::sor<p::one<'"', '\\', '/', 'b', 'f', 'n', 'r', 't'>,
                                            p::seq<p::one<'u'>, code_point>>> {};
struct plain_rest : p::until<p::one<'"'>, p::sor<escape, p::not_one<'"', '\\', '\n', '\r'>>> {};
struct plain_text : p::if_must<p::one<'"'>, plain_rest> {};

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

#pragma once

#include <tao/pegtl.hpp>

/// The tokens of GraphQL documents (edition October 2021, appendix B).
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

}  // namespace stele::graphql::grammar

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/parameters.hpp"
#include "branch/vocabulary.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"
#include "operation/readable_ends.hpp"

namespace stele::nodes {

namespace {

constexpr char kBlogType[] = "blog:blog";
constexpr char kPostType[] = "blog:post";

sdk::Result<sdk::Reply> list_blogs(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    return services.lists.page(call, content->nodes(),
                               shown_query(call, {{member::kType, kBlogType}}));
}

sdk::Result<sdk::Reply> query_blogs(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto query = narrowed(call.body(), {{member::kType, kBlogType}});
    if (!query) return query.error();
    return services.lists.page(call, content->nodes(), shown_query(call, std::move(*query)));
}

/// Posts are what a blog's associations lead to, of whatever type these are.
sdk::Result<sdk::Reply> page_of_posts(Services& services, const sdk::Call& call,
                                      const sdk::Json& query) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto blog = content->readable_node(call.path("blogId"));
    if (!blog) return blog.error();
    if (sdk::text_member(blog->fields, member::kType) != kBlogType) {
        return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_blog_unknown",
                               fmt::format("node {} is no blog", blog->id));
    }
    auto edges = content->edges(blog->id, Direction::outgoing);
    if (!edges) return edges.error();
    auto ends = readable_ends(*content, *edges);
    if (!ends) return ends.error();
    std::vector<sdk::Json> rows;
    for (sdk::Document& end : *ends) {
        if (sdk::text_member(end.fields, member::kType) == kPostType)
            rows.push_back(std::move(end.fields));
    }
    return services.rows.page(rows, shown_query(call, query), call.page());
}

sdk::Result<sdk::Reply> list_posts(Services& services, const sdk::Call& call) {
    return page_of_posts(services, call, sdk::Json::object());
}

sdk::Result<sdk::Reply> query_posts(Services& services, const sdk::Call& call) {
    auto query = narrowed(call.body(), {{member::kType, kPostType}});
    if (!query) return query.error();
    return page_of_posts(services, call, *query);
}

}  // namespace

sdk::Actions branch_blog_actions() {
    const sdk::Shape page = sdk::shape::page(node_shape());
    return {{.name = "blogs",
             .method = "GET",
             .run = operation<&list_blogs>(),
             .parameters = with_projection(),
             .paged = true,
             .answers = page},
            {.name = "blogs/query",
             .run = operation<&query_blogs>(),
             .parameters = with_projection(),
             .paged = true,
             .answers = page},
            {.name = "blogs/{blogId}/posts",
             .method = "GET",
             .run = operation<&list_posts>(),
             .parameters = with_projection(),
             .paged = true,
             .answers = page},
            {.name = "blogs/{blogId}/posts/query",
             .run = operation<&query_posts>(),
             .parameters = with_projection(),
             .paged = true,
             .answers = page}};
}

}  // namespace stele::nodes

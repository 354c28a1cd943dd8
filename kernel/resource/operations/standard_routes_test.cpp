#include "kernel/resource/operations/standard_routes.hpp"

#include <map>

#include <catch2/catch.hpp>

using namespace stele::kernel::resource;
namespace sdk = stele::sdk;

namespace {

/// At the root, with nothing declared but its names.
RegisteredResource library() {
    RegisteredResource resource;
    resource.plugin_id = "library";
    resource.collection_path = "/libraries";
    resource.descriptor.placeholder = "libraryId";
    resource.descriptor.type = "library";
    return resource;
}

}  // namespace

TEST_CASE("whatever answers in pages runs on a worker") {
    RegisteredResource resource = library();
    resource.descriptor.actions = {{.name = "visitors", .method = "GET", .paged = true},
                                   {.name = "open"},
                                   {.name = "count", .slow = true}};
    const sdk::Endpoint endpoint{
        .method = "GET", .path = "/visitors", .title = "list visitors", .run = {}, .paged = true};
    std::vector<Route> routes;
    add_standard_routes(resource, resource.collection_path, routes);
    add_action_routes(resource, resource.collection_path, routes);
    add_platform_routes(resource, routes);
    routes.push_back(endpoint_route("library", endpoint));

    std::vector<std::string> paged;
    for (const Route& route : routes) {
        INFO(route.method << " " << route.path);
        if (route.is_paged) {
            paged.push_back(route.path);
            CHECK(route.is_slow);
        }
        if (route.operation == "read" || route.operation == "open") CHECK_FALSE(route.is_slow);
        if (route.operation == "count") CHECK(route.is_slow);
    }
    CHECK(paged == std::vector<std::string>{
                       "/libraries", "/libraries/query", "/libraries/{libraryId}/acl/list",
                       "/libraries/{libraryId}/acl/{aclPrincipalId}", "/libraries/{libraryId}/acl",
                       "/libraries/{libraryId}/visitors", "/acl/list", "/acl/{aclPrincipalId}",
                       "/acl", "/visitors", "/visitors"});
}

TEST_CASE("where writes compute long, all that may write runs on a worker") {
    for (const bool is_long : {false, true}) {
        RegisteredResource resource = library();
        resource.descriptor.slow_writes = is_long;
        resource.descriptor.actions = {{.name = "sign", .method = "GET"},
                                       {.name = "merge"},
                                       {.name = "cover", .method = "PUT"}};
        std::vector<Route> routes;
        add_standard_routes(resource, resource.collection_path, routes);
        add_action_routes(resource, resource.collection_path, routes);
        std::map<std::string, bool> is_slow;
        for (const Route& route : routes)
            is_slow[route.operation] = route.is_slow;
        for (const char* writes : {"create", "update", "delete", "merge", "cover"}) {
            INFO(writes);
            CHECK(is_slow.at(writes) == is_long);
        }
        CHECK_FALSE(is_slow.at("read"));
        CHECK_FALSE(is_slow.at("sign"));
    }
}

TEST_CASE(
    "bulk checks are below the container where the family says so, once for all words of its "
    "path") {
    RegisteredResource resource;
    resource.descriptor.type = "book";
    resource.descriptor.path = "books";
    resource.descriptor.placeholder = "bookId";
    const auto bulk_checks = [&resource] {
        std::vector<Route> routes;
        for (const char* collection : {"/libraries/{libraryId}/books", "/libraries/{libraryId}/b"})
            add_standard_routes(resource, collection, routes);
        std::vector<std::string> paths;
        for (const Route& route : routes) {
            if (route.operation == "check multiple permissions") paths.push_back(route.path);
        }
        return paths;
    };
    const std::string own = "/libraries/{libraryId}/books/permissions/check";
    const std::string other = "/libraries/{libraryId}/b/permissions/check";
    CHECK(bulk_checks() == std::vector{own, other});
    resource.descriptor.checks_at_container = true;
    const std::string at_container = "/libraries/{libraryId}/permissions/check";
    CHECK(bulk_checks() == std::vector{own, at_container, other});
}

TEST_CASE(
    "what goes on when the disk is full is what a plugin declares, not what a path is called") {
    RegisteredResource resource = library();
    resource.descriptor.actions = {{.name = "delete"},
                                   {.name = "shelves", .method = "DELETE"},
                                   {.name = "sessions/expire"},
                                   {.name = "clear", .urgent = true}};
    std::vector<Route> routes;
    add_standard_routes(resource, resource.collection_path, routes);
    add_action_routes(resource, resource.collection_path, routes);
    routes.push_back(endpoint_route(
        "library", {.method = "POST", .path = "/enter", .title = {}, .checks_credentials = true}));
    routes.push_back(endpoint_route(
        "library", {.method = "POST", .path = "/leave", .title = {}, .urgent = true}));
    routes.push_back(
        endpoint_route("library", {.method = "DELETE", .path = "/shelf", .title = {}}));

    std::vector<std::string> urgent;
    for (const Route& route : routes) {
        if (route.is_urgent) urgent.push_back(route.method + " " + route.path);
    }
    CHECK(urgent == std::vector<std::string>{
                        "DELETE /libraries/{libraryId}", "POST /libraries/{libraryId}/delete",
                        "POST /libraries/{libraryId}/authorities/{authorityId}/revoke",
                        "POST /libraries/{libraryId}/clear", "POST /enter", "POST /leave"});
}

#include "endpoints.hpp"

#include <stele/sdk/registrar.hpp>

#include "platform_record.hpp"
#include "reference_operations.hpp"

namespace stele::platform {

namespace {

void add_record_endpoints(sdk::Registrar& registrar) {
    registrar.add(sdk::Endpoint{
        .method = "GET", .path = "/", .title = "read the platform", .run = &read_platform});
    registrar.add(sdk::Endpoint{.method = "PUT",
                                .path = "/",
                                .title = "update the platform",
                                .permission = sdk::Permission::update,
                                .run = &update_platform});
    registrar.add(sdk::Endpoint{.method = "POST",
                                .path = "/update",
                                .title = "update the platform",
                                .permission = sdk::Permission::update,
                                .run = &update_platform});
    registrar.add(sdk::Endpoint{.method = "GET",
                                .path = "/info",
                                .title = "count the platform's stores",
                                .run = &read_info});
    for (const char* method : {"POST", "GET"}) {
        registrar.add(sdk::Endpoint{.method = method,
                                    .path = "/tools/types/contained/{typeId}",
                                    .title = "list the types that a type contains",
                                    .run = &list_contained_types});
    }
}

}  // namespace

void add_endpoints(sdk::Registrar& registrar, ReferenceOperations& references) {
    add_record_endpoints(registrar);
    registrar.add(
        sdk::Endpoint{.method = "POST",
                      .path = "/ref/read",
                      .title = "read records by reference",
                      .run = [&references](const sdk::Call& call) { return references.read(call); },
                      .slow = true});
    registrar.add(sdk::Endpoint{
        .method = "POST",
        .path = "/access/lookup",
        .title = "look up principals' rights on referenced records",
        .run = [&references](const sdk::Call& call) { return references.look_up(call); },
        .slow = true});
    registrar.add(sdk::Endpoint{
        .method = "POST",
        .path = "/access/check",
        .title = "check principals' rights on referenced records",
        .run = [&references](const sdk::Call& call) { return references.check(call); },
        .slow = true});
}

}  // namespace stele::platform

#include "kernel/resource/operations/family_operations.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/resource/operations/activity_notes.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/record_path.hpp"

namespace stele::kernel::resource {

namespace {

/// A record that the caller may know of. One that is hidden answers like one that is not there: a
/// reference names records by their keys, too, and these must not be found by guessing.
sdk::Result<sdk::RecordKey> find_known(const RoutedCall& call, std::string_view reference) {
    auto record = call.context().find_reference(reference);
    if (!record) return record;
    auto known = sdk::holds(call.context(), *record, sdk::Permission::connect);
    if (!known) return known.error();
    if (!*known) return unknown_record("record", reference);
    return record;
}

sdk::Result<RecordPath> path_of(const RoutedCall& call, std::string_view reference) {
    auto record = find_known(call, reference);
    if (!record) return record.error();
    return record_path(call.work(), *record);
}

const Route* find_route(const RoutedCall& call, std::string_view method, std::string_view path) {
    const std::vector<Route>& routes = call.services().registry.routes();
    const auto found = std::find_if(routes.begin(), routes.end(), [&](const Route& route) {
        return route.method == method && route.path == path;
    });
    return found == routes.end() ? nullptr : &*found;
}

/// The request as if it had gone to the record itself, its query string left out.
RequestInput input_at(const RoutedCall& call, const Route& route, const RecordPath& record) {
    const RequestInput& outer = call.input();
    RequestInput input;
    input.route = &route;
    input.values = record.values;
    input.header = outer.header;
    input.method = route.method;
    input.path = outer.path;
    input.remote_address = outer.remote_address;
    input.request_id = outer.request_id;
    input.session = outer.session;
    return input;
}

sdk::Result<void> write(const RoutedCall& call, const Route& route, const RecordPath& record,
                        sdk::Json fields) {
    RequestInput input = input_at(call, route, record);
    input.body = std::move(fields);
    RoutedCall inner(call.work(), input);
    auto written = run_operation(inner);
    if (!written) return written.error();
    ActivityNotes* const activities = call.services().activities;
    if (!activities) return {};
    // The audit log tells of the record, not of the way to it.
    call.work().keep(kNotedPart, std::make_unique<sdk::ContextPart>());
    return activities->note_write(inner);
}

}  // namespace

sdk::Result<sdk::Reply> FamilyOperations::update(const sdk::Call& call, std::string_view parameter,
                                                 std::string_view reference, sdk::Json fields) {
    const RoutedCall& outer = RoutedCall::of(call);
    auto record = path_of(outer, reference);
    if (!record) return record.error();
    const Route* const put = find_route(outer, "PUT", record->pattern());
    const Route* const get = find_route(outer, "GET", record->pattern());
    if (!put || !get)
        return sdk::invalid_parameter(parameter, "names a record that is never updated");
    if (auto written = write(outer, *put, *record, std::move(fields)); !written)
        return written.error();
    RequestInput input = input_at(outer, *get, *record);
    RoutedCall inner(outer.work(), input);
    return run_operation(inner);
}

sdk::Result<sdk::Reply> FamilyOperations::query(const sdk::Call& call, std::string_view parameter,
                                                std::string_view type, std::string_view container,
                                                sdk::Json condition) {
    const RoutedCall& outer = RoutedCall::of(call);
    const RegisteredResource* const family = outer.services().registry.find_reference_type(type);
    // A container does not say which part of a collection is meant.
    const Route* const route = family && family->part_members.empty()
                                   ? find_route(outer, "POST", family->collection_path + "/query")
                                   : nullptr;
    if (!route) return sdk::invalid_parameter(parameter, "names nothing that can be queried");
    RecordPath around;
    if (!container.empty()) {
        auto found = path_of(outer, container);
        if (!found) return found.error();
        around = *std::move(found);
    }
    if (around.family != family->container)
        return sdk::invalid_parameter(parameter, "does not lie in such a container");
    RequestInput input = input_at(outer, *route, around);
    input.parameters = outer.input().parameters;
    input.body = std::move(condition);
    RoutedCall inner(outer.work(), input);
    return run_operation(inner);
}

}  // namespace stele::kernel::resource

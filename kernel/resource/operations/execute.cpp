#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/operations/activity_notes.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/reply_parts.hpp"
#include "kernel/resource/record/row_query.hpp"

namespace stele::kernel::resource {

namespace {

/// Decoding and writing a longer record holds up the other connections of the thread.
constexpr std::size_t kLargestHere = 32 * 1024;

sdk::Error too_long(RoutedCall& call) {
    call.set_too_long();
    return sdk::make_error(sdk::ErrorKind::unavailable, "http.busy",
                           "the server is busy; try again soon");
}

/// Finds what the call addresses and whether the caller may do so.
sdk::Result<void> admit(RoutedCall& call) {
    if (auto found = call.find_target(); !found) {
        if (auto known = call.authorize_containers(); !known) return known;
        return found;
    }
    return call.authorize();
}

/// Rows that a handler had all at hand, in the order that the call wants.
sdk::Result<void> sort_rows(const RoutedCall& call, sdk::Reply& reply) {
    if (!reply.unsorted_rows()) return {};
    const std::vector<sdk::Json> rows(reply.unsorted_rows()->begin(), reply.unsorted_rows()->end());
    auto page =
        RowQuery(call.rooms().has_numeric_sort).page(rows, sdk::Json::object(), call.page());
    if (!page) return page.error();
    reply.replace_body(page->take_body());
    return {};
}

}  // namespace

sdk::Result<void> admit_upload(RoutedCall& call, std::uint64_t bytes) {
    if (auto admitted = admit(call); !admitted) return admitted;
    const std::vector<sdk::RecordKey>& around = call.containers();
    if (!call.route().is_item && around.empty()) return {};
    const sdk::RecordKey& record = call.route().is_item ? call.record_key() : around.back();
    return call.work().bound_data_stores().check_upload(record, bytes);
}

sdk::Result<sdk::Reply> run_operation(RoutedCall& call) {
    if (auto admitted = admit(call); !admitted) return admitted.error();
    if (call.input().must_be_short && call.record_bytes() > kLargestHere) return too_long(call);
    if (auto decoded = call.decode(); !decoded) return decoded.error();
    if (auto fits = call.check_precondition(); !fits) return fits.error();
    return call.route().run(call);
}

sdk::Result<sdk::Reply> execute(RoutedCall& call) {
    auto reply = run_operation(call);
    if (!reply) return reply;
    if (auto sorted = sort_rows(call, *reply); !sorted) return sorted.error();
    if (auto trimmed = trim_reply(call, *reply); !trimmed) return trimmed.error();
    // First, as what comes after looks at what was written.
    if (auto finished = call.work().finish(); !finished) return finished.error();
    if (auto held = call.hold_decision(); !held) return held.error();
    if (auto held = call.hold_path(); !held) return held.error();
    ActivityNotes* const activities = call.rooms().activities;
    const bool is_noted = call.work().part(kNotedPart) != nullptr;
    if (activities && !is_noted && call.work().transaction().has_writes()) {
        if (auto noted = activities->note_write(call); !noted) return noted.error();
    }
    return reply;
}

bool is_presented(const RoutedCall& call) {
    return call.route().resource->descriptor.is_presented || asks_for_presentation(call);
}

bool asks_for_presentation(const RoutedCall& call) {
    for (const std::string& name : call.route().resource->descriptor.presented_by) {
        if (call.query_parameter(name)) return true;
    }
    return false;
}

sdk::Result<std::string> presented_text(const RoutedCall& call, std::string_view text) {
    const RegisteredResource& resource = *call.route().resource;
    auto fields = sdk::parse_json(text, {.depth = 200});
    if (!fields) return fields.error();
    auto presented = plugin::guarded<void>(
        resource.plugin_id, "present", [&] { return resource.resource->present(call, *fields); });
    if (!presented) return presented.error();
    return sdk::dump_json(*fields);
}

}  // namespace stele::kernel::resource

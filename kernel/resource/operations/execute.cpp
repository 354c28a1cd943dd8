#include <optional>
#include <span>
#include <string_view>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/operations/activity_notes.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/reply_parts.hpp"
#include "kernel/resource/record/row_query.hpp"

namespace stele::kernel::resource {

namespace {

/// What a stage leaves for those after it; empty until the handler has answered.
using Answer = std::optional<sdk::Reply>;

sdk::Result<void> find_record(RoutedCall& call, Answer&) {
    auto found = call.find_target();
    if (found) return found;
    if (auto known = call.authorize_containers(); !known) return known;
    return found;
}

sdk::Result<void> authorize(RoutedCall& call, Answer&) {
    return call.authorize();
}

sdk::Result<void> stay_short(RoutedCall& call, Answer&) {
    return call.work().check_read(call.record_bytes());
}

sdk::Result<void> decode(RoutedCall& call, Answer&) {
    return call.decode();
}

sdk::Result<void> check_body(RoutedCall& call, Answer&) {
    return call.check_body();
}

sdk::Result<void> read_parameters(RoutedCall& call, Answer&) {
    return call.read_parameters();
}

sdk::Result<void> check_precondition(RoutedCall& call, Answer&) {
    return call.check_precondition();
}

sdk::Result<void> handle(RoutedCall& call, Answer& answer) {
    auto reply = call.route().run(call);
    if (!reply) return reply.error();
    answer = *std::move(reply);
    return {};
}

/// Rows that a handler had all at hand, in the order that the call wants.
sdk::Result<void> sort_rows(RoutedCall& call, Answer& answer) {
    sdk::Reply& reply = *answer;
    if (!reply.unsorted_rows()) return {};
    const std::vector<sdk::Json> rows(reply.unsorted_rows()->begin(), reply.unsorted_rows()->end());
    auto page =
        RowQuery(call.services().has_numeric_sort).page(rows, sdk::Json::object(), call.page());
    if (!page) return page.error();
    reply.replace_body(page->take_body());
    return {};
}

sdk::Result<void> trim(RoutedCall& call, Answer& answer) {
    return trim_reply(call, *answer);
}

sdk::Result<void> finish(RoutedCall& call, Answer&) {
    return call.work().finish();
}

sdk::Result<void> hold(RoutedCall& call, Answer&) {
    if (auto held = call.hold_decision(); !held) return held;
    return call.hold_path();
}

sdk::Result<void> note(RoutedCall& call, Answer&) {
    ActivityNotes* const activities = call.services().activities;
    const bool is_noted = call.work().part(kNotedPart) != nullptr;
    if (!activities || is_noted || !call.work().transaction().has_writes()) return {};
    return activities->note_write(call);
}

struct Stage {
    std::string_view name;
    std::string_view source;
    sdk::Result<void> (*run)(RoutedCall& call, Answer& answer);
};

/// The stages of a request's way inside its transaction, in their order, as docs/request-life.md
/// calls them; those around them are in kernel/http/message/stages.hpp.
constexpr Stage kStages[] = {
    {"find the record", "kernel/resource/operations/routed_call.cpp", find_record},
    {"authorize", "kernel/resource/operations/routed_call.cpp", authorize},
    {"stay short", "kernel/resource/operations/execute.cpp", stay_short},
    {"decode", "kernel/resource/operations/routed_call.cpp", decode},
    {"bounds", "kernel/resource/record/body_bounds.cpp", check_body},
    {"parameters", "kernel/resource/operations/routed_call.cpp", read_parameters},
    {"precondition", "kernel/resource/operations/routed_call.cpp", check_precondition},
    {"handler", "kernel/resource/operations/standard_operations.cpp", handle},
    {"sort", "kernel/resource/operations/execute.cpp", sort_rows},
    {"trim", "kernel/resource/operations/reply_parts.cpp", trim},
    // Before what looks at what was written.
    {"finish", "kernel/resource/work/work_context.cpp", finish},
    {"hold", "kernel/resource/operations/routed_call.cpp", hold},
    {"audit", "kernel/resource/operations/activity_notes.cpp", note},
};

/// The stages from `first` to `last`, both included.
constexpr std::span<const Stage> stages(std::string_view first, std::string_view last) {
    const auto place = [](std::string_view name) {
        std::size_t i = 0;
        while (kStages[i].name != name)
            ++i;
        return i;
    };
    return std::span(kStages).subspan(place(first), place(last) + 1 - place(first));
}

constexpr std::span<const Stage> kAdmission = stages("find the record", "authorize");
constexpr std::span<const Stage> kOperation = stages("find the record", "handler");
constexpr std::span<const Stage> kRest = stages("sort", "audit");

sdk::Result<void> run(RoutedCall& call, std::span<const Stage> stages, Answer& answer) {
    for (const Stage& stage : stages) {
        call.enter(stage.name);
        if (auto passed = stage.run(call, answer); !passed) return passed;
    }
    return {};
}

}  // namespace

sdk::Result<void> admit_upload(RoutedCall& call, std::uint64_t bytes) {
    Answer none;
    if (auto admitted = run(call, kAdmission, none); !admitted) return admitted;
    const std::vector<sdk::RecordKey>& around = call.containers();
    if (!call.route().is_item && around.empty()) return {};
    const sdk::RecordKey& record = call.route().is_item ? call.record_key() : around.back();
    return call.work().bound_data_stores().check_upload(record, bytes);
}

sdk::Result<sdk::Reply> run_operation(RoutedCall& call) {
    Answer answer;
    if (auto passed = run(call, kOperation, answer); !passed) return passed.error();
    return *std::move(answer);
}

sdk::Result<void> execute(RoutedCall& call, std::optional<sdk::Reply>& answer) {
    if (auto passed = run(call, kOperation, answer); !passed) return passed;
    return run(call, kRest, answer);
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

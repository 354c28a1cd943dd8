#include "report.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::platform {

namespace {

constexpr char kReportSource[] = "source";
constexpr char kReportQuery[] = "query";

/// A member of an object that is a query document; `{}` when it is missing.
sdk::Result<sdk::Json> query_in(const sdk::Json& object, const char* name) {
    const auto member = object.find(kReportQuery);
    if (member == object.end() || member->is_null()) return sdk::Json::object();
    if (!member->is_object()) return sdk::invalid_parameter(name, "must be a query, an object");
    return *member;
}

/// What fits both.
sdk::Json joined(sdk::Json kept, sdk::Json added) {
    if (added.empty()) return kept;
    if (kept.empty()) return added;
    return {{"$and", sdk::Json::array({std::move(kept), std::move(added)})}};
}

}  // namespace

sdk::ResourceDescriptor Report::describe() const {
    using enum sdk::FieldKind;
    return {.type = "report",
            .path = "reports",
            .placeholder = "reportId",
            .fields = {{.name = "title", .kind = text}, {.name = "description", .kind = text}},
            .actions = {{.name = "execute",
                         .run = sdk::action<&Report::execute>(),
                         .paged = true,
                         .slow = true,
                         .bounds = {{.member = kReportQuery, .holds_records = true}},
                         .takes = sdk::shape::object(
                             {sdk::shape::optional(kReportQuery, sdk::shape::record("Condition"))}),
                         .answers = sdk::shape::page()}},
            .title = "reports"};
}

sdk::Result<sdk::Reply> Report::execute(const sdk::Call& call) {
    auto added = query_in(call.body(), kReportQuery);
    if (!added) return added.error();
    const sdk::Json& report = call.record().fields;
    const auto source = report.find(kReportSource);
    // Nothing is asked for, so nothing is found.
    if (source == report.end()) return sdk::Reply::page_of(sdk::Json::array(), call.page());
    if (!source->is_object()) return sdk::invalid_parameter(kReportSource, "must be an object");
    auto kept = query_in(*source, "source.query");
    if (!kept) return kept.error();
    return families_.query(call, kReportSource, sdk::text_member(*source, "typeId"),
                           sdk::text_member(*source, "container"),
                           joined(*std::move(kept), *std::move(added)));
}

}  // namespace stele::platform

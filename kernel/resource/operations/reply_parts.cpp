#include "kernel/resource/operations/reply_parts.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>

namespace stele::kernel::resource {

namespace {

constexpr char kSystem[] = "_system";
constexpr char kId[] = "_doc";
constexpr char kProjection[] = "_fields";

bool is_declined(const RoutedCall& call, std::string_view name) {
    const auto value = call.query_parameter(name);
    if (!value) return false;
    return sdk::equals_ignoring_case(*value, "false") ||
           sdk::equals_ignoring_case(*value, "\"false\"");
}

/// Of a record that was written, or is read: `ok` tells of success.
bool is_record(const sdk::Json& body) {
    return body.contains(kId) && body.contains(kSystem);
}

void keep_id(sdk::Json& record) {
    sdk::Json bare = sdk::Json::object();
    for (const char* name : {"ok", kId}) {
        if (const auto member = record.find(name); member != record.end()) bare[name] = *member;
    }
    record = std::move(bare);
}

void trim_row(const ReplyParts& parts, sdk::Json& row) {
    if (!row.is_object()) return;
    if (parts.is_bare && row.contains(kId)) {
        keep_id(row);
    } else if (parts.has_no_system) {
        row.erase(kSystem);
    }
}

}  // namespace

ReplyParts ReplyParts::of(const RoutedCall& call) {
    return {is_declined(call, "full"), is_declined(call, "metadata")};
}

bool ReplyParts::project(sdk::Json& query) const {
    if (is_whole() || !query.is_object() || query.contains(kProjection)) return false;
    query[kProjection] = is_bare ? sdk::Json{{kId, 1}} : sdk::Json{{kSystem, 0}};
    return true;
}

sdk::Result<std::string> ReplyParts::row(std::string_view text) const {
    auto row = sdk::parse_json(text, {.depth = 200});
    if (!row) return row.error();
    trim_row(*this, *row);
    return sdk::dump_json(*row);
}

sdk::Result<void> trim_reply(const RoutedCall& call, sdk::Reply& reply) {
    if (call.input().parameters.empty()) return {};
    const ReplyParts parts = ReplyParts::of(call);
    const bool is_json = reply.content_type().starts_with("application/json");
    if (parts.is_whole() || !is_json || reply.source() || reply.ranges()) return {};
    auto body = sdk::parse_json(reply.body(), {.depth = 200});
    if (!body) return body.error();
    if (!body->is_object()) return {};
    const auto rows = body->find("rows");
    const bool is_page = rows != body->end() && rows->is_array() && body->contains("total_rows");
    if (is_page) {
        for (sdk::Json& row : *rows)
            trim_row(parts, row);
    } else if (is_record(*body)) {
        // A single record is read whole; what a write answers may be less.
        if (parts.is_bare && body->contains("ok")) keep_id(*body);
        if (parts.has_no_system) body->erase(kSystem);
    }
    reply.replace_body(sdk::dump_json(*body));
    return {};
}

}  // namespace stele::kernel::resource

#include <stele/sdk/entity_tag.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/work/store_numbers.hpp"

namespace stele::kernel::resource {

namespace {

/// Whether the record has something that the caller may not know.
sdk::Result<bool> withholds_numbers(const RoutedCall& call, const storage::Record& record) {
    const RegisteredResource* const resource = call.route().resource;
    if (!resource || !has_store_numbers(*resource)) return false;
    auto may = may_know_numbers(call.services(), call.context().session(),
                                call.work().transaction(), record.key());
    if (!may) return may.error();
    return !*may;
}

/// The record's text without what the caller may not know.
struct KnownText {
    std::string text;
    bool is_whole = true;
};

sdk::Result<KnownText> known_text(const RoutedCall& call, const storage::Record& record) {
    auto withholds = withholds_numbers(call, record);
    if (!withholds) return withholds.error();
    if (!*withholds) return KnownText{std::string(record.text())};
    auto known = without_numbers(record.text());
    if (!known) return known.error();
    return KnownText{*std::move(known), false};
}

/// What the family makes of it. What is computed changes without the version, so nobody may be told
/// that all is as it was: the tag serves `If-Match` only.
sdk::Result<sdk::Reply> read_shown(const RoutedCall& call) {
    const RegisteredResource& family = *call.route().resource;
    auto shown = plugin::guarded<sdk::ShownRecord>(family.plugin_id, "show",
                                                   [&] { return family.resource->show(call); });
    if (!shown) return shown.error();
    return sdk::Reply::json_text(std::move(shown->json))
        .header("ETag", sdk::version_tag(shown->id, shown->version));
}

}  // namespace

sdk::Result<std::string> written_text(const RoutedCall& call, const storage::Record& stored) {
    auto known = known_text(call, stored);
    if (!known) return known.error();
    if (!call.route().resource || !call.route().resource->descriptor.is_presented)
        return std::move(known->text);
    return presented_text(call, known->text);
}

sdk::Result<sdk::Reply> written_reply(const RoutedCall& call, const storage::Record& stored) {
    // Only a plain false asks for less: a published driver that repeats a request after a refresh
    // appends its query string again, so that the value becomes "true?full=true".
    if (call.parameter("full") == "false") return sdk::Reply::status({{"_doc", id_of(stored)}});
    auto text = written_text(call, stored);
    if (!text) return text.error();
    return sdk::Reply::json_text(text->replace(0, 1, R"({"ok":true,)"));
}

sdk::Result<sdk::Reply> read_record(RoutedCall& call) {
    if (call.route().resource->descriptor.reading.is_shown) return read_shown(call);
    const storage::Record& record = call.stored();
    auto known = known_text(call, record);
    if (!known) return known.error();
    std::string text = std::move(known->text);
    const bool is_computed = is_presented(call);
    if (is_computed) {
        auto presented = presented_text(call, text);
        if (!presented) return presented.error();
        text = *std::move(presented);
    }
    sdk::Reply reply = sdk::Reply::json_text(std::move(text));
    // The tag changes with the numbers, too.
    if (!known->is_whole) return reply;
    if (is_computed) return std::move(reply).header("ETag", record.etag());
    reply.etag(record.etag());
    return reply;
}

sdk::Result<sdk::Reply> update_record(RoutedCall& call) {
    auto updated = call.work().bound_documents().update(call.place(), call.stored(), call.body());
    if (!updated) return updated.error();
    return written_reply(call, updated->stored);
}

sdk::Result<sdk::Reply> remove_record(RoutedCall& call) {
    const std::string id = id_of(call.stored());
    auto removed = call.work().bound_documents().remove(call.place(), call.stored());
    if (!removed) return removed.error();
    return sdk::Reply::status({{"_doc", id}});
}

}  // namespace stele::kernel::resource

#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/work/store_numbers.hpp"

namespace stele::kernel::resource {

namespace {

/// Whether the record has something that the caller may not know.
sdk::Result<bool> withholds_numbers(const RoutedCall& call, const sdk::RecordKey& record) {
    const RegisteredResource* const resource = call.route().resource;
    if (!resource || !has_store_numbers(*resource)) return false;
    auto may =
        may_know_numbers(call.rooms(), call.context().session(), call.work().transaction(), record);
    if (!may) return may.error();
    return !*may;
}

sdk::Result<sdk::Json> known_fields(const RoutedCall& call, const sdk::Document& document) {
    auto withholds = withholds_numbers(call, document.key);
    if (!withholds) return withholds.error();
    sdk::Json fields = document.fields;
    if (*withholds) withhold_numbers(fields);
    return fields;
}

}  // namespace

sdk::Result<sdk::Reply> written_reply(const RoutedCall& call, const sdk::Document& document) {
    // Only a plain false asks for less: a published driver that repeats a request after a refresh
    // appends its query string again, so that the value becomes "true?full=true".
    if (call.parameter("full") == "false") return sdk::Reply::status({{"_doc", document.id}});
    auto known = known_fields(call, document);
    if (!known) return known.error();
    std::string text = sdk::dump_json(*known);
    if (call.route().resource && call.route().resource->descriptor.is_presented) {
        auto presented = presented_text(call, text);
        if (!presented) return presented.error();
        text = *std::move(presented);
    }
    return sdk::Reply::json_text(R"({"ok":true,)" + text.substr(1));
}

sdk::Result<sdk::Reply> create_record(RoutedCall& call) {
    auto created = call.work().bound_documents().create(call.place(), call.body());
    if (!created) return created.error();
    call.set_created(*created);
    return written_reply(call, *created);
}

sdk::Result<sdk::Reply> read_record(RoutedCall& call) {
    const storage::Record& record = call.stored();
    std::string text(record.text());
    auto withholds = withholds_numbers(call, record.key());
    if (!withholds) return withholds.error();
    if (*withholds) {
        auto known = without_numbers(text);
        if (!known) return known.error();
        text = *std::move(known);
    }
    if (is_presented(call)) {
        auto presented = presented_text(call, text);
        if (!presented) return presented.error();
        text = *std::move(presented);
    }
    sdk::Reply reply = sdk::Reply::json_text(std::move(text));
    // The tag changes with the numbers, too.
    if (*withholds) return reply;
    if (is_presented(call)) return std::move(reply).header("ETag", record.etag());
    reply.etag(record.etag());
    return reply;
}

sdk::Result<sdk::Reply> update_record(RoutedCall& call) {
    auto updated = call.work().bound_documents().update(call.place(), call.stored(), call.body());
    if (!updated) return updated.error();
    return written_reply(call, *updated);
}

sdk::Result<sdk::Reply> remove_record(RoutedCall& call) {
    const std::string id = id_of(call.stored());
    auto removed = call.work().bound_documents().remove(call.place(), call.stored());
    if (!removed) return removed.error();
    return sdk::Reply::status({{"_doc", id}});
}

}  // namespace stele::kernel::resource

#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/record_fields.hpp"

namespace stele::kernel::resource {

sdk::Result<sdk::Reply> written_reply(const RoutedCall& call, const sdk::Document& document) {
    // Only a plain false asks for less: a published driver that repeats a request after a refresh
    // appends its query string again, so that the value becomes "true?full=true".
    if (call.parameter("full") == "false") return sdk::Reply::status({{"_doc", document.id}});
    std::string text = sdk::dump_json(document.fields);
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
    if (is_presented(call)) {
        auto presented = presented_text(call, text);
        if (!presented) return presented.error();
        text = *std::move(presented);
    }
    sdk::Reply reply = sdk::Reply::json_text(std::move(text));
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

#include "outbox/record_attachments.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::email_providers {

namespace {

/// What an operation answers, whole.
sdk::Result<std::string> bytes_of(const sdk::Reply& reply) {
    std::string bytes = reply.body();
    const sdk::BodySource source =
        reply.ranges() ? reply.ranges()(0, reply.size()) : reply.source();
    bool has_more = static_cast<bool>(source);
    while (has_more) {
        auto pulled = source(bytes);
        if (!pulled) return pulled.error();
        has_more = *pulled;
    }
    return bytes;
}

}  // namespace

sdk::Result<bool> RecordAttachments::keeps(sdk::Context& context,
                                           std::string_view reference) const {
    auto key = context.find_reference(reference);
    if (!key) {
        const sdk::ErrorKind kind = key.error().kind;
        const bool is_nowhere =
            kind == sdk::ErrorKind::not_found || kind == sdk::ErrorKind::invalid;
        return is_nowhere ? sdk::Result<bool>(false) : key.error();
    }
    auto family = families_.of(context, *key);
    if (!family) return family.error();
    return *family && (*family)->has_attachments;
}

sdk::Result<sdk::AttachmentContent> RecordAttachments::read(sdk::Context& context,
                                                            std::string_view reference,
                                                            std::string_view attachment_id,
                                                            std::uint64_t limit) {
    auto key = context.find_reference(reference);
    if (!key) return key.error();
    auto listed = operations_.on_record(context, *key,
                                        {.path = "/attachments", .parameters = {{"limit", "-1"}}});
    if (!listed) return listed.error();
    auto text = bytes_of(*listed);
    if (!text) return text.error();
    auto page = sdk::parse_json(*text);
    if (!page) return page.error();
    for (const sdk::Json& row : page->value("rows", sdk::Json::array())) {
        if (sdk::text_member(row, "attachmentId") != attachment_id) continue;
        const auto length = sdk::integer_member(row, "length").value_or(0);
        if (static_cast<std::uint64_t>(length) > limit) {
            return sdk::make_error(sdk::ErrorKind::too_large, "email_providers.message_too_large",
                                   "an attachment is beyond the limit of a mail");
        }
        auto download = operations_.on_record(
            context, *key,
            {.path = "/attachments/{attachmentId}", .values = {std::string(attachment_id)}});
        if (!download) return download.error();
        auto bytes = bytes_of(*download);
        if (!bytes) return bytes.error();
        return sdk::AttachmentContent{sdk::text_member(row, "filename"),
                                      sdk::text_member(row, "contentType"), *std::move(bytes)};
    }
    return sdk::make_error(
        sdk::ErrorKind::not_found, "email_providers.attachment_unknown",
        "there is no attachment " + std::string(attachment_id) + " at " + std::string(reference));
}

}  // namespace stele::email_providers

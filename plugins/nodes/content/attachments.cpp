#include "content/attachments.hpp"

#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/members.hpp>

#include "content/attachment_names.hpp"
#include "content/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kDownloadPiece = std::size_t{64} * 1024;

/// Whatever the bytes are: no script, no form, no request, no origin.
constexpr char kInert[] = "default-src 'none'; sandbox";

sdk::BodySource failing_source(sdk::Error error) {
    return [error = std::move(error)](std::string&) -> sdk::Result<bool> { return error; };
}

sdk::BodySource bytes_of(sdk::BlobStore& binaries, const std::string& name, std::uint64_t first,
                         std::uint64_t end) {
    auto opened = binaries.open(name);
    if (!opened) return failing_source(opened.error());
    std::shared_ptr<sdk::BlobStore::Reader> reader = std::move(*opened);
    return [reader, at = first, end,
            piece = std::string()](std::string& out) mutable -> sdk::Result<bool> {
        const auto wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(kDownloadPiece, end - at));
        if (auto read = reader->read(at, wanted, piece); !read) return read.error();
        if (piece.empty() && wanted > 0) {
            return sdk::make_error(sdk::ErrorKind::internal, "attachment.bytes_missing",
                                   "the attachment is shorter than it was");
        }
        out += piece;
        at += piece.size();
        return at < end;
    };
}

Attachment attachment_of(const std::string& id, const sdk::Json& kept) {
    return {.id = id,
            .file_name = sdk::text_member(kept, "filename"),
            .content_type = sdk::text_member(kept, "contentType"),
            .length = static_cast<std::uint64_t>(sdk::integer_member(kept, "length").value_or(0)),
            .object_id = sdk::text_member(kept, "objectId")};
}

}  // namespace

sdk::Json Attachment::to_json() const {
    return {{"length", length},
            {"contentType", content_type},
            {"filename", file_name},
            {"objectId", object_id}};
}

sdk::Json kept_attachments(const sdk::Json& record) {
    const auto system = record.find(member::kSystem);
    if (system == record.end() || !system->is_object()) return sdk::Json::object();
    const auto attachments = system->find(member::kAttachments);
    if (attachments == system->end() || !attachments->is_object()) return sdk::Json::object();
    return *attachments;
}

sdk::Result<sdk::Json> attachments_in(const sdk::ContentVersion& version) {
    // Most nodes have none, and decoding them all would take most of the time.
    if (version.text.find(member::kAttachments) == std::string::npos) return sdk::Json::object();
    auto node = sdk::parse_json(version.text, {.depth = 200});
    if (!node) return node.error();
    return kept_attachments(*node);
}

sdk::Result<Attachment> find_attachment(const sdk::Json& attachments, std::string_view id) {
    const auto found = attachments.find(id);
    if (found != attachments.end()) return attachment_of(std::string(id), *found);
    return sdk::make_error(sdk::ErrorKind::not_found, "attachment.unknown",
                           fmt::format("there is no attachment {}", id));
}

sdk::Reply inert_download(sdk::BlobStore& binaries, const Attachment& attachment, bool is_file,
                          std::string_view file_name) {
    auto reply = sdk::Reply::download(
        [&binaries, object = attachment.object_id](std::uint64_t first, std::uint64_t end) {
            return bytes_of(binaries, object, first, end);
        },
        attachment.length, attachment.content_type);
    const bool is_saved = is_file || is_active_content(attachment.content_type);
    reply.header("Content-Disposition", content_disposition(is_saved, file_name));
    reply.header("Content-Security-Policy", kInert);
    reply.etag('"' + attachment.object_id + '"');
    return reply;
}

sdk::Result<sdk::Reply> attachment_page(Services& services, const sdk::Call& call,
                                        const sdk::Json& attachments) {
    std::vector<sdk::Json> rows;
    for (const auto& [id, kept] : attachments.items()) {
        sdk::Json row = {{kAttachmentId, id}, {"_doc", id}};
        row.update(attachment_of(id, kept).to_json());
        rows.push_back(std::move(row));
    }
    return services.rows.page(rows, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> attachment_download(const BranchContent& content, const sdk::Call& call,
                                            const sdk::Json& attachments) {
    auto attachment = find_attachment(attachments, call.path(kAttachmentId));
    if (!attachment) return attachment.error();
    auto wants_file = call.flag("a");
    if (!wants_file) return wants_file.error();
    auto binaries = content.context().data_stores().binaries(content.branch());
    if (!binaries) return binaries.error();
    const std::string name =
        safe_file_name(call.parameter("filename").value_or(attachment->file_name), attachment->id);
    return inert_download(**binaries, *attachment, wants_file->value_or(false), name);
}

}  // namespace stele::nodes

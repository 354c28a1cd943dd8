#include <stele/sdk/attachments.hpp>

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/entity_tag.hpp>
#include <stele/sdk/file_reader.hpp>
#include <stele/sdk/form_body.hpp>
#include <stele/sdk/http_date.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

namespace stele::sdk {

namespace {

constexpr std::size_t kDownloadPiece = std::size_t{64} * 1024;

constexpr char kModified[] = "modifiedOn";

/// Whatever the bytes are: no script, no form, no request, no origin.
constexpr char kInert[] = "default-src 'none'; sandbox";

BodySource failing_source(Error error) {
    return [error = std::move(error)](std::string&) -> Result<bool> { return error; };
}

BodySource bytes_of(BlobStore& binaries, const std::string& name, std::uint64_t first,
                    std::uint64_t end) {
    auto opened = binaries.open(name);
    if (!opened) return failing_source(opened.error());
    std::shared_ptr<BlobStore::Reader> reader = std::move(*opened);
    return
        [reader, at = first, end, piece = std::string()](std::string& out) mutable -> Result<bool> {
            const auto wanted =
                static_cast<std::size_t>(std::min<std::uint64_t>(kDownloadPiece, end - at));
            if (auto read = reader->read(at, wanted, piece); !read) return read.error();
            if (piece.empty() && wanted > 0) {
                return make_error(ErrorKind::internal, "attachment.bytes_missing",
                                  "the attachment is shorter than it was");
            }
            out += piece;
            at += piece.size();
            return at < end;
        };
}

Result<std::shared_ptr<FileReader>> file_of(FileBlobs& binaries, const std::string& name,
                                            bool may_wait) {
    auto opened = binaries.open_file(name, may_wait);
    if (!opened) return opened.error();
    return std::shared_ptr<FileReader>(std::move(*opened));
}

Error file_missing() {
    return make_error(
        {{"body", "attachment.file_missing", "the form has no part with a file name"}});
}

Result<Attachment> keep_raw_body(const Call& call, std::string id, const FileKeeper& keep) {
    Upload& upload = call.upload();
    const IncomingFile file{.id = std::move(id),
                            .file_name = call.parameter("filename").value_or(""),
                            .content_type = std::string(call.header("Content-Type").value_or(""))};
    return keep(file, [&upload](std::string& piece) { return upload.read(piece); });
}

/// A file of a form; its id may follow in a later part.
struct FormFile {
    FormPart part;
    UploadBytes bytes;
};

/// All of them: a form that is refused leaves nothing.
Result<std::vector<FormFile>> find_files(FormBody& form) {
    std::vector<FormFile> files;
    for (;;) {
        auto part = form.next_file();
        if (!part) return part.error();
        if (!*part) break;
        auto bytes = form.find();
        if (!bytes) return bytes.error();
        files.push_back({std::move(**part), *bytes});
    }
    if (files.empty()) return file_missing();
    return files;
}

Result<Attachment> keep_form_file(FormFile& file, const std::string& id, const FileKeeper& keep) {
    return keep(
        {.id = id, .file_name = *file.part.file_name, .content_type = file.part.content_type},
        pieces_of(file.bytes));
}

}  // namespace

Json Attachment::to_json() const {
    Json kept = shown();
    if (modified_ms > 0) kept[kModified] = modified_ms;
    return kept;
}

Json Attachment::shown() const {
    return {{"length", length},
            {"contentType", content_type},
            {"filename", file_name},
            {"objectId", object_id}};
}

Attachment Attachment::from_json(const std::string& id, const Json& kept) {
    return {.id = id,
            .file_name = text_member(kept, "filename"),
            .content_type = text_member(kept, "contentType"),
            .length = static_cast<std::uint64_t>(integer_member(kept, "length").value_or(0)),
            .object_id = text_member(kept, "objectId"),
            .modified_ms = integer_member(kept, kModified).value_or(0)};
}

Json Attachment::row() const {
    Json row = {{kAttachmentId, id}, {"_doc", id}};
    row.update(shown());
    return row;
}

Result<Attachment> find_attachment(const Json& attachments, std::string_view id) {
    const auto found = attachments.find(id);
    if (found != attachments.end()) return Attachment::from_json(std::string(id), *found);
    return make_error(ErrorKind::not_found, "attachment.unknown",
                      fmt::format("there is no attachment {}", id));
}

std::string attachment_tag(const Attachment& attachment) {
    return '"' + attachment.object_id + '"';
}

Result<void> check_attachment_tag(const Call& call, const Json& attachments) {
    auto present = find_attachment(attachments, call.path(kAttachmentId));
    if (!present && !is_missing(present.error())) return present.error();
    return check_attachment_tag(call, present ? &*present : nullptr);
}

Result<void> check_attachment_tag(const Call& call, const Attachment* present) {
    if (present) return check_if_match(call, attachment_tag(*present));
    if (!call.header("If-Match")) return {};
    return make_error(ErrorKind::precondition_failed, "document.version_changed",
                      "what If-Match names is not there");
}

Result<StoredBytes> store_bytes(BlobStore& binaries, const PieceSource& read) {
    StoredBytes stored;
    auto writer = binaries.create();
    if (!writer) return writer.error();
    std::string piece;
    do {
        if (auto got = read(piece); !got) return got.error();
        stored.length += piece.size();
        if (auto written = (*writer)->write(piece); !written) return written.error();
    } while (!piece.empty());
    auto name = (*writer)->finish();
    if (!name) return name.error();
    stored.name = std::move(*name);
    return stored;
}

Result<std::vector<Attachment>> receive_attachments(const Call& call, const FileKeeper& keep) {
    if (!has_form_body(call)) {
        auto kept = keep_raw_body(call, kDefaultAttachment, keep);
        if (!kept) return kept.error();
        return std::vector<Attachment>{std::move(*kept)};
    }
    auto form = FormBody::open(call);
    if (!form) return form.error();
    auto files = find_files(*form);
    if (!files) return files.error();
    std::vector<std::string> ids;
    for (const FormFile& file : *files) {
        const std::string& name = file.part.name;
        ids.push_back(form->parameter(fmt::format("attachmentId_{}", ids.size()))
                          .value_or(name.empty() ? kDefaultAttachment : name));
        if (auto fine = check_attachment_id(ids.back()); !fine) return fine.error();
    }
    std::vector<Attachment> kept;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        FormFile& file = (*files)[i];
        auto attachment = keep_form_file(file, ids[i], keep);
        if (!attachment) return attachment.error();
        if (file.part.file_name->empty())
            attachment->file_name = safe_file_name(file.part.name, ids[i]);
        kept.push_back(std::move(*attachment));
    }
    return kept;
}

Result<Attachment> receive_attachment(const Call& call, const FileKeeper& keep) {
    const std::string id(call.path(kAttachmentId));
    if (auto fine = check_attachment_id(id); !fine) return fine.error();
    if (!has_form_body(call)) return keep_raw_body(call, id, keep);
    auto form = FormBody::open(call);
    if (!form) return form.error();
    auto files = find_files(*form);
    if (!files) return files.error();
    if (files->size() == 1) return keep_form_file(files->front(), id, keep);
    return make_error({{"body", "attachment.one_file_expected",
                        "a form for one attachment has one part with a file name"}});
}

Reply inert_download(BlobStore& binaries, const Attachment& attachment, bool is_file,
                     std::string_view file_name) {
    auto reply = Reply::download(
        [&binaries, object = attachment.object_id](std::uint64_t first, std::uint64_t end) {
            return bytes_of(binaries, object, first, end);
        },
        attachment.length, attachment.content_type);
    if (auto* const files = dynamic_cast<FileBlobs*>(&binaries)) {
        reply.file([files, object = attachment.object_id](bool may_wait) {
            return file_of(*files, object, may_wait);
        });
    }
    const bool is_saved = is_file || is_active_content(attachment.content_type);
    reply.header("Content-Disposition", content_disposition(is_saved, file_name));
    reply.header("Content-Security-Policy", kInert);
    reply.etag(attachment_tag(attachment));
    // Told only when no later change can have the same second: such a date is as exact as a tag,
    // and earlier than the answer itself (RFC 9110, 8.8.2).
    constexpr std::int64_t kSecond = 1000;
    const bool is_settled = attachment.modified_ms / kSecond + 2 <= now_ms() / kSecond;
    if (attachment.modified_ms > 0 && is_settled)
        reply.header("Last-Modified", http_date(attachment.modified_ms));
    return reply;
}

Result<Reply> attachment_reply(BlobStore& binaries, const Call& call,
                               const Attachment& attachment) {
    auto wants_file = call.flag("a");
    if (!wants_file) return wants_file.error();
    const std::string name =
        safe_file_name(call.parameter("filename").value_or(attachment.file_name), attachment.id);
    return inert_download(binaries, attachment, wants_file->value_or(false), name);
}

}  // namespace stele::sdk

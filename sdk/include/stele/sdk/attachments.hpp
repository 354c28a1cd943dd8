#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/call.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

inline constexpr char kDefaultAttachment[] = "default";
/// The placeholder of paths to one attachment, and the member of rows that tells its id.
inline constexpr char kAttachmentId[] = "attachmentId";

/// One attachment of a record.
struct Attachment {
    std::string id;
    std::string file_name;
    std::string content_type;
    std::uint64_t length = 0;
    /// Name of the bytes in the store's binaries.
    std::string object_id = {};
    /// When the record came to have these bytes, epoch milliseconds; 0: nobody knows. Kept by what
    /// has no versions, whose times tell it.
    std::int64_t modified_ms = 0;

    /// As it is kept.
    Json to_json() const;
    /// The same without what is nobody's but the server's: as records tell it.
    Json shown() const;
    static Attachment from_json(const std::string& id, const Json& kept);
    /// As lists show it.
    Json row() const;
};

/// Of an object of attachments by id; `not_found` (`attachment.unknown`).
Result<Attachment> find_attachment(const Json& attachments, std::string_view id);

/// The ETag of its bytes.
std::string attachment_tag(const Attachment& attachment);
/// `If-Match` of a call that writes the attachment; null: there is none yet, and no tag fits.
[[nodiscard]] Result<void> check_attachment_tag(const Call& call, const Attachment* present);
/// The same for the attachment that the path names, of those that the record has.
[[nodiscard]] Result<void> check_attachment_tag(const Call& call, const Json& attachments);

/// Replaces `piece` with what comes next; empty at the end.
using PieceSource = std::function<Result<void>(std::string& piece)>;

struct StoredBytes {
    /// In the binaries.
    std::string name;
    std::uint64_t length = 0;
};
/// Puts bytes into binaries as they are; nothing refers to them yet.
Result<StoredBytes> store_bytes(BlobStore& binaries, const PieceSource& read);

/// What a sender says of a file.
struct IncomingFile {
    std::string id = kDefaultAttachment;
    std::string file_name;
    std::string content_type;
};
/// Puts the bytes of a file where they belong; no record knows of them yet.
using FileKeeper = std::function<Result<Attachment>(const IncomingFile& file, const PieceSource&)>;

/// The files of an upload to `{I}/attachments`: those of a form under the names of their parts, or
/// under what the parameters `attachmentId_{index}` say; a body that is no form is `default`.
Result<std::vector<Attachment>> receive_attachments(const Call& call, const FileKeeper& keep);
/// The one file of an upload to `{I}/attachments/{attachmentId}`.
Result<Attachment> receive_attachment(const Call& call, const FileKeeper& keep);

/// Bytes as something that no browser runs; active ones are always saved as a file.
Reply inert_download(BlobStore& binaries, const Attachment& attachment, bool is_file,
                     std::string_view file_name);
/// The same as the call's parameters `a` and `filename` want it.
Result<Reply> attachment_reply(BlobStore& binaries, const Call& call, const Attachment& attachment);

}  // namespace stele::sdk

#include "store/text_packing.hpp"

#include <limits>

#include <lz4.h>

#include <stele/sdk/encoding.hpp>

namespace stele::sdk {

namespace {

constexpr std::size_t kLengthSize = 4;
/// No byte of a block stands for more than these of a text.
constexpr std::size_t kMostPerByte = 255;

/// Never changes: every packed record refers to it. What is most often there comes last, since a
/// block refers to what is near with the same bytes as to what is far, and finds it first.
constexpr std::string_view kKnown =
    R"({"_doc":"01a2263d537c65185728","platformId":"01a2263d4b2571ff6b9f","type":"update")"
    R"(,"type":"create","timestamp":{"timestamp":"29-Nov-2026 07:38:03")"
    R"(,"iso_8601":"2026-11-29T07:38:03Z","year":2026,"month":10,"day_of_month":29,"hour":7)"
    R"(,"minute":38,"second":3,"millisecond":4,"ms":1795937883004},"userDomainId":"default")"
    R"(,"userId":"01a2263d4b567c875727","userName":"admin","userTitle":"","userEmail":"")"
    R"(,"objectTypeId":"node","objectId":"01a2263d537c65185727")"
    R"(,"objectRef":"node://01a2263d4b2571ff6b9f/01a2263d4d6e6d02d222/01a2263d4d6f6a2477da/)"
    R"(01a2263d537c65185727","objectDatastoreTypeId":"repository")"
    R"(,"objectDatastoreId":"01a2263d4d6e6d02d222")"
    R"(,"objectDatastoreRef":"repository://01a2263d4b2571ff6b9f/01a2263d4d6e6d02d222")"
    R"(,"otherId":"")"
    R"(,"route":"DELETE /repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}")"
    R"(,"route":"PUT /repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}")"
    R"(,"route":"PATCH /repositories/{repositoryId}/branches/{branchId}/nodes/{nodeId}")"
    R"(,"route":"POST /repositories/{repositoryId}/branches/{branchId}/nodes")"
    R"(,"path":"/repositories/01a2263d4d6e6d02d222/branches/master/nodes/","status":200)"
    R"(,"requestId":"73d579efe1393ac54a49","remoteAddress":"127.0.0.1"})"
    R"({"_doc":"01a2263d537c65185727","_type":"a:child","_type":"a:linked")"
    R"(,"_is_association":true,"source":"","source_type":"n:node","target":"")"
    R"(,"target_type":"n:node","directionality":"DIRECTED","directionality":"UNDIRECTED")"
    R"(,"source_changeset":"","target_changeset":"","description":"","name":"","key":"")"
    R"(,"tags":["","properties":{"type":"object","type":"string","type":"number")"
    R"(,"type":"array","items":{"mandatoryFeatures":{"f:filename":{"filename":"")"
    R"(,"f:container":{"enabled":true,"active":true},"ext":{})"
    R"(,"attachments":{"default":{"attachmentId":"default","objectId":"","length":0)"
    R"(,"filename":"","contentType":"text/plain","contentType":"application/json")"
    R"(,"contentType":"image/jpeg"}},"false","null,)"
    R"({"_type":"n:node","title":"","body":"","text":"","category":"","price":)"
    R"(,"_qname":"o:01a2263d537c65185727","_features":{"f:audit":{},"f:titled":{})"
    R"(,"f:indexable":{}},"_is_association":false)"
    R"(,"_system":{"created_on":{"timestamp":"29-Nov-2026 07:38:03")"
    R"(,"iso_8601":"2026-11-29T07:38:03Z","year":2026,"month":10,"day_of_month":29,"hour":7)"
    R"(,"minute":38,"second":3,"millisecond":4,"ms":1795937883004},"created_by":"admin")"
    R"(,"created_by_principal_id":"01a2263d4b567c875727")"
    R"(,"created_by_principal_domain_id":"default")"
    R"(,"modified_on":{"timestamp":"29-Nov-2026 07:38:03","iso_8601":"2026-11-29T07:38:03Z")"
    R"(,"year":2026,"month":10,"day_of_month":29,"hour":7,"minute":38,"second":3)"
    R"(,"millisecond":4,"ms":1795937883004},"modified_by":"admin")"
    R"(,"modified_by_principal_id":"01a2263d4b567c875727")"
    R"(,"modified_by_principal_domain_id":"default")"
    R"(,"edited_on":{"timestamp":"29-Nov-2026 07:38:03","iso_8601":"2026-11-29T07:38:03Z")"
    R"(,"year":2026,"month":10,"day_of_month":29,"hour":7,"minute":38,"second":3)"
    R"(,"millisecond":4,"ms":1795937883004},"edited_by":"admin")"
    R"(,"edited_by_principal_id":"01a2263d4b567c875727")"
    R"(,"edited_by_principal_domain_id":"default","changeset":"9f1a7f8da6a458c2d8c5"}})";

/// A stream that knows the text; it is copied for each block, as packing changes it.
const LZ4_stream_t& known_stream() {
    static const LZ4_stream_t stream = [] {
        LZ4_stream_t made;
        LZ4_initStream(&made, sizeof made);
        LZ4_loadDict(&made, kKnown.data(), static_cast<int>(kKnown.size()));
        return made;
    }();
    return stream;
}

}  // namespace

std::string pack_text(std::string_view text) {
    if (text.size() <= kLengthSize || text.size() > LZ4_MAX_INPUT_SIZE) return {};
    std::string packed;
    append_big_endian(packed, text.size(), kLengthSize);
    // A block that does not fit saves nothing.
    packed.resize(text.size());
    LZ4_stream_t stream = known_stream();
    const int size = LZ4_compress_fast_continue(&stream, text.data(), packed.data() + kLengthSize,
                                                static_cast<int>(text.size()),
                                                static_cast<int>(packed.size() - kLengthSize), 1);
    if (size <= 0) return {};
    packed.resize(kLengthSize + static_cast<std::size_t>(size));
    return packed;
}

std::optional<std::string> unpack_text(std::string_view packed) {
    if (packed.size() < kLengthSize) return std::nullopt;
    const std::uint64_t size = read_big_endian(packed.substr(0, kLengthSize));
    packed.remove_prefix(kLengthSize);
    const bool is_possible = packed.size() <= LZ4_MAX_INPUT_SIZE && size <= LZ4_MAX_INPUT_SIZE &&
                             size <= (packed.size() + 1) * kMostPerByte;
    if (!is_possible) return std::nullopt;
    std::string text(static_cast<std::size_t>(size), '\0');
    const int written = LZ4_decompress_safe_usingDict(
        packed.data(), text.data(), static_cast<int>(packed.size()), static_cast<int>(text.size()),
        kKnown.data(), static_cast<int>(kKnown.size()));
    if (written < 0 || static_cast<std::size_t>(written) != text.size()) return std::nullopt;
    return text;
}

}  // namespace stele::sdk

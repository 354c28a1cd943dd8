#include "attachment/counted_bytes.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"
#include "version/version_space.hpp"

namespace stele::nodes {

namespace {

constexpr char kBytesSpace[] = "nodes.bytes";

/// Half as many bytes as the id has, which are the name of a blob.
std::string counted_row(const sdk::ContentSpace& space, std::string_view object_id) {
    return counted_rows(space) + sdk::hex_bytes(object_id).value_or(std::string(object_id));
}

sdk::Result<std::uint64_t> length_in(std::string_view row) {
    if (row.size() == kNumberBytes) return read_number(row);
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.attachment_count_broken",
                           "what is kept about counted bytes cannot be read");
}

sdk::Result<void> count_once(sdk::Context& context, const sdk::RecordKey& branch,
                             const sdk::ContentSpace& space, const sdk::Json& attachment) {
    sdk::Transaction& transaction = context.transaction();
    const std::string row = counted_row(space, sdk::text_member(attachment, "objectId"));
    auto known = transaction.get(row);
    if (!known) return known.error();
    if (*known) return {};
    const std::int64_t length = sdk::integer_member(attachment, "length").value_or(0);
    std::string value;
    append_number(value, static_cast<std::uint64_t>(length));
    transaction.put(row, value);
    return context.data_stores().count(branch, {.objects = 1, .bytes = length});
}

}  // namespace

std::string counted_rows(const sdk::ContentSpace& space) {
    return sdk::KeyWriter(sdk::plugin_key_space(space.platform, kBytesSpace))
        .integer(space.repository)
        .key();
}

sdk::Result<void> count_attachments(const Services& services, sdk::Context& context,
                                    const sdk::RecordKey& branch, const sdk::Json* before,
                                    const sdk::Json& system) {
    const auto attachments = system.find(member::kAttachments);
    if (attachments == system.end() || !attachments->is_object()) return {};
    if (before != nullptr && before->find(member::kAttachments) != before->end() &&
        *before->find(member::kAttachments) == *attachments)
        return {};
    auto place = services.branches.find(context.transaction(), branch);
    if (!place) return place.error();
    const sdk::ContentSpace space{place->platform, place->repository};
    for (const sdk::Json& attachment : *attachments) {
        if (auto counted = count_once(context, branch, space, attachment); !counted) return counted;
    }
    return {};
}

sdk::Result<std::optional<std::uint64_t>> counted_length(const sdk::Reader& reader,
                                                         const sdk::ContentSpace& space,
                                                         std::string_view object_id) {
    auto row = reader.get(counted_row(space, object_id));
    if (!row) return row.error();
    if (!*row) return std::optional<std::uint64_t>();
    auto length = length_in(**row);
    if (!length) return length.error();
    return std::optional<std::uint64_t>(*length);
}

sdk::Result<sdk::DataStoreSize> counted_bytes(const sdk::Reader& reader,
                                              const sdk::ContentSpace& space) {
    sdk::DataStoreSize sum;
    const std::string rows = counted_rows(space);
    const auto cursor = reader.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        auto length = length_in(cursor->value());
        if (!length) return length.error();
        ++sum.objects;
        sum.bytes += static_cast<std::int64_t>(*length);
    }
    if (auto status = cursor->status(); !status) return status.error();
    return sum;
}

}  // namespace stele::nodes

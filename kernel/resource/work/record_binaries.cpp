#include "kernel/resource/work/record_binaries.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>

#include "kernel/resource/work/record_attachments.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

constexpr std::size_t kCopiedPiece = std::size_t{256} * 1024;

/// Puts bytes of one place into another.
sdk::Result<void> store_again(sdk::Context& context, sdk::BlobStore& from, sdk::BlobStore& to,
                              const std::string& name) {
    auto reader = from.open(name);
    if (!reader) return reader.error();
    std::uint64_t at = 0;
    auto stored = sdk::store_bytes(to, [&](std::string& piece) -> sdk::Result<void> {
        if (auto left = context.go_on(); !left) return left;
        if (auto read = (*reader)->read(at, kCopiedPiece, piece); !read) return read;
        at += piece.size();
        return {};
    });
    if (!stored) return stored.error();
    if (stored->name == name) return {};
    return sdk::make_error(sdk::ErrorKind::internal, "attachment.bytes_missing",
                           "the bytes that were copied are not what they were", name);
}

/// Names are made of content, so they are the same in every place.
sdk::Result<void> bring_bytes(sdk::Context& context, const sdk::RecordKey& from,
                              const sdk::RecordKey& to, const std::vector<std::string>& names) {
    auto source = context.data_stores().binaries(from);
    if (!source) return source.error();
    auto target = context.data_stores().binaries(to);
    if (!target) return target.error();
    if (*source == *target) return {};
    for (const std::string& name : names) {
        if (auto stored = store_again(context, **source, **target, name); !stored) return stored;
    }
    return {};
}

}  // namespace

sdk::Result<std::optional<sdk::Attachment>> RecordBinaries::content(sdk::Context& context,
                                                                    const sdk::RecordKey& record) {
    return read_content(context.transaction(), record);
}

sdk::Result<void> RecordBinaries::set_content(sdk::Context& context, const sdk::RecordKey& record,
                                              const sdk::Attachment& content) {
    return replace_content(WorkContext::of(context), record, content);
}

sdk::Result<void> RecordBinaries::copy(sdk::Context& context, const sdk::RecordKey& from,
                                       const sdk::RecordKey& to) {
    WorkContext& work = WorkContext::of(context);
    auto attachments = read_attachments(context.transaction(), from);
    if (!attachments) return attachments.error();
    auto content = read_content(context.transaction(), from);
    if (!content) return content.error();
    std::vector<std::string> names;
    for (const auto& [id, kept] : attachments->items())
        names.push_back(sdk::Attachment::from_json(id, kept).object_id);
    if (*content) names.push_back((*content)->object_id);
    if (auto brought = bring_bytes(context, from, to, names); !brought) return brought;
    if (*content) {
        if (auto set = replace_content(work, to, **content); !set) return set;
    }
    if (attachments->empty()) return {};
    return replace_attachments(work, to, sdk::Json::object(), *attachments);
}

}  // namespace stele::kernel::resource

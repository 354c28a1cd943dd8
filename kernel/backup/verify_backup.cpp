#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/backup/backup.hpp"

namespace stele::kernel::backup {

namespace {

sdk::Result<void> count_entries(std::string_view content, BackupSummary& summary) {
    std::string_view key;
    std::string_view value;
    while (!content.empty()) {
        if (!take_entry(content, key, value)) return damaged("an entry is cut off");
        ++summary.entries;
        summary.bytes += key.size() + value.size();
    }
    return {};
}

}  // namespace

sdk::Result<void> check_counts(const std::string& end, const BackupSummary& summary) {
    auto counts = sdk::parse_json(end);
    const auto is_counted = [&](const char* name, std::uint64_t count) {
        const auto member = counts ? sdk::integer_member(*counts, name) : std::nullopt;
        return member && static_cast<std::uint64_t>(*member) == count;
    };
    const bool is_all = is_counted("entries", summary.entries) &&
                        is_counted("bytes", summary.bytes) && is_counted("blobs", summary.blobs) &&
                        is_counted("blobBytes", summary.blob_bytes);
    return is_all ? sdk::Result<void>() : damaged("it does not hold as much as it says");
}

sdk::Result<BackupSummary> verify_backup(const Source& source) {
    BackupSummary summary;
    FrameReader reader(source);
    if (auto begun = reader.begin(); !begun) return begun.error();
    FrameReader::Frame frame;
    while (true) {
        if (auto read = reader.read(frame); !read) return read.error();
        switch (frame.kind) {
            case FrameKind::header: {
                auto header = sdk::parse_json(frame.content);
                if (!header) return damaged("it does not say what it is");
                summary.id = sdk::text_member(*header, "id");
                break;
            }
            case FrameKind::secrets:
                summary.has_secret_keys = true;
                break;
            case FrameKind::entries:
                if (auto counted = count_entries(frame.content, summary); !counted) {
                    return counted.error();
                }
                break;
            case FrameKind::blob_begin:
                ++summary.blobs;
                break;
            case FrameKind::blob_data:
                summary.blob_bytes += frame.content.size();
                break;
            case FrameKind::end:
                if (auto counted = check_counts(frame.content, summary); !counted) {
                    return counted.error();
                }
                return summary;
        }
    }
}

}  // namespace stele::kernel::backup

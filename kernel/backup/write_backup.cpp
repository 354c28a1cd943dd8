#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/backup/backup.hpp"

namespace stele::kernel::backup {

namespace {

constexpr std::size_t kFrameSize = 256 * 1024;
constexpr std::size_t kIdSize = 16;

class BackupRun {
public:
    BackupRun(const storage::BlobProviders& binaries, const Sink& sink)
        : binaries_(binaries), writer_(sink) {}

    sdk::Result<BackupSummary> run(sdk::Engine& engine, const BackupOptions& options);

private:
    sdk::Result<void> write_header();
    sdk::Result<void> write_entries(const sdk::Reader& reader);
    sdk::Result<void> write_blobs(const std::string& provider);
    sdk::Result<void> write_blob(sdk::BlobStore& store, const std::string& provider,
                                 const std::string& name);
    sdk::Result<void> write_end();

    const storage::BlobProviders& binaries_;
    FrameWriter writer_;
    BackupSummary summary_;
};

sdk::Result<BackupSummary> BackupRun::run(sdk::Engine& engine, const BackupOptions& options) {
    // Everything that was acknowledged before is in it. Blobs are listed later: what it refers to
    // is there, and what came since does no harm.
    const auto reader = engine.snapshot();
    summary_.id = sdk::random_hex(kIdSize);
    summary_.has_secret_keys = !options.secret_keys.empty();
    if (auto written = write_header(); !written) return written.error();
    if (summary_.has_secret_keys) {
        auto written = writer_.write(FrameKind::secrets, options.secret_keys);
        if (!written) return written.error();
    }
    if (auto written = write_entries(*reader); !written) return written.error();
    if (options.has_blobs) {
        for (const std::string& provider : binaries_.names()) {
            if (auto written = write_blobs(provider); !written) return written.error();
        }
    }
    if (auto written = write_end(); !written) return written.error();
    return summary_;
}

sdk::Result<void> BackupRun::write_header() {
    if (auto begun = writer_.begin(); !begun) return begun;
    return writer_.write_json(
        FrameKind::header,
        sdk::Json{{"format", kFormat},
                  {"id", summary_.id},
                  {"created", sdk::text_member(sdk::time_value(sdk::now_ms()), "iso_8601")}});
}

sdk::Result<void> BackupRun::write_entries(const sdk::Reader& reader) {
    std::string content;
    const auto cursor = reader.scan({}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        append_entry(content, cursor->key(), cursor->value());
        ++summary_.entries;
        summary_.bytes += cursor->key().size() + cursor->value().size();
        if (content.size() < kFrameSize) continue;
        if (auto written = writer_.write(FrameKind::entries, content); !written) return written;
        content.clear();
    }
    if (auto status = cursor->status(); !status) return status;
    return content.empty() ? sdk::Result<void>() : writer_.write(FrameKind::entries, content);
}

sdk::Result<void> BackupRun::write_blobs(const std::string& provider) {
    auto store = binaries_.find(provider);
    if (!store) return store.error();
    // What lies in the default place goes to that of the server that restores it.
    const std::string named = provider == binaries_.default_name() ? std::string() : provider;
    sdk::Result<void> outcome;
    auto listed = (*store)->for_each([&](std::string_view name) {
        if (outcome) outcome = write_blob(**store, named, std::string(name));
    });
    return outcome ? listed : outcome;
}

sdk::Result<void> BackupRun::write_blob(sdk::BlobStore& store, const std::string& provider,
                                        const std::string& name) {
    auto reader = store.open(name);
    if (!reader) {
        // Removed since it was listed.
        const bool is_gone = sdk::is_missing(reader.error());
        return is_gone ? sdk::Result<void>() : sdk::Result<void>(reader.error());
    }
    const std::uint64_t size = (*reader)->size();
    auto written = writer_.write_json(
        FrameKind::blob_begin, sdk::Json{{"provider", provider}, {"name", name}, {"size", size}});
    if (!written) return written;
    std::string piece;
    for (std::uint64_t offset = 0; offset < size; offset += piece.size()) {
        if (auto read = (*reader)->read(offset, kFrameSize, piece); !read) return read;
        if (piece.empty()) return damaged("the blob " + name + " ended before its end");
        if (auto put = writer_.write(FrameKind::blob_data, piece); !put) return put;
    }
    ++summary_.blobs;
    summary_.blob_bytes += size;
    return {};
}

sdk::Result<void> BackupRun::write_end() {
    return writer_.write_json(FrameKind::end, sdk::Json{{"entries", summary_.entries},
                                                        {"bytes", summary_.bytes},
                                                        {"blobs", summary_.blobs},
                                                        {"blobBytes", summary_.blob_bytes}});
}

}  // namespace

sdk::Result<BackupSummary> write_backup(sdk::Engine& engine, const storage::BlobProviders& binaries,
                                        const BackupOptions& options, const Sink& sink) {
    return BackupRun(binaries, sink).run(engine, options);
}

}  // namespace stele::kernel::backup

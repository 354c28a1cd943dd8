#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/backup/backup.hpp"
#include "kernel/backup/portions.hpp"
#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::backup {

namespace {

/// Stands in the store while a restore is under way: the backup's id and the last key restored.
std::string restore_marker_key() {
    return storage::plugin_space(0, "kernel.restore");
}

class RestoreRun {
public:
    RestoreRun(const RestoreTarget& target, const Source& source)
        : target_(target), reader_(source) {}

    sdk::Result<BackupSummary> run();

private:
    sdk::Result<void> begin();
    sdk::Result<void> check_target();
    sdk::Result<void> take(const FrameReader::Frame& frame);
    sdk::Result<void> take_entries(std::string_view content);
    sdk::Result<void> begin_blob(const std::string& content);
    sdk::Result<void> take_blob_data(std::string_view content);
    sdk::Result<void> end_blob();
    sdk::Result<void> end(const std::string& content);
    /// Brings what was collected to the disk.
    sdk::Result<void> commit();

    const RestoreTarget& target_;
    FrameReader reader_;
    BackupSummary summary_;
    std::string last_key_;       ///< of the entries that are in the store
    bool has_restored_ = false;  ///< whether there is a last key
    std::unique_ptr<sdk::Transaction> batch_;
    std::size_t batch_size_ = 0;
    std::string batch_end_;

    sdk::Json blob_;  ///< the one being read; null between blobs
    std::uint64_t blob_left_ = 0;
    std::unique_ptr<sdk::BlobStore::Writer> blob_writer_;  ///< null when it is there already
};

sdk::Result<BackupSummary> RestoreRun::run() {
    if (auto begun = begin(); !begun) return begun.error();
    FrameReader::Frame frame;
    while (true) {
        if (auto read = reader_.read(frame); !read) return read.error();
        if (frame.kind == FrameKind::end) break;
        if (auto taken = take(frame); !taken) return taken.error();
    }
    if (auto ended = end(frame.content); !ended) return ended.error();
    return summary_;
}

sdk::Result<void> RestoreRun::begin() {
    if (auto begun = reader_.begin(); !begun) return begun;
    FrameReader::Frame frame;
    if (auto read = reader_.read(frame); !read) return read;
    auto header = sdk::parse_json(frame.content);
    if (frame.kind != FrameKind::header || !header) return damaged("it does not say what it is");
    summary_.id = sdk::text_member(*header, "id");
    return check_target();
}

sdk::Result<void> RestoreRun::check_target() {
    const auto reader = target_.engine.snapshot();
    auto marker = reader->get(restore_marker_key());
    if (!marker) return marker.error();
    if (!*marker) {
        const auto cursor = reader->scan({}, sdk::ScanDirection::forward);
        if (!cursor->is_valid()) return cursor->status();
        return sdk::make_error(sdk::ErrorKind::conflict, "backup.target_not_empty",
                               "the store is not empty; a backup is restored into a new one only");
    }
    sdk::KeyReader fields(**marker);
    const auto id = fields.text();
    if (id != summary_.id) {
        return sdk::make_error(sdk::ErrorKind::conflict, "backup.target_not_empty",
                               "the restore of another backup into this store has not ended; take "
                               "that backup again, or an empty folder");
    }
    summary_.was_resumed = true;
    last_key_ = fields.rest();
    has_restored_ = true;
    return {};
}

sdk::Result<void> RestoreRun::take(const FrameReader::Frame& frame) {
    if (blob_left_ > 0 && frame.kind != FrameKind::blob_data) return damaged("a blob is cut off");
    switch (frame.kind) {
        case FrameKind::secrets:
            summary_.has_secret_keys = true;
            return target_.keep_secret_keys(frame.content);
        case FrameKind::entries:
            return take_entries(frame.content);
        case FrameKind::blob_begin:
            return begin_blob(frame.content);
        case FrameKind::blob_data:
            return take_blob_data(frame.content);
        case FrameKind::header:
        case FrameKind::end:
            break;
    }
    return damaged("it holds something that is no part of a backup");
}

sdk::Result<void> RestoreRun::take_entries(std::string_view content) {
    std::string_view key;
    std::string_view value;
    while (!content.empty()) {
        if (!take_entry(content, key, value)) return damaged("an entry is cut off");
        ++summary_.entries;
        summary_.bytes += key.size() + value.size();
        if (has_restored_ && key <= last_key_) continue;
        if (!batch_) batch_ = target_.engine.begin();
        batch_->put(key, value);
        batch_end_ = key;
        batch_size_ += key.size() + value.size();
        if (batch_size_ < kBatchSize) continue;
        if (auto committed = commit(); !committed) return committed;
    }
    return {};
}

sdk::Result<void> RestoreRun::commit() {
    if (!batch_) return {};
    batch_->put(restore_marker_key(), sdk::KeyWriter().text(summary_.id).raw(batch_end_).key());
    auto committed = sdk::commit_and_wait(*batch_);
    batch_.reset();
    batch_size_ = 0;
    return committed;
}

sdk::Result<void> RestoreRun::begin_blob(const std::string& content) {
    if (auto committed = commit(); !committed) return committed;
    auto blob = sdk::parse_json(content);
    const auto size = blob ? sdk::integer_member(*blob, "size") : std::nullopt;
    if (!size || *size < 0) return damaged("a blob does not say what it is");
    blob_ = std::move(*blob);
    blob_left_ = static_cast<std::uint64_t>(*size);
    ++summary_.blobs;
    summary_.blob_bytes += blob_left_;
    auto store = target_.binaries.find(sdk::text_member(blob_, "provider"));
    if (!store) return store.error();
    auto exists = (*store)->exists(sdk::text_member(blob_, "name"));
    if (!exists) return exists.error();
    if (!*exists) {
        auto writer = (*store)->create();
        if (!writer) return writer.error();
        blob_writer_ = std::move(*writer);
    }
    return blob_left_ == 0 ? end_blob() : sdk::Result<void>();
}

sdk::Result<void> RestoreRun::take_blob_data(std::string_view content) {
    if (content.empty() || content.size() > blob_left_) return damaged("a blob is too long");
    blob_left_ -= content.size();
    if (blob_writer_) {
        if (auto written = blob_writer_->write(content); !written) return written;
    }
    return blob_left_ == 0 ? end_blob() : sdk::Result<void>();
}

sdk::Result<void> RestoreRun::end_blob() {
    if (!blob_writer_) return {};
    auto name = blob_writer_->finish();
    blob_writer_.reset();
    if (!name) return name.error();
    if (*name != sdk::text_member(blob_, "name")) return damaged("a blob is not what it was");
    return {};
}

sdk::Result<void> RestoreRun::end(const std::string& content) {
    if (blob_left_ > 0) return damaged("a blob is cut off");
    if (auto committed = commit(); !committed) return committed;
    if (auto counted = check_counts(content, summary_); !counted) return counted;
    const auto transaction = target_.engine.begin();
    transaction->remove(restore_marker_key());
    return sdk::commit_and_wait(*transaction);
}

}  // namespace

sdk::Result<BackupSummary> restore_backup(const RestoreTarget& target, const Source& source) {
    return RestoreRun(target, source).run();
}

sdk::Result<void> check_restored(const sdk::Reader& reader) {
    auto marker = reader.get(restore_marker_key());
    if (!marker) return marker.error();
    if (!*marker) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "backup.restore_unfinished",
                           "the restore of a backup into this store has not ended; repeat it");
}

}  // namespace stele::kernel::backup

#include "kernel/backup/copy.hpp"

#include <chrono>
#include <memory>
#include <thread>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/shared_engine.hpp>

#include "kernel/backup/copy_comparison.hpp"
#include "kernel/backup/portions.hpp"
#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::backup {

namespace {

/// A process that was killed is taken for a server until it was silent for so long.
constexpr std::chrono::seconds kServerPatience{30};

/// Stands in the target while it is filled: the source's id and the last key copied.
std::string copy_marker_key() {
    return storage::plugin_space(0, "kernel.copy");
}

sdk::Result<void> check_unserved(sdk::Engine& engine, const char* side) {
    // An engine of one process keeps others out by itself.
    auto* const shared = engine.as_shared();
    const auto deadline = std::chrono::steady_clock::now() + kServerPatience;
    while (shared) {
        auto others = shared->other_servers();
        if (!others) return others.error();
        if (*others == 0) break;
        if (std::chrono::steady_clock::now() >= deadline) {
            return sdk::make_error(sdk::ErrorKind::unavailable, "copy.store_served",
                                   std::string("a server has the ") + side +
                                       " open; stop all of them while it is copied");
        }
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    return {};
}

sdk::Error not_empty(const char* problem) {
    return sdk::make_error(sdk::ErrorKind::conflict, "copy.target_not_empty", problem);
}

class CopyRun {
public:
    CopyRun(const CopySide& source, const CopySide& target, const CopyOptions& options)
        : source_(source), target_(target), options_(options) {}

    sdk::Result<CopySummary> run();

private:
    sdk::Result<void> begin();
    sdk::Result<void> copy_entries();
    sdk::Result<void> commit(std::unique_ptr<sdk::Transaction>& batch, std::string_view last_key);
    sdk::Result<void> copy_blobs();
    sdk::Result<void> copy_blob(const std::string& name);
    sdk::Result<void> end();

    const CopySide& source_;
    const CopySide& target_;
    const CopyOptions& options_;
    std::string begin_key_;  ///< behind the last one that is in the target
    CopySummary summary_;
};

sdk::Result<CopySummary> CopyRun::run() {
    if (auto unserved = check_unserved(source_.engine, "source"); !unserved)
        return unserved.error();
    if (auto unserved = check_unserved(target_.engine, "target"); !unserved)
        return unserved.error();
    if (auto begun = begin(); !begun) return begun.error();
    if (auto prepared = options_.prepare_target(); !prepared) return prepared.error();
    if (auto copied = copy_entries(); !copied) return copied.error();
    if (auto copied = copy_blobs(); !copied) return copied.error();
    // What a server has written into the source meanwhile shows as a difference here.
    auto compared = compare_stores(source_, target_, copy_marker_key(), summary_);
    if (!compared) return compared.error();
    if (auto unserved = check_unserved(source_.engine, "source"); !unserved)
        return unserved.error();
    if (auto ended = end(); !ended) return ended.error();
    return summary_;
}

sdk::Result<void> CopyRun::begin() {
    const auto target = target_.engine.snapshot();
    auto marker = target->get(copy_marker_key());
    if (!marker) return marker.error();
    if (!*marker) {
        const auto cursor = target->scan({}, sdk::ScanDirection::forward);
        if (!cursor->is_valid()) return cursor->status();
        return not_empty("the target is not empty; a store is copied into a new one only");
    }
    sdk::KeyReader fields(**marker);
    if (fields.text() != options_.source_id) {
        return not_empty(
            "the copy of another store into this target has not ended; copy that one again, or "
            "take an empty target");
    }
    summary_.was_resumed = true;
    // A zero byte behind a key makes the next one.
    begin_key_ = std::string(fields.rest()) + '\0';
    return {};
}

sdk::Result<void> CopyRun::copy_entries() {
    const auto reader = source_.engine.snapshot();
    const auto cursor = reader->scan({begin_key_, {}}, sdk::ScanDirection::forward);
    std::unique_ptr<sdk::Transaction> batch;
    std::size_t batch_size = 0;
    std::string last_key;
    for (; cursor->is_valid(); cursor->next()) {
        if (!batch) batch = target_.engine.begin();
        batch->put(cursor->key(), cursor->value());
        last_key = cursor->key();
        batch_size += cursor->key().size() + cursor->value().size();
        ++summary_.entries;
        if (batch_size < kBatchSize) continue;
        if (auto committed = commit(batch, last_key); !committed) return committed;
        batch_size = 0;
    }
    if (auto status = cursor->status(); !status) return status;
    return batch ? commit(batch, last_key) : sdk::Result<void>();
}

sdk::Result<void> CopyRun::commit(std::unique_ptr<sdk::Transaction>& batch,
                                  std::string_view last_key) {
    batch->put(copy_marker_key(), sdk::KeyWriter().text(options_.source_id).raw(last_key).key());
    auto committed = sdk::commit_and_wait(*batch);
    batch.reset();
    if (committed) options_.progress(summary_);
    return committed;
}

sdk::Result<void> CopyRun::copy_blobs() {
    sdk::Result<void> outcome;
    auto listed = source_.blobs.for_each([&](std::string_view name) {
        if (outcome) outcome = copy_blob(std::string(name));
    });
    return outcome ? listed : outcome;
}

sdk::Result<void> CopyRun::copy_blob(const std::string& name) {
    auto exists = target_.blobs.exists(name);
    if (!exists) return exists.error();
    if (*exists) return {};
    auto reader = source_.blobs.open(name);
    if (!reader) return reader.error();
    auto writer = target_.blobs.create();
    if (!writer) return writer.error();
    std::string piece;
    for (std::uint64_t at = 0; at < (*reader)->size(); at += piece.size()) {
        if (auto read = (*reader)->read(at, kPieceSize, piece); !read) return read;
        if (piece.empty()) break;  // shorter than it says: its name will not fit
        if (auto written = (*writer)->write(piece); !written) return written;
    }
    auto written = (*writer)->finish();
    if (!written) return written.error();
    if (*written != name) {
        return sdk::make_error(sdk::ErrorKind::internal, "copy.source_damaged",
                               "the blob " + name + " of the source is not what it was");
    }
    ++summary_.blobs;
    options_.progress(summary_);
    return {};
}

sdk::Result<void> CopyRun::end() {
    const auto transaction = target_.engine.begin();
    transaction->remove(copy_marker_key());
    return sdk::commit_and_wait(*transaction);
}

}  // namespace

sdk::Result<CopySummary> copy_store(const CopySide& source, const CopySide& target,
                                    const CopyOptions& options) {
    return CopyRun(source, target, options).run();
}

sdk::Result<void> check_copied(const sdk::Reader& reader) {
    auto marker = reader.get(copy_marker_key());
    if (!marker) return marker.error();
    if (!*marker) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "copy.unfinished",
                           "the copy of a store into this one has not ended; repeat it");
}

}  // namespace stele::kernel::backup

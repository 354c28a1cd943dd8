#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include <stele/sdk/blob_store.hpp>

#include "kernel/file/file_stamp.hpp"
#include "kernel/storage/check/damage_notes.hpp"

namespace stele::kernel::storage {

/// Decides which blobs are verified before their first byte goes out: as many bytes a second as the
/// setting `storage.blob_verify_rate` gives. Any thread.
class BlobVerification {
public:
    /// 0: none. Before serving begins.
    void set_rate(std::uint64_t bytes_per_second) {
        rate_ = bytes_per_second;
        granted_ = static_cast<std::int64_t>(bytes_per_second);
    }
    /// Whether a blob, named with its place, is to be verified now.
    bool is_due(const std::string& blob, std::uint64_t size);
    /// It is what it was: for a while nobody looks again. `file` is what it lies in, as it was
    /// before it was looked at.
    void note_sound(const std::string& blob, const std::optional<file::FileStamp>& file);
    /// Whether a blob that lies in a file was found sound there.
    bool knows_file(const std::string& blob);
    /// Whether that was in this one, a while ago at most, and nobody has written to it since.
    bool is_sound(const std::string& blob, const file::FileStamp& file);
    /// Whether anything is verified before its first byte goes out.
    bool looks_ahead() const { return rate_ > 0; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kMaxRemembered = 100'000;
    static constexpr std::chrono::minutes kTrust{10};

    std::uint64_t rate_ = 0;
    std::mutex mutex_;
    /// What may be spent; below zero after a large blob, until the time has paid for it.
    std::int64_t granted_ = 0;
    Clock::time_point granted_at_ = Clock::now();
    struct Sound {
        Clock::time_point at;
        /// Nothing where it lies in no file, or where a write just after it would not show.
        std::optional<file::FileStamp> file;
    };
    std::unordered_map<std::string, Sound> sound_;
};

/// A place for blobs whose bytes are compared with their names: what is read as a whole always,
/// at the latest before its last piece is handed out, and other reads as `verification` says.
/// Damage answers `internal` (`store.damaged`) and is noted. All must outlive it.
std::unique_ptr<sdk::BlobStore> verify_blobs(std::unique_ptr<sdk::BlobStore> blobs,
                                             std::string place, BlobVerification& verification,
                                             DamageNotes& damage);

}  // namespace stele::kernel::storage

#include "kernel/storage/blob/verified_blobs.hpp"

#include <algorithm>
#include <utility>

#include <stele/sdk/file_reader.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/storage/blob/blob_digest.hpp"

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kVerifiedPiece = 256 * 1024;

/// What is read as a whole is verified before its first byte goes out up to this size, and sent as
/// a file. With more, the reader would wait too long.
constexpr std::uint64_t kVerifiedAhead = 4 * 1024 * 1024;

class VerifiedReader final : public sdk::FileReader {
public:
    VerifiedReader(std::unique_ptr<sdk::BlobStore::Reader> reader, std::string name,
                   const std::string& place, BlobVerification& verification, DamageNotes& damage)
        : reader_(std::move(reader)),
          file_(dynamic_cast<sdk::FileReader*>(reader_.get())),
          name_(std::move(name)),
          blob_(place + '/' + name_),
          verification_(verification),
          damage_(damage) {}

    std::uint64_t size() const override { return reader_->size(); }
    sdk::Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override;
    int descriptor() const override { return file_ ? file_->descriptor() : -1; }
    sdk::Result<bool> is_sendable(std::uint64_t first, std::uint64_t end, bool may_wait) override;
    bool is_unchanged() const override;

private:
    sdk::Result<void> verify_ahead();
    sdk::Result<void> verify();
    std::optional<file::FileStamp> stamp() const;
    std::optional<file::FileStamp> settled_stamp() const;
    sdk::Result<void> read_checked(std::uint64_t offset, std::size_t limit, std::string& out);
    sdk::Result<void> follow(std::uint64_t offset, const std::string& bytes);
    sdk::Error damaged(const std::string& what);

    std::unique_ptr<sdk::BlobStore::Reader> reader_;
    sdk::FileReader* const file_;  ///< the same; null when it is in no file
    const std::string name_;
    const std::string blob_;
    BlobVerification& verification_;
    DamageNotes& damage_;
    bool is_begun_ = false;
    bool is_sound_ = false;
    /// Of the file, before anything was read of it.
    std::optional<file::FileStamp> stamp_;
    /// The same when it was found sendable.
    std::optional<file::FileStamp> sendable_;
    /// Of the bytes from the beginning that were handed out without a gap.
    BlobDigest digest_;
    std::uint64_t followed_ = 0;
};

sdk::Error VerifiedReader::damaged(const std::string& what) {
    const std::string place = "the binary " + blob_ + ' ' + what;
    damage_.note(place);
    return DamageNotes::error(place);
}

sdk::Result<void> VerifiedReader::read_checked(std::uint64_t offset, std::size_t limit,
                                               std::string& out) {
    auto read = reader_->read(offset, limit, out);
    // The place says itself that bytes are missing.
    if (!read && read.error().kind == sdk::ErrorKind::internal)
        return damaged("is not whole at offset " + std::to_string(offset));
    return read;
}

sdk::Result<void> VerifiedReader::verify_ahead() {
    if (!verification_.is_due(blob_, size())) return {};
    return verify();
}

sdk::Result<void> VerifiedReader::verify() {
    stamp_ = settled_stamp();
    BlobDigest digest;
    std::string piece;
    for (std::uint64_t offset = 0; offset < size(); offset += piece.size()) {
        if (auto read = read_checked(offset, kVerifiedPiece, piece); !read) return read;
        if (piece.empty()) return damaged("ends at offset " + std::to_string(offset));
        digest.add(piece);
    }
    if (digest.name() != name_) return damaged("is not what was stored");
    is_sound_ = true;
    verification_.note_sound(blob_, stamp_);
    return {};
}

sdk::Result<void> VerifiedReader::follow(std::uint64_t offset, const std::string& bytes) {
    if (is_sound_ || offset != followed_) return {};
    digest_.add(bytes);
    followed_ += bytes.size();
    // Also for bytes that lack at the end, which nobody will ask for any more.
    if (followed_ < size() && !bytes.empty()) return {};
    if (digest_.name() != name_) return damaged("is not what was stored");
    is_sound_ = true;
    verification_.note_sound(blob_, stamp_);
    return {};
}

sdk::Result<void> VerifiedReader::read(std::uint64_t offset, std::size_t limit, std::string& out) {
    const bool is_first = !std::exchange(is_begun_, true);
    if (is_first) stamp_ = settled_stamp();
    // One that fits into a piece is verified with it.
    if (is_first && (offset > 0 || limit < size())) {
        if (auto verified = verify_ahead(); !verified) return verified;
    }
    auto read = read_checked(offset, limit, out);
    if (!read) return read;
    if (auto followed = follow(offset, out); !followed) {
        out.clear();
        return followed;
    }
    return {};
}

/// Nothing for a file that somebody may write to again within the same tick of its clock.
std::optional<file::FileStamp> VerifiedReader::settled_stamp() const {
    auto present = stamp();
    return present && present->is_settled(sdk::now_ms()) ? present : std::nullopt;
}

std::optional<file::FileStamp> VerifiedReader::stamp() const {
    return file_ ? file::stamp_of(file_->descriptor()) : std::nullopt;
}

/// The whole is, once it was verified in this file; a part of it as `read` would hand it out.
sdk::Result<bool> VerifiedReader::is_sendable(std::uint64_t first, std::uint64_t end,
                                              bool may_wait) {
    const auto present = stamp();
    if (!present) return false;
    if (end > present->size) return damaged("is shorter than what was stored");
    if (!verification_.is_sound(blob_, *present)) {
        if (!may_wait) return false;
        const bool is_whole = first == 0 && end == size();
        const bool was_written_to = present->size != size() || (sendable_ && !is_unchanged());
        const bool is_short = size() <= kVerifiedAhead && verification_.looks_ahead();
        if (is_whole && !is_short && !was_written_to) return false;
        const bool looks_at_all = is_whole || was_written_to;
        if (auto verified = looks_at_all ? verify() : verify_ahead(); !verified)
            return verified.error();
    }
    sendable_ = present;
    return end <= size();
}

bool VerifiedReader::is_unchanged() const {
    const auto present = stamp();
    return present && sendable_ && present->has_bytes_of(*sendable_);
}

class VerifiedBlobs final : public sdk::FileBlobs {
public:
    VerifiedBlobs(std::unique_ptr<sdk::BlobStore> blobs, std::string place,
                  BlobVerification& verification, DamageNotes& damage)
        : blobs_(std::move(blobs)),
          files_(dynamic_cast<sdk::FileBlobs*>(blobs_.get())),
          place_(std::move(place)),
          verification_(verification),
          damage_(damage) {}

    sdk::Result<std::unique_ptr<Writer>> create() override { return blobs_->create(); }
    sdk::Result<std::unique_ptr<Reader>> open(std::string_view name) override {
        auto reader = blobs_->open(name);
        if (!reader) return told(reader.error(), name);
        return std::unique_ptr<Reader>(verified(std::move(*reader), name));
    }
    sdk::Result<std::unique_ptr<sdk::FileReader>> open_file(std::string_view name,
                                                            bool may_wait) override {
        if (!files_) return std::unique_ptr<sdk::FileReader>();
        const bool is_worth_it =
            may_wait || verification_.knows_file(place_ + '/' + std::string(name));
        if (!is_worth_it) return std::unique_ptr<sdk::FileReader>();
        auto reader = files_->open_file(name, may_wait);
        if (!reader) return told(reader.error(), name);
        if (!*reader) return reader;
        return std::unique_ptr<sdk::FileReader>(verified(std::move(*reader), name));
    }
    sdk::Result<bool> exists(std::string_view name) override { return blobs_->exists(name); }
    sdk::Result<void> remove(std::string_view name) override { return blobs_->remove(name); }
    sdk::Result<void> for_each(const std::function<void(std::string_view)>& visit) override {
        return blobs_->for_each(visit);
    }
    sdk::Result<void> for_each_before(std::int64_t epoch_ms,
                                      const std::function<void(std::string_view)>& visit) override {
        return blobs_->for_each_before(epoch_ms, visit);
    }
    sdk::Result<std::optional<std::uint64_t>> remove_before(std::string_view name,
                                                            std::int64_t epoch_ms) override {
        return blobs_->remove_before(name, epoch_ms);
    }

private:
    /// Why a blob was not opened, with what cannot be but damage noted.
    sdk::Error told(const sdk::Error& error, std::string_view name) {
        if (error.kind != sdk::ErrorKind::internal) return error;
        const std::string place =
            "the binary " + place_ + '/' + std::string(name) + " cannot be opened: " + error.detail;
        damage_.note(place);
        return DamageNotes::error(place);
    }
    std::unique_ptr<VerifiedReader> verified(std::unique_ptr<Reader> reader,
                                             std::string_view name) {
        return std::make_unique<VerifiedReader>(std::move(reader), std::string(name), place_,
                                                verification_, damage_);
    }

    std::unique_ptr<sdk::BlobStore> blobs_;
    sdk::FileBlobs* const files_;  ///< the same; null when it keeps no files
    const std::string place_;
    BlobVerification& verification_;
    DamageNotes& damage_;
};

}  // namespace

bool BlobVerification::is_due(const std::string& blob, std::uint64_t size) {
    // More than a second's worth would let its reader wait.
    if (size > rate_) return false;
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    const auto known = sound_.find(blob);
    if (known != sound_.end() && now - known->second.at < kTrust) return false;
    const auto most = static_cast<std::int64_t>(rate_);
    const double seconds = std::chrono::duration<double>(now - granted_at_).count();
    granted_ += static_cast<std::int64_t>(std::min(seconds, 3600.0) * static_cast<double>(rate_));
    granted_ = std::min(granted_, most);
    granted_at_ = now;
    if (granted_ <= 0) return false;
    granted_ -= static_cast<std::int64_t>(size);
    return true;
}

void BlobVerification::note_sound(const std::string& blob,
                                  const std::optional<file::FileStamp>& file) {
    const std::lock_guard lock(mutex_);
    if (sound_.size() >= kMaxRemembered) sound_.clear();
    sound_[blob] = {Clock::now(), file};
}

bool BlobVerification::knows_file(const std::string& blob) {
    const std::lock_guard lock(mutex_);
    const auto known = sound_.find(blob);
    return known != sound_.end() && known->second.file;
}

bool BlobVerification::is_sound(const std::string& blob, const file::FileStamp& file) {
    const std::lock_guard lock(mutex_);
    const auto known = sound_.find(blob);
    return known != sound_.end() && known->second.file == file &&
           Clock::now() - known->second.at < kTrust;
}

std::unique_ptr<sdk::BlobStore> verify_blobs(std::unique_ptr<sdk::BlobStore> blobs,
                                             std::string place, BlobVerification& verification,
                                             DamageNotes& damage) {
    return std::make_unique<VerifiedBlobs>(std::move(blobs), std::move(place), verification,
                                           damage);
}

}  // namespace stele::kernel::storage

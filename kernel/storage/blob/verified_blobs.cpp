#include "kernel/storage/blob/verified_blobs.hpp"

#include <algorithm>
#include <utility>

#include "kernel/storage/blob/blob_digest.hpp"

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kVerifiedPiece = 256 * 1024;

class VerifiedReader final : public sdk::BlobStore::Reader {
public:
    VerifiedReader(std::unique_ptr<sdk::BlobStore::Reader> reader, std::string name,
                   const std::string& place, BlobVerification& verification, DamageNotes& damage)
        : reader_(std::move(reader)),
          name_(std::move(name)),
          blob_(place + '/' + name_),
          verification_(verification),
          damage_(damage) {}

    std::uint64_t size() const override { return reader_->size(); }
    sdk::Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override;

private:
    sdk::Result<void> verify_ahead();
    sdk::Result<void> read_checked(std::uint64_t offset, std::size_t limit, std::string& out);
    sdk::Result<void> follow(std::uint64_t offset, const std::string& bytes);
    sdk::Error damaged(const std::string& what);

    std::unique_ptr<sdk::BlobStore::Reader> reader_;
    const std::string name_;
    const std::string blob_;
    BlobVerification& verification_;
    DamageNotes& damage_;
    bool is_begun_ = false;
    bool is_sound_ = false;
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
    BlobDigest digest;
    std::string piece;
    for (std::uint64_t offset = 0; offset < size(); offset += piece.size()) {
        if (auto read = read_checked(offset, kVerifiedPiece, piece); !read) return read;
        if (piece.empty()) return damaged("ends at offset " + std::to_string(offset));
        digest.add(piece);
    }
    if (digest.name() != name_) return damaged("is not what was stored");
    is_sound_ = true;
    verification_.note_sound(blob_);
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
    verification_.note_sound(blob_);
    return {};
}

sdk::Result<void> VerifiedReader::read(std::uint64_t offset, std::size_t limit, std::string& out) {
    const bool is_first = !std::exchange(is_begun_, true);
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

class VerifiedBlobs final : public sdk::BlobStore {
public:
    VerifiedBlobs(std::unique_ptr<sdk::BlobStore> blobs, std::string place,
                  BlobVerification& verification, DamageNotes& damage)
        : blobs_(std::move(blobs)),
          place_(std::move(place)),
          verification_(verification),
          damage_(damage) {}

    sdk::Result<std::unique_ptr<Writer>> create() override { return blobs_->create(); }
    sdk::Result<std::unique_ptr<Reader>> open(std::string_view name) override {
        auto reader = blobs_->open(name);
        if (!reader && reader.error().kind == sdk::ErrorKind::internal) {
            const std::string place = "the binary " + place_ + '/' + std::string(name) +
                                      " cannot be opened: " + reader.error().detail;
            damage_.note(place);
            return DamageNotes::error(place);
        }
        if (!reader) return reader;
        return std::unique_ptr<Reader>(std::make_unique<VerifiedReader>(
            std::move(*reader), std::string(name), place_, verification_, damage_));
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
    std::unique_ptr<sdk::BlobStore> blobs_;
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
    if (known != sound_.end() && now - known->second < kTrust) return false;
    const auto most = static_cast<std::int64_t>(rate_);
    const double seconds = std::chrono::duration<double>(now - granted_at_).count();
    granted_ += static_cast<std::int64_t>(std::min(seconds, 3600.0) * static_cast<double>(rate_));
    granted_ = std::min(granted_, most);
    granted_at_ = now;
    if (granted_ <= 0) return false;
    granted_ -= static_cast<std::int64_t>(size);
    return true;
}

void BlobVerification::note_sound(const std::string& blob) {
    if (rate_ == 0) return;
    const std::lock_guard lock(mutex_);
    if (sound_.size() >= kMaxRemembered) sound_.clear();
    sound_[blob] = Clock::now();
}

std::unique_ptr<sdk::BlobStore> verify_blobs(std::unique_ptr<sdk::BlobStore> blobs,
                                             std::string place, BlobVerification& verification,
                                             DamageNotes& damage) {
    return std::make_unique<VerifiedBlobs>(std::move(blobs), std::move(place), verification,
                                           damage);
}

}  // namespace stele::kernel::storage

#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include <stele/sdk/blob_store.hpp>

namespace stele::archives {

/// Bytes that several threads read, one after the other. Any thread.
class LockedBytes final : public sdk::BlobStore::Reader {
public:
    explicit LockedBytes(std::unique_ptr<sdk::BlobStore::Reader> bytes)
        : bytes_(std::move(bytes)), size_(bytes_->size()) {}

    std::uint64_t size() const override { return size_; }
    sdk::Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override {
        const std::lock_guard lock(mutex_);
        return bytes_->read(offset, limit, out);
    }

private:
    std::mutex mutex_;
    std::unique_ptr<sdk::BlobStore::Reader> bytes_;
    const std::uint64_t size_;
};

}  // namespace stele::archives

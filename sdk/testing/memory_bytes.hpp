#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <stele/sdk/blob_store.hpp>

namespace stele::sdk::testing {

/// Bytes in memory as a blob, which come in pieces of `most` at most. Remembers what was asked of
/// it.
class MemoryBytes final : public BlobStore::Reader {
public:
    explicit MemoryBytes(std::string bytes, std::size_t most = std::string::npos)
        : bytes_(std::move(bytes)), most_(most) {}

    std::uint64_t size() const override { return bytes_.size(); }

    Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override {
        largest_ = std::max(largest_, limit);
        const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes_.size()));
        out = bytes_.substr(at, std::min(limit, most_));
        return {};
    }

    /// The most that was asked for at once.
    std::size_t largest() const { return largest_; }

private:
    std::string bytes_;
    std::size_t most_;
    std::size_t largest_ = 0;
};

}  // namespace stele::sdk::testing

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <stele/sdk/blob_store.hpp>

namespace stele::sdk::testing {

/// Bytes of which most are zeros, which take no memory, as a blob. Remembers how much was read.
class SparseBytes final : public BlobStore::Reader {
public:
    void append(std::string_view bytes) {
        parts_[size_] = bytes;
        size_ += bytes.size();
    }
    void append_zeros(std::uint64_t count) { size_ += count; }

    /// What is not zeros, by its offset.
    const std::map<std::uint64_t, std::string>& parts() const { return parts_; }
    std::uint64_t total_read() const { return total_read_; }

    std::uint64_t size() const override { return size_; }
    Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override {
        const std::uint64_t begin = std::min(offset, size_);
        const std::uint64_t end = begin + std::min<std::uint64_t>(limit, size_ - begin);
        out.assign(static_cast<std::size_t>(end - begin), '\0');
        total_read_ += out.size();
        auto part = parts_.upper_bound(begin);
        if (part != parts_.begin()) --part;
        for (; part != parts_.end() && part->first < end; ++part) {
            const std::uint64_t from = std::max(begin, part->first);
            const std::uint64_t to = std::min(end, part->first + part->second.size());
            if (from >= to) continue;
            out.replace(static_cast<std::size_t>(from - begin), static_cast<std::size_t>(to - from),
                        part->second, static_cast<std::size_t>(from - part->first),
                        static_cast<std::size_t>(to - from));
        }
        return {};
    }

private:
    std::map<std::uint64_t, std::string> parts_;
    std::uint64_t size_ = 0;
    std::uint64_t total_read_ = 0;
};

}  // namespace stele::sdk::testing

#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace stele::kernel::http {

/// Bytes received and not consumed yet. Unlike a string it never fills what it is about to
/// overwrite. Views into it hold until `reserve_space` or `release_above`.
class MessageBuffer {
public:
    std::string_view content() const { return {bytes_.get() + begin_, end_ - begin_}; }
    std::span<char> space() { return {bytes_.get() + end_, capacity_ - end_}; }
    std::size_t capacity() const { return capacity_; }

    void commit(std::size_t count) { end_ += count; }
    void consume(std::size_t count) {
        begin_ += count;
        if (begin_ == end_) begin_ = end_ = 0;
    }
    /// Cuts `count` bytes out, `offset` bytes after the first one.
    void erase(std::size_t offset, std::size_t count) {
        char* const from = bytes_.get() + begin_ + offset;
        std::memmove(from, from + count, end_ - begin_ - offset - count);
        end_ -= count;
    }
    void append(std::string_view text) {
        if (text.empty()) return;
        reserve_space(text.size());
        std::memcpy(bytes_.get() + end_, text.data(), text.size());
        end_ += text.size();
    }

    /// Makes room for at least `wanted` more bytes: moves what is there to the front, or doubles.
    void reserve_space(std::size_t wanted) {
        if (capacity_ - end_ >= wanted) return;
        const std::size_t size = end_ - begin_;
        if (capacity_ - size >= wanted) {
            std::memmove(bytes_.get(), bytes_.get() + begin_, size);
        } else {
            reallocate(std::max(size + wanted, capacity_ * 2));
        }
        begin_ = 0;
        end_ = size;
    }

    /// Gives back a large block once it is empty.
    void release_above(std::size_t largest_kept) {
        if (capacity_ <= largest_kept || begin_ != end_) return;
        bytes_.reset();
        capacity_ = begin_ = end_ = 0;
    }

private:
    void reallocate(std::size_t capacity) {
        auto larger = std::make_unique_for_overwrite<char[]>(capacity);
        if (bytes_) std::memcpy(larger.get(), bytes_.get() + begin_, end_ - begin_);
        bytes_ = std::move(larger);
        capacity_ = capacity;
    }

    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace stele::kernel::http

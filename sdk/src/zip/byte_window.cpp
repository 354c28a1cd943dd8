#include "zip/byte_window.hpp"

#include <algorithm>
#include <utility>

#include "zip/zip_format.hpp"

namespace stele::sdk::zip {

Result<std::string_view> ByteWindow::at(std::uint64_t position, std::size_t size) {
    if (position > end_ || size > end_ - position) return malformed("a part of it is missing");
    if (!holds(position, size)) {
        if (auto loaded = load(position, size); !loaded) return loaded.error();
    }
    return std::string_view(loaded_).substr(static_cast<std::size_t>(position - begin_), size);
}

Result<std::string_view> ByteWindow::some(std::uint64_t position, std::uint64_t most) {
    auto first = at(position, 1);
    if (!first) return first;
    const std::string_view from =
        std::string_view(loaded_).substr(static_cast<std::size_t>(position - begin_));
    return from.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(most, from.size())));
}

Result<void> ByteWindow::load(std::uint64_t position, std::size_t size) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(std::max(size, ahead_), end_ - position));
    begin_ = position;
    loaded_.clear();
    std::string piece;
    while (loaded_.size() < wanted) {
        auto read = bytes_->read(position + loaded_.size(), wanted - loaded_.size(), piece);
        if (!read) return read;
        if (piece.empty()) return malformed("it is too short");
        if (loaded_.empty()) {
            loaded_.swap(piece);
        } else {
            loaded_ += piece;
        }
    }
    return {};
}

bool ByteWindow::holds(std::uint64_t position, std::size_t size) const {
    if (position < begin_ || position - begin_ > loaded_.size()) return false;
    return size <= loaded_.size() - static_cast<std::size_t>(position - begin_);
}

}  // namespace stele::sdk::zip

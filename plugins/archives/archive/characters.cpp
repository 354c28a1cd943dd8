#include "characters.hpp"

namespace stele::archives {

namespace {

constexpr std::size_t kMaxTokenBytes = std::size_t{1024} * 1024;

}  // namespace

bool Characters::is_at_end() {
    if (at_ < piece_.size()) return false;
    if (is_at_end_) return true;
    at_ = 0;
    piece_.clear();
    if (auto read = read_(piece_); !read) {
        failure_ = read.error();
        piece_.clear();
    }
    is_at_end_ = piece_.empty();
    return is_at_end_;
}

void Characters::end() {
    is_at_end_ = true;
    at_ = piece_.size();
}

void Characters::advance() {
    ++at_;
    ++taken_;
    if (++token_bytes_ <= kMaxTokenBytes) return;
    is_token_too_long_ = true;
    end();
}

}  // namespace stele::archives

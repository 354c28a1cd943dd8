#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/error.hpp>

namespace stele::archives {

/// The characters of a source one after another, for a parser that takes iterators. They end early
/// where a token is longer than 1 MiB, as the parser would hold all of it. One thread; the source
/// outlives it.
class Characters {
public:
    explicit Characters(const sdk::PieceSource& read) : read_(read) {}

    bool is_at_end();
    char current() const { return piece_[at_]; }
    void advance();
    /// To be told of each token that the parser has understood.
    void begin_token() { token_bytes_ = 0; }
    /// How many were taken.
    std::uint64_t taken() const { return taken_; }
    /// Nothing more is wanted: they end here.
    void end();

    /// What the source failed with.
    const std::optional<sdk::Error>& failure() const { return failure_; }
    bool is_token_too_long() const { return is_token_too_long_; }

private:
    const sdk::PieceSource& read_;
    std::string piece_;
    std::size_t at_ = 0;
    std::size_t token_bytes_ = 0;
    std::uint64_t taken_ = 0;
    bool is_at_end_ = false;
    bool is_token_too_long_ = false;
    std::optional<sdk::Error> failure_;
};

/// Of characters; null: their end.
class CharacterIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    explicit CharacterIterator(Characters* characters) : characters_(characters) {}
    char operator*() const { return characters_->current(); }
    CharacterIterator& operator++() {
        characters_->advance();
        return *this;
    }
    CharacterIterator operator++(int) {
        CharacterIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const CharacterIterator& one, const CharacterIterator& other) {
        return one.is_at_end() == other.is_at_end();
    }
    friend bool operator!=(const CharacterIterator& one, const CharacterIterator& other) {
        return !(one == other);
    }

private:
    bool is_at_end() const { return characters_ == nullptr || characters_->is_at_end(); }

    Characters* characters_;
};

}  // namespace stele::archives

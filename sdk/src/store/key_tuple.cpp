#include <stele/sdk/key_tuple.hpp>

#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>

#include <stele/sdk/encoding.hpp>

namespace stele::sdk {

namespace {

// Text ends with a 0 byte, so inside it 0 and 1 are written as two bytes that begin with 1. Unlike
// an escape behind the 0, this stays unambiguous whatever raw bytes follow the text.
constexpr char kEnd = '\0';
constexpr char kEscape = '\1';
constexpr char kEscapedZero = '\1';
constexpr char kEscapedOne = '\2';

constexpr std::size_t kRealSize = 8;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

}  // namespace

KeyWriter& KeyWriter::integer(std::uint64_t value) & {
    // A byte with the number of significant bytes, then these: longer numbers are greater ones.
    const auto size = static_cast<std::size_t>(std::bit_width(value) + 7) / 8;
    key_.push_back(static_cast<char>(size));
    append_big_endian(key_, value, size);
    return *this;
}

KeyWriter& KeyWriter::real(double value) & {
    assert(!std::isnan(value));
    if (value == 0.0) value = 0.0;  // also turns -0 into 0
    const auto bits = std::bit_cast<std::uint64_t>(value);
    // Negative numbers grow with their bits, hence turned over; positive ones go above them.
    append_big_endian(key_, (bits & kSignBit) != 0 ? ~bits : bits | kSignBit, kRealSize);
    return *this;
}

KeyWriter& KeyWriter::text(std::string_view value) & {
    key_.reserve(key_.size() + value.size() + 1);
    while (!value.empty()) {
        std::size_t plain = 0;
        while (plain < value.size() && value[plain] != kEnd && value[plain] != kEscape)
            ++plain;
        key_.append(value.substr(0, plain));
        if (plain < value.size()) {
            key_.push_back(kEscape);
            key_.push_back(value[plain] == kEnd ? kEscapedZero : kEscapedOne);
            ++plain;
        }
        value.remove_prefix(plain);
    }
    key_.push_back(kEnd);
    return *this;
}

KeyWriter& KeyWriter::tag(char value) & {
    key_.push_back(value);
    return *this;
}

KeyWriter& KeyWriter::raw(std::string_view bytes) & {
    key_.append(bytes);
    return *this;
}

std::optional<std::uint64_t> KeyReader::integer() {
    if (rest_.empty()) return std::nullopt;
    const auto size = static_cast<std::size_t>(static_cast<unsigned char>(rest_.front()));
    if (size > sizeof(std::uint64_t) || rest_.size() < 1 + size) return std::nullopt;
    if (size > 0 && rest_[1] == '\0') return std::nullopt;  // not the one way to write it
    const std::uint64_t value = read_big_endian(rest_.substr(1, size));
    rest_.remove_prefix(1 + size);
    return value;
}

std::optional<double> KeyReader::real() {
    if (rest_.size() < kRealSize) return std::nullopt;
    const std::uint64_t bits = read_big_endian(rest_.substr(0, kRealSize));
    const auto value = std::bit_cast<double>((bits & kSignBit) != 0 ? bits & ~kSignBit : ~bits);
    if (std::isnan(value)) return std::nullopt;
    rest_.remove_prefix(kRealSize);
    return value;
}

std::optional<std::string> KeyReader::text() {
    std::string value;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
        char c = rest_[i];
        if (c == kEnd) {
            rest_.remove_prefix(i + 1);
            return value;
        }
        if (c == kEscape) {
            if (++i == rest_.size()) return std::nullopt;
            if (rest_[i] != kEscapedZero && rest_[i] != kEscapedOne) return std::nullopt;
            c = rest_[i] == kEscapedZero ? kEnd : kEscape;
        }
        value.push_back(c);
    }
    return std::nullopt;
}

std::optional<char> KeyReader::tag() {
    if (rest_.empty()) return std::nullopt;
    const char value = rest_.front();
    rest_.remove_prefix(1);
    return value;
}

std::optional<std::string_view> KeyReader::raw(std::size_t size) {
    if (rest_.size() < size) return std::nullopt;
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
}

std::string prefix_end(std::string_view prefix) {
    std::string end(prefix);
    while (!end.empty() && end.back() == '\xff')
        end.pop_back();
    if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
    return end;
}

}  // namespace stele::sdk

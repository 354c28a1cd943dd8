#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stele::sdk {

/// Writes an order-preserving key: bytewise order of the encodings equals the order of the tuples,
/// element by element (docs/specification/architecture.md 4).
///
/// Elements: unsigned integers, doubles (total order, -0 equals 0, no NaN), text and bytes of any
/// content, and raw fixed-width bytes. Text that is a prefix of another sorts before it. An encoded
/// tuple that has fewer elements is a bytewise prefix of the ones that continue it, so a prefix
/// scan finds exactly these.
class KeyWriter {
public:
    KeyWriter() = default;
    explicit KeyWriter(std::string_view prefix) : key_(prefix) {}

    KeyWriter& integer(std::uint64_t value) &;
    KeyWriter& real(double value) &;
    KeyWriter& text(std::string_view value) &;
    /// One byte as it is; tells apart the kinds of keys inside one space.
    KeyWriter& tag(char value) &;
    /// Bytes as they are, without a terminator: only for elements of fixed width, or the last one.
    KeyWriter& raw(std::string_view bytes) &;

    // The same, so that the key at the end of a chain of calls is moved out.
    KeyWriter&& integer(std::uint64_t value) && { return std::move(integer(value)); }
    KeyWriter&& real(double value) && { return std::move(real(value)); }
    KeyWriter&& text(std::string_view value) && { return std::move(text(value)); }
    KeyWriter&& tag(char value) && { return std::move(tag(value)); }
    KeyWriter&& raw(std::string_view bytes) && { return std::move(raw(bytes)); }

    const std::string& key() const& { return key_; }
    std::string key() && { return std::move(key_); }

private:
    std::string key_;
};

/// Reads what `KeyWriter` wrote. Every function answers nothing when the bytes at the present place
/// are not such an element; the place then stays.
class KeyReader {
public:
    explicit KeyReader(std::string_view key) : rest_(key) {}

    std::optional<std::uint64_t> integer();
    std::optional<double> real();
    std::optional<std::string> text();
    std::optional<char> tag();
    std::optional<std::string_view> raw(std::size_t size);

    std::string_view rest() const { return rest_; }
    bool at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

/// The smallest key that is greater than every key with this prefix; empty when there is none.
std::string prefix_end(std::string_view prefix);

/// Prefix of the keys that a plugin keeps under `name` on a platform; platform 0 stands for what
/// belongs to none. The same as `Context::key_space` and `Context::shared_key_space`.
std::string plugin_key_space(std::uint64_t platform, std::string_view name);

}  // namespace stele::sdk

// Arbitrary bytes as a key: what can be read is written back the same way; and as two tuples: their
// keys compare as they do.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/key_tuple.hpp>

#include "tests/fuzz/fuzz_check.hpp"

namespace {

using stele::sdk::KeyReader;
using stele::sdk::KeyWriter;
using stele::testing::fuzz_check;

enum Kind { integer, real, text, tag, kinds };

/// Takes parts of the input, zeros behind its end.
class Input {
public:
    explicit Input(std::string_view bytes) : rest_(bytes) {}

    bool is_empty() const { return rest_.empty(); }
    std::string_view take(std::size_t size) {
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    std::uint64_t number(std::size_t size) {
        std::uint64_t value = 0;
        for (const char byte : take(size))
            value = value << 8 | static_cast<unsigned char>(byte);
        return value;
    }
    /// A double that is one.
    double real() {
        const auto value = std::bit_cast<double>(number(8));
        return std::isnan(value) ? 0 : value;
    }

private:
    std::string_view rest_;
};

/// Reads one element, writes it again, and compares with the bytes that were read.
bool read_back(KeyReader& reader, Kind kind) {
    const std::string_view before = reader.rest();
    KeyWriter writer;
    if (kind == integer) {
        const auto value = reader.integer();
        if (!value) return false;
        writer.integer(*value);
    } else if (kind == real) {
        const auto value = reader.real();
        if (!value) return false;
        // Nobody writes -0; read as a number it is 0.
        if (*value == 0) return true;
        writer.real(*value);
    } else if (kind == text) {
        const auto value = reader.text();
        if (!value) return false;
        writer.text(*value);
    } else {
        const auto value = reader.tag();
        if (!value) return false;
        writer.tag(*value);
    }
    fuzz_check(writer.key() == before.substr(0, before.size() - reader.rest().size()));
    return true;
}

void decode(std::string_view kinds_of, std::string_view key) {
    KeyReader reader(key);
    for (const char kind : kinds_of) {
        const std::string_view before = reader.rest();
        const bool is_read =
            read_back(reader, static_cast<Kind>(static_cast<unsigned char>(kind) % kinds));
        fuzz_check(is_read || reader.rest() == before);
    }
}

int three_way(auto a, auto b) {
    return a < b ? -1 : (b < a ? 1 : 0);
}

/// Adds an element to both keys and answers how the two compare.
int add_pair(Kind kind, Input& input, KeyWriter& a, KeyWriter& b) {
    if (kind == integer) {
        const std::uint64_t first = input.number(input.number(1) % 9);
        const std::uint64_t second = input.number(input.number(1) % 9);
        a.integer(first);
        b.integer(second);
        return three_way(first, second);
    }
    if (kind == real) {
        const double first = input.real();
        const double second = input.real();
        a.real(first);
        b.real(second);
        return three_way(first, second);
    }
    if (kind == text) {
        const std::string_view first = input.take(input.number(1) % 16);
        const std::string_view second = input.take(input.number(1) % 16);
        a.text(first);
        b.text(second);
        return three_way(first, second);
    }
    const auto first = static_cast<unsigned char>(input.number(1));
    const auto second = static_cast<unsigned char>(input.number(1));
    a.tag(static_cast<char>(first));
    b.tag(static_cast<char>(second));
    return three_way(first, second);
}

void compare_pairs(std::string_view bytes) {
    Input input(bytes);
    KeyWriter a;
    KeyWriter b;
    int order = 0;
    while (!input.is_empty()) {
        const auto kind = static_cast<Kind>(input.number(1) % kinds);
        const int next = add_pair(kind, input, a, b);
        if (order == 0) order = next;
    }
    fuzz_check(order == three_way(std::string_view(a.key()), std::string_view(b.key())));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t half = size / 2;
    decode(bytes.substr(0, half), bytes.substr(half));
    compare_pairs(bytes);
    return 0;
}

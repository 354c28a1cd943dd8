#include <stele/sdk/key_tuple.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

using stele::sdk::KeyReader;
using stele::sdk::KeyWriter;
using stele::sdk::prefix_end;

namespace {

using Element = std::variant<std::uint64_t, double, std::string>;
using Tuple = std::vector<Element>;

std::mt19937_64& random_source() {
    static std::mt19937_64 random(20'260'101);
    return random;
}

std::uint64_t random_integer() {
    const auto bits = random_source()() % 65;
    return bits == 0 ? 0 : random_source()() >> (64 - bits);
}

double random_real() {
    static const std::vector<double> special{0.0,
                                             -0.0,
                                             1.0,
                                             -1.0,
                                             std::numeric_limits<double>::infinity(),
                                             -std::numeric_limits<double>::infinity(),
                                             std::numeric_limits<double>::denorm_min(),
                                             -std::numeric_limits<double>::denorm_min(),
                                             std::numeric_limits<double>::max(),
                                             std::numeric_limits<double>::lowest()};
    if (random_source()() % 3 == 0) return special[random_source()() % special.size()];
    const auto magnitude = static_cast<int>(random_source()() % 40) - 20;
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random_source()())),
                      magnitude - 40);
}

// Few different bytes, and those around which escaping goes wrong.
std::string random_text() {
    static const std::string bytes{'\0', '\1', '\2', '\3', 'a', 'b', '\x7f', '\x80', '\xff'};
    std::string text;
    for (auto n = random_source()() % 6; n > 0; --n)
        text += bytes[random_source()() % bytes.size()];
    return text;
}

Element random_element(std::size_t kind) {
    if (kind == 0) return random_integer();
    if (kind == 1) return random_real();
    return random_text();
}

Tuple random_tuple(const std::vector<std::size_t>& kinds) {
    Tuple tuple;
    for (std::size_t kind : kinds)
        tuple.push_back(random_element(kind));
    return tuple;
}

std::string encode(const Tuple& tuple) {
    KeyWriter writer;
    for (const Element& element : tuple) {
        if (const auto* integer = std::get_if<std::uint64_t>(&element)) writer.integer(*integer);
        if (const auto* real = std::get_if<double>(&element)) writer.real(*real);
        if (const auto* text = std::get_if<std::string>(&element)) writer.text(*text);
    }
    return std::move(writer).key();
}

std::vector<std::size_t> random_kinds() {
    std::vector<std::size_t> kinds(1 + random_source()() % 4);
    for (std::size_t& kind : kinds)
        kind = random_source()() % 3;
    return kinds;
}

int sign(int order) {
    return (order > 0) - (order < 0);
}

int order_of(const Tuple& a, const Tuple& b) {
    if (a < b) return -1;
    return b < a ? 1 : 0;
}

}  // namespace

TEST_CASE("keys order as the tuples that they stand for") {
    for (int round = 0; round < 50'000; ++round) {
        const auto kinds = random_kinds();
        Tuple a = random_tuple(kinds);
        Tuple b = random_tuple(kinds);
        // Equal beginnings make the later elements count.
        for (std::size_t i = 0; i < kinds.size() && random_source()() % 2 == 0; ++i)
            b[i] = a[i];
        const std::string key_a = encode(a);
        const std::string key_b = encode(b);
        INFO("round " << round);
        REQUIRE(sign(key_a.compare(key_b)) == order_of(a, b));
    }
}

TEST_CASE("reading a key gives the tuple back") {
    for (int round = 0; round < 20'000; ++round) {
        const Tuple tuple = random_tuple(random_kinds());
        const std::string key = encode(tuple);
        KeyReader reader(key);
        for (const Element& element : tuple) {
            if (const auto* integer = std::get_if<std::uint64_t>(&element)) {
                REQUIRE(reader.integer() == *integer);
            }
            if (const auto* real = std::get_if<double>(&element)) REQUIRE(reader.real() == *real);
            if (const auto* text = std::get_if<std::string>(&element)) {
                REQUIRE(reader.text() == *text);
            }
        }
        REQUIRE(reader.at_end());
    }
}

TEST_CASE("raw bytes after a text do not change where it ends") {
    const std::string text = GENERATE(as<std::string>{}, "", "ab", std::string("a\0", 2),
                                      std::string("\0\0", 2), "\1", "\xff");
    const std::string tail =
        GENERATE(as<std::string>{}, "", "\xff\xff", std::string("\0\1", 2), "\1\1", "\2", "zz");
    const std::string key = KeyWriter().text(text).raw(tail).key();
    KeyReader reader(key);
    CHECK(reader.text() == text);
    CHECK(reader.rest() == tail);
}

TEST_CASE("a shorter tuple is a prefix of those that continue it, and of no other") {
    for (int round = 0; round < 20'000; ++round) {
        const auto kinds = random_kinds();
        const Tuple shorter = random_tuple(kinds);
        auto longer_kinds = kinds;
        longer_kinds.push_back(random_source()() % 3);
        Tuple longer = random_tuple(longer_kinds);
        const bool continues = random_source()() % 2 == 0;
        if (continues) std::copy(shorter.begin(), shorter.end(), longer.begin());
        const bool is_same_beginning =
            order_of(shorter, Tuple(longer.begin(), longer.end() - 1)) == 0;
        REQUIRE((encode(longer).rfind(encode(shorter), 0) == 0) == is_same_beginning);
    }
}

TEST_CASE("the end of a prefix lies just above all keys with it") {
    CHECK(prefix_end("a") == "b");
    CHECK(prefix_end("a\xff") == "b");
    CHECK(prefix_end(std::string_view("a\0", 2)) == "a\1");
    CHECK(prefix_end("").empty());
    CHECK(prefix_end("\xff\xff").empty());
    CHECK(prefix_end("\x7f") == "\x80");
    for (int round = 0; round < 20'000; ++round) {
        const std::string prefix = random_text();
        const std::string other = random_text();
        const std::string end = prefix_end(prefix);
        const bool is_inside = other >= prefix && (end.empty() || other < end);
        if (prefix.empty() || !end.empty()) {
            REQUIRE(is_inside == (other.rfind(prefix, 0) == 0));
        }
    }
}

TEST_CASE("minus zero is zero") {
    CHECK(KeyWriter().real(-0.0).key() == KeyWriter().real(0.0).key());
}

TEST_CASE("small integers are short") {
    CHECK(KeyWriter().integer(0).key().size() == 1);
    CHECK(KeyWriter().integer(255).key().size() == 2);
    CHECK(KeyWriter().integer(256).key().size() == 3);
    CHECK(KeyWriter().integer(~std::uint64_t{0}).key().size() == 9);
}

TEST_CASE("a reader refuses what is no such element and stays where it is") {
    const auto refuses = [](std::string_view key, auto read) {
        KeyReader reader(key);
        return !read(reader) && reader.rest() == key;
    };
    const auto integer = [](KeyReader& reader) { return reader.integer().has_value(); };
    const auto real = [](KeyReader& reader) { return reader.real().has_value(); };
    const auto text = [](KeyReader& reader) { return reader.text().has_value(); };
    CHECK(refuses("", integer));
    CHECK(
        refuses("\x09"
                "123456789",
                integer));
    CHECK(
        refuses("\x02"
                "1",
                integer));
    CHECK(refuses(std::string_view("\x02\0\1", 3), integer));
    CHECK(refuses("1234567", real));
    CHECK(refuses("\xff\xff\xff\xff\xff\xff\xff\xff", real));
    CHECK(refuses("abc", text));
    CHECK(refuses("ab\1", text));
    CHECK(refuses(std::string_view("ab\1\3\0", 5), text));
    CHECK(refuses("", [](KeyReader& reader) { return reader.tag().has_value(); }));
    CHECK(refuses("ab", [](KeyReader& reader) { return reader.raw(3).has_value(); }));
}

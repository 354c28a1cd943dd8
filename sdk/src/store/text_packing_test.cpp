#include "text_packing.hpp"

#include <random>
#include <string>

#include <catch2/catch.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/record_space.hpp>
#include <stele/sdk/seal.hpp>

namespace stele::sdk {

namespace {

/// What the server writes into a node.
std::string system_of(const std::string& day, const std::string& who) {
    const std::string time = R"({"timestamp":")" + day +
                             R"(-Nov-2031 07:38:03","year":2031,"ms":1)" + day + "5937883004}";
    return R"("_system":{"created_on":)" + time + R"(,"created_by":")" + who +
           R"(","modified_on":)" + time + R"(,"modified_by":")" + who + R"("}})";
}

/// A block that is the whole known text, which has so many bytes, and `end` behind it.
std::string block_of_known(std::size_t known, const std::string& end) {
    // A match from the first byte on: 4 and 15 of its length in the token, 255 in each byte behind
    // the offset, the rest in the last one.
    std::string block("\x0f", 1);
    block += static_cast<char>(known & 0xff);
    block += static_cast<char>(known >> 8U);
    std::size_t left = known - 4 - 15;
    for (; left >= 255; left -= 255)
        block += '\xff';
    block += static_cast<char>(left);
    // Every block ends with bytes of its own.
    block += static_cast<char>(end.size() << 4U);
    block += end;
    std::string packed;
    append_big_endian(packed, known + end.size(), 4);
    return packed + block;
}

}  // namespace

TEST_CASE("a packed text is the same when it is unpacked, and mostly half as long") {
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
        std::string text = R"({"title":")";
        for (std::size_t left = random() % 300; left > 0; --left)
            text += static_cast<char>('a' + random() % 26);
        text += "\"," + system_of(std::to_string(10 + random() % 20), "someone");
        const std::string packed = pack_text(text);
        REQUIRE_FALSE(packed.empty());
        CHECK(unpack_text(packed) == text);
        if (i == 0) CHECK(packed.size() * 2 < text.size() + 300);
    }
}

TEST_CASE("a text that packing would not shorten is left alone") {
    CHECK(pack_text("").empty());
    CHECK(pack_text("{}").empty());
    std::string noise;
    std::mt19937 random(11);
    for (int i = 0; i < 5000; ++i)
        noise += static_cast<char>(random());
    CHECK(pack_text(noise).empty());
}

TEST_CASE("what packed texts refer to stays as it is") {
    constexpr std::size_t kSize = 3022;
    const auto text = unpack_text(block_of_known(kSize, "12345"));
    REQUIRE(text.has_value());
    REQUIRE(text->size() == kSize + 5);
    CHECK(hex_text(sha256(text->substr(0, kSize))) ==
          "019f7fd2f4e4811bfabe5eaad0f3e517a043649a07a6c1e422d5ec4c2b8ea8c4");
    CHECK(text->ends_with("12345"));
}

TEST_CASE(
    "damaged packed bytes are refused or unpacked to other bytes, and never more than they say") {
    const std::string packed = pack_text("{" + system_of("29", "somebody"));
    REQUIRE_FALSE(packed.empty());
    for (std::size_t size = 0; size < packed.size(); ++size)
        CHECK_FALSE(unpack_text(std::string_view(packed).substr(0, size)).has_value());
    std::mt19937 random(13);
    for (int i = 0; i < 20000; ++i) {
        std::string damaged = packed;
        for (std::size_t left = 1 + random() % 3; left > 0; --left)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        const auto text = unpack_text(damaged);
        if (text) CHECK(text->size() == read_big_endian(std::string_view(damaged).substr(0, 4)));
    }
    // A length that no block of these bytes could have.
    std::string huge = packed;
    huge[0] = '\x7f';
    CHECK_FALSE(unpack_text(huge).has_value());
}

TEST_CASE("a stored record is packed and unpacked with its version and what is sealed") {
    const std::string text = "{" + system_of("29", "somebody");
    const std::string plain = StoredRecord::with(StoredRecord::with({}, 1, ""), 7, text) + "sealed";
    std::string stored = StoredRecord::packed(plain);
    CHECK(stored.size() < plain.size());
    CHECK(stored.ends_with("sealed"));
    const auto read = StoredRecord::read(stored);
    REQUIRE(read.has_value());
    CHECK(read->version == 7);
    CHECK(read->text == text);
    CHECK(StoredRecord::packed(stored) == stored);
    REQUIRE(StoredRecord::unpack(stored));
    CHECK(stored == plain);
    CHECK(StoredRecord::unpack(stored));
    CHECK(stored == plain);
    // The version may be stamped later, in place.
    std::string stamped = StoredRecord::packed(plain);
    stamped[StoredRecord::kVersionOffset + 7] = '\x09';
    CHECK(StoredRecord::read(stamped)->version == 9);
    stamped.resize(20);
    CHECK_FALSE(StoredRecord::unpack(stamped));
}

}  // namespace stele::sdk

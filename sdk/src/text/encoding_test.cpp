#include <stele/sdk/encoding.hpp>

#include <catch2/catch.hpp>

namespace stele::sdk {

TEST_CASE("bytes are written as two lower-case digits each and read back") {
    const std::string bytes("\x00\x09\xaf\xff", 4);
    CHECK(hex_text(bytes) == "0009afff");
    CHECK(hex_bytes("0009afff") == bytes);
    std::string read = "left over";
    REQUIRE(read_hex("00ff", read));
    CHECK(read == std::string("\x00\xff", 2));
    CHECK_FALSE(read_hex("00f", read));
    CHECK(hex_text("").empty());
    CHECK(hex_bytes("") == "");
    std::string text = "x";
    append_hex(text, '\xf0');
    CHECK(text == "xf0");
}

TEST_CASE("an id of hexadecimal digits has one spelling") {
    for (const char* text :
         {"0", "abc", "AB", "aB", "0g", "g0", " 0", "0/", "0:", "0`", "\xff\xff"}) {
        INFO(text);
        CHECK_FALSE(hex_bytes(text));
    }
}

TEST_CASE("a hexadecimal digit has its value in either case") {
    CHECK(hex_value('0') == 0);
    CHECK(hex_value('9') == 9);
    CHECK(hex_value('a') == 10);
    CHECK(hex_value('F') == 15);
    for (const char c : {'/', ':', '@', 'G', '`', 'g', '\0', '\xff'})
        CHECK(hex_value(c) == -1);
}

// The test vectors of RFC 4648, 10.
TEST_CASE("base64 is read with padding and without") {
    CHECK(base64_bytes("") == "");
    CHECK(base64_bytes("Zg==") == "f");
    CHECK(base64_bytes("Zm8=") == "fo");
    CHECK(base64_bytes("Zm9v") == "foo");
    CHECK(base64_bytes("Zm9vYg") == "foob");
    CHECK(base64_bytes("Zm9vYmE") == "fooba");
    CHECK(base64_bytes("Zm9vYmFy") == "foobar");
}

TEST_CASE("base64 is read in both alphabets") {
    CHECK(base64_bytes("+/+/") == "\xfb\xff\xbf");
    CHECK(base64_bytes("-_-_") == "\xfb\xff\xbf");
    CHECK(base64_bytes("+_-/") == "\xfb\xff\xbf");
}

// RFC 4648, 3.3 and 3.5: other characters, and bits that belong to no byte.
TEST_CASE("what is no base64 gives nothing") {
    for (const char* text : {"Z", "Zm9vY", "Zm 9v", "Zm9v\n", "Z=m9", "$$$$", "Zh==", "Zm9="}) {
        INFO(text);
        CHECK_FALSE(base64_bytes(text));
    }
}

// RFC 3986, 2.3: unreserved characters stay.
TEST_CASE("all but unreserved characters is percent-encoded") {
    CHECK(percent_encoded("azAZ09-._~") == "azAZ09-._~");
    CHECK(percent_encoded("a b/c?\xC3\xBC") == "a%20b%2Fc%3F%C3%BC");
    CHECK(percent_encoded("").empty());
}

TEST_CASE("percent-encoding is undone, whatever bytes it gives") {
    std::string decoded = "left over";
    REQUIRE(percent_decode("%41%6a%6A-%00%ff+", decoded));
    CHECK(decoded == std::string("Ajj-\0\xff+", 7));
    REQUIRE(percent_decode("a+b%2B+", decoded, true));
    CHECK(decoded == "a b+ ");
    REQUIRE(percent_decode("", decoded));
    CHECK(decoded.empty());
    for (const char* text : {"%", "a%4", "%g0", "%0g", "%%41", "%4"}) {
        INFO(text);
        CHECK_FALSE(percent_decode(text, decoded));
    }
}

}  // namespace stele::sdk

#include "kernel/storage/record/record.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using stele::kernel::storage::EntryForm;
using stele::kernel::storage::parse_sequence;
using stele::kernel::storage::Record;

TEST_CASE("a record gives back what was encoded") {
    Record record;
    for (const std::uint64_t version : {1ull, 0x0102030405060708ull}) {
        record.buffer() =
            Record::encode(version, R"({"a":1})", std::string_view("sealed\0bytes", 12));
        REQUIRE(record.decode());
        CHECK(record.version() == version);
        CHECK(record.text() == R"({"a":1})");
        CHECK(record.sealed() == std::string_view("sealed\0bytes", 12));
    }
    record.buffer() = Record::encode(3, "", "");
    REQUIRE(record.decode());
    CHECK(record.text().empty());
    CHECK(record.sealed().empty());
}

TEST_CASE("the layout of a stored record stays") {
    const std::string behind("\0\0\0\0\0\0\x01\x02\0\0\0\x02{}s", 15);
    CHECK(Record::encode(258, "{}", "s") == '\x03' + behind);
    Record record;
    record.buffer() = '\x01' + behind;
    REQUIRE(record.decode());
    CHECK(record.entry_form() == EntryForm::each);
    CHECK(record.version() == 258);
    record.buffer() = '\x03' + behind;
    REQUIRE(record.decode());
    CHECK(record.entry_form() == EntryForm::shared);
}

TEST_CASE("a record with other secrets keeps its text, its version and the form of its entries") {
    for (const char format : {'\x01', '\x03'}) {
        Record record;
        record.buffer() = Record::encode(258, R"({"_doc":"018fa000ff7f10020304"})", "sealed");
        record.buffer().front() = format;
        REQUIRE(record.decode());
        Record other;
        other.buffer() = record.packed_with("more");
        REQUIRE(other.decode());
        CHECK(other.entry_form() == record.entry_form());
        CHECK(other.version() == 258);
        CHECK(other.text() == record.text());
        CHECK(other.sealed() == "more");
    }
}

TEST_CASE("behind the text there is padding, in a copy, too") {
    Record record;
    record.buffer() = Record::encode(1, R"({"a":1})", "");
    REQUIRE(record.decode());
    const Record copy = record;
    const char* end = copy.text().data() + copy.text().size();
    CHECK(std::all_of(end, end + Record::kPadding, [](char byte) { return byte == 0; }));
}

TEST_CASE("bytes that are no record are refused") {
    const std::string whole = Record::encode(1, R"({"a":1})", "");
    Record record;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        record.buffer() = whole.substr(0, size);
        CHECK_FALSE(record.decode());
    }
    for (const char format : {'\0', '\x02', '\x04'}) {
        record.buffer() = format + whole.substr(1);
        CHECK_FALSE(record.decode());
    }
}

TEST_CASE("the ETag tells versions and records apart") {
    Record record;
    REQUIRE(parse_sequence("018fa000ff7f10020304", record.sequence));
    record.buffer() = Record::encode(12, "{}", "");
    REQUIRE(record.decode());
    CHECK(record.etag() == "\"018fa000ff7f10020304-12\"");
}

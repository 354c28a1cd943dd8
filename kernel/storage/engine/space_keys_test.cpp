#include <catch2/catch.hpp>

#include <stele/sdk/record_space.hpp>

#include "kernel/storage/engine/keys.hpp"
#include "kernel/storage/engine/row_keys.hpp"
#include "kernel/storage/index/index_entries.hpp"
#include "kernel/storage/record/record.hpp"

// Plugins know of the layout what `record_space.hpp` says; here both are compared.
namespace stele::kernel::storage {

namespace {

const CollectionId kNodes{3, 70'000};
const sdk::SpaceCollection kSpace{3, 70'000, "node", "container"};
const Sequence kRecord = "0123456789";

void check_key(const std::string& key, sdk::SpaceKeyKind kind, char tag, std::string_view rest) {
    const auto read = sdk::read_space_key(kSpace, key);
    REQUIRE(read.has_value());
    CHECK(read->kind == kind);
    CHECK(read->tag == tag);
    CHECK(read->rest == rest);
    CHECK(read->head == collection_prefix(kNodes, tag));
    CHECK(sdk::space_key(kSpace, tag, rest) == key);
}

}  // namespace

TEST_CASE("a space tells the keys of a collection apart") {
    using enum sdk::SpaceKeyKind;
    check_key(record_path(kNodes, kRecord), record, 'd', kRecord);
    check_key(record_counter(kNodes), count, 'k',
              record_counter(kNodes).substr(collection_prefix(kNodes, 'k').size()));
    check_key(collection_prefix(kNodes, 'd'), record, 'd', "");
    for (const char tag : std::string("xybuaA")) {
        const std::string prefix = collection_prefix(kNodes, tag);
        check_key(prefix + "rest", entry, tag, "rest");
    }
    check_key(alias_key(kNodes, "name"), entry, 'a',
              alias_key(kNodes, "name").substr(collection_prefix(kNodes, 'a').size()));
}

TEST_CASE("what does not belong to a collection's contents is no key of a space") {
    for (const char tag : std::string("CciRgs")) {
        CHECK_FALSE(sdk::read_space_key(kSpace, collection_prefix(kNodes, tag) + "x"));
    }
    CHECK_FALSE(sdk::read_space_key(kSpace, record_path({3, 70'001}, kRecord)));
    CHECK_FALSE(sdk::read_space_key(kSpace, record_path({4, 70'000}, kRecord)));
    CHECK_FALSE(sdk::read_space_key(kSpace, name_path("title")));
    CHECK_FALSE(sdk::read_space_key(kSpace, ""));
}

TEST_CASE("a space reads stored records and writes them with another version and text") {
    const std::string stored = Record::encode(7, R"({"a":1})", "sealed");
    const auto read = sdk::StoredRecord::read(stored);
    REQUIRE(read.has_value());
    CHECK(read->version == 7);
    CHECK(read->text == R"({"a":1})");
    CHECK(sdk::StoredRecord::with(stored, 0x0102030405060708, "{}") ==
          Record::encode(0x0102030405060708, "{}", "sealed"));
    CHECK(Record::encode(0x4142434445464748, "", "").substr(sdk::StoredRecord::kVersionOffset, 8) ==
          "ABCDEFGH");
    CHECK_FALSE(sdk::StoredRecord::read(stored.substr(0, 15)));
    CHECK_FALSE(sdk::StoredRecord::read("x" + stored));
}

TEST_CASE("a space turns ids into record keys and back") {
    const Sequence sequence = next_sequence();
    const sdk::RecordKey key = record_key(kNodes, sequence);
    CHECK(sdk::space_record_key(kSpace, sequence_text(sequence)) == key);
    CHECK(sdk::space_record_id(key) == sequence_text(sequence));
    CHECK_FALSE(sdk::space_record_key(kSpace, "0123"));
    CHECK_FALSE(sdk::space_record_key(kSpace, "home"));
    CHECK_FALSE(sdk::space_record_key(kSpace, std::string(20, 'A')));
}

}  // namespace stele::kernel::storage

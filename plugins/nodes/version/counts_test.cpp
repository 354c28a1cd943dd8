#include "counts.hpp"

#include <limits>

#include <catch2/catch.hpp>

namespace stele::nodes {

namespace {

/// As older stores have them.
std::string long_form(const ChangeRecord& record) {
    std::string bytes;
    append_number(bytes, record.counts.size());
    for (const auto& [key, delta] : record.counts) {
        append_number(bytes, key.size());
        bytes += key;
        append_number(bytes, static_cast<std::uint64_t>(delta));
    }
    return bytes + record.note;
}

const ChangeRecord& some_changes() {
    static const ChangeRecord record{
        {{"", 1},
         {"nk", -1},
         {"nks\x01\x02", 2},
         {"nks\x01\x02t", std::numeric_limits<std::int64_t>::min()},
         {std::string(300, 'x'), std::numeric_limits<std::int64_t>::max()},
         {std::string("x\0y", 3), 128}},
        R"({"id":"0123"})"};
    return record;
}

}  // namespace

TEST_CASE("what a changeset does to counts is read as it was written, in either form") {
    for (const ChangeRecord& record :
         {some_changes(), ChangeRecord{{}, "a note"}, ChangeRecord()}) {
        for (const std::string& bytes : {record.encode(), long_form(record)}) {
            const auto read = ChangeRecord::decode(bytes);
            REQUIRE(read.has_value());
            CHECK(read->counts == record.counts);
            CHECK(read->note == record.note);
        }
    }
}

TEST_CASE("a row of changes that ends too early is refused") {
    ChangeRecord record = some_changes();
    record.note.clear();
    for (const std::string& whole : {record.encode(), long_form(record)}) {
        for (std::size_t size = 0; size < whole.size(); ++size)
            CHECK_FALSE(ChangeRecord::decode(whole.substr(0, size)).has_value());
    }
}

}  // namespace stele::nodes

// Arbitrary bytes as a query: refused with a reason, or both ways to evaluate it agree.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "kernel/storage/query/query.hpp"
#include "kernel/storage/query/query_match.hpp"
#include "kernel/storage/record/record.hpp"
#include "tests/fuzz/fuzz_check.hpp"

namespace {

using stele::kernel::storage::matches_node;
using stele::kernel::storage::Query;
using stele::kernel::storage::Record;
using stele::testing::fuzz_check;

constexpr std::array<const char*, 5> kDocuments = {
    R"({"_doc":"d","_type":"n:node","title":"Über a","a":{"b":[1,2,{"c":null}],"0":true},"n":2.5})",
    R"({"_doc":"e","tags":["x","y",["z"]],"a":[{"b":1},{"b":[1,2]},{}],"n":9007199254740993})",
    R"({"a":"text\nlines","n":18446744073709551615,"e":{},"l":[]})",
    R"({"a":null,"n":-1e300,"a.b":5,"":{"":1}})",
    "{}",
};

void try_document(const Query& query, std::string bytes) {
    const std::size_t size = bytes.size();
    bytes.append(Record::kPadding, '\0');
    const std::string_view text = std::string_view(bytes).substr(0, size);
    fuzz_check(query.matches(text) == matches_node(query.root(), text));
    const auto rest = stele::sdk::parse_json(query.project(text));
    fuzz_check(rest.has_value() && rest->is_object());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto document =
        stele::sdk::parse_json(std::string_view(reinterpret_cast<const char*>(data), size));
    if (document.has_error()) return 0;
    const auto query = Query::parse(*document);
    if (query.has_error()) {
        fuzz_check(!query.error().message.empty() && !query.error().violations.empty());
        return 0;
    }
    for (const char* const one : kDocuments)
        try_document(*query, one);
    return 0;
}

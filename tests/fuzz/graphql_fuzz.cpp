// Arbitrary text as a query of GraphQL, variables in the first line: it is answered with data or
// with errors that name themselves, and the answer is JSON.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "plugins/graphql/request_fixture.hpp"
#include "tests/fuzz/fuzz_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace stele;
    using stele::testing::fuzz_check;
    static graphql::testing::Library library;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    // Parameters and bodies are UTF-8 when they come to a plugin.
    std::string quoted;
    sdk::append_json_string(quoted, text);
    if (!sdk::parse_json(quoted)) return 0;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return 0;
    const sdk::Json answer = library.answer(std::string(text.substr(end + 1)),
                                            sdk::Json(std::string(text.substr(0, end))));
    fuzz_check(answer.is_object() && (answer.contains("data") || answer.contains("errors")));
    if (answer.contains("errors")) {
        fuzz_check(!answer["errors"].empty());
        for (const sdk::Json& problem : answer["errors"])
            fuzz_check(problem["extensions"]["code"].is_string() &&
                       !problem["message"].get<std::string>().empty());
    }
    fuzz_check(sdk::parse_json(sdk::dump_json(answer), {.depth = 200}).has_value());
    return 0;
}

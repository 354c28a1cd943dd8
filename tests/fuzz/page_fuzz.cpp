// Arbitrary bytes as the parameters of a page: one line each for skip, limit, sort, options and
// explain. What is accepted can be sorted by.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/pagination/page_parameters.hpp"
#include "kernel/pagination/sort_order.hpp"
#include "tests/fuzz/fuzz_check.hpp"

namespace {

using namespace stele;
using stele::testing::fuzz_check;

constexpr std::size_t kPadding = 64;
constexpr std::array<std::string_view, 5> kNames = {"skip", "limit", "sort", "options", "explain"};
constexpr std::array<const char*, 4> kDocuments = {
    R"({"a":{"b":[1,2,{"c":null}],"c":"x"},"title":"Über","n":2.5})",
    R"({"a":"Zebra 10","title":"zebra 2","n":9007199254740993})",
    R"({"a":null,"title":"\u0000","n":"7"})",
    "{}",
};

void sort_by(const sdk::PageRequest& page, bool is_numeric) {
    auto order = kernel::pagination::SortOrder::make(page.sort, page.options, is_numeric);
    fuzz_check(order.has_value());
    std::string first;
    std::string second;
    for (std::string text : kDocuments) {
        const std::size_t size = text.size();
        text.append(kPadding, '\0');
        order->key_of(std::string_view(text).substr(0, size), first);
        order->key_of(std::string_view(text).substr(0, size), second);
        fuzz_check(first == second && first.empty() == page.sort.empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    std::array<std::optional<std::string>, kNames.size()> given;
    for (auto& one : given) {
        if (rest.empty()) break;
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        one = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const auto page = kernel::pagination::read_page_parameters(
        [&given](std::string_view name) -> std::optional<std::string> {
            const auto* const at = std::find(kNames.begin(), kNames.end(), name);
            if (at == kNames.end()) return std::nullopt;
            return given[static_cast<std::size_t>(at - kNames.begin())];
        },
        {});
    if (page.has_error()) {
        fuzz_check(!page.error().violations.empty());
        return 0;
    }
    fuzz_check(page->limit >= -1);
    sort_by(*page, false);
    sort_by(*page, true);
    return 0;
}

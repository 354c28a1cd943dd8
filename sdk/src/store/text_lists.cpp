#include <stele/sdk/text_lists.hpp>

#include <cstring>
#include <string>

namespace stele::sdk {

namespace {

std::string_view bytes_of(const std::uint64_t& number) {
    return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

std::string place_key(std::uint64_t number, std::string_view key) {
    return std::string(bytes_of(number)).append(key);
}

}  // namespace

Result<std::uint64_t> TextLists::count(std::string_view key) const {
    // Without making the key: many ask where nothing is.
    if (table_.size() == 0) return std::uint64_t{0};
    auto stored = table_.find(place_key(0, key));
    if (!stored) return stored.error();
    std::uint64_t count = 0;
    if (*stored) std::memcpy(&count, (*stored)->data(), sizeof(count));
    return count;
}

Result<void> TextLists::add(std::string_view key, std::string_view text) {
    auto before = count(key);
    if (!before) return before.error();
    const std::uint64_t number = *before + 1;
    if (auto kept = table_.put(place_key(number, key), text); !kept) return kept;
    return table_.put(place_key(0, key), bytes_of(number));
}

Result<void> TextLists::for_each(
    std::string_view key, const std::function<Result<bool>(std::string_view text)>& visit) const {
    auto most = count(key);
    if (!most) return most.error();
    for (std::uint64_t number = 1; number <= *most; ++number) {
        auto text = table_.find(place_key(number, key));
        if (!text) return text.error();
        auto goes_on = visit(text->value());
        if (!goes_on) return goes_on.error();
        if (!*goes_on) break;
    }
    return {};
}

}  // namespace stele::sdk

#include "paths/kept_paths.hpp"

#include <cstring>
#include <stdexcept>

namespace stele::archives {

namespace {

constexpr std::uint64_t kMostInFolder = 100'000;

}  // namespace

std::string number_text(std::uint64_t number) {
    return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

std::uint64_t number_of_text(std::string_view text) {
    std::uint64_t number = 0;
    if (text.size() < sizeof(number)) throw std::logic_error("a text is no number");
    std::memcpy(&number, text.data(), sizeof(number));
    return number;
}

sdk::Result<bool> PathList::add(std::string_view name) {
    auto is_there = places_.contains(name);
    if (!is_there) return is_there;
    if (*is_there) return false;
    const std::string place = number_text(places_.size());
    if (auto kept = names_.put(place, name); !kept) return kept.error();
    if (auto kept = places_.put(name, place); !kept) return kept.error();
    return true;
}

sdk::Result<std::optional<std::uint64_t>> PathList::place_of(std::string_view name) const {
    auto place = places_.find(name);
    if (!place) return place.error();
    if (!*place) return std::optional<std::uint64_t>();
    return std::optional(number_of_text(**place));
}

sdk::Result<std::string> PathList::at(std::uint64_t place) const {
    auto name = names_.find(number_text(place));
    if (!name) return name.error();
    if (!*name) throw std::logic_error("a list of paths has no such place");
    return std::move(**name);
}

sdk::Result<std::vector<std::string>> PathsByFolder::in(std::string_view folder) const {
    std::vector<std::string> found;
    auto count = paths_.count(folder);
    if (!count) return count.error();
    if (*count > kMostInFolder)
        return sdk::make_error(sdk::ErrorKind::too_large, "archives.transfer_too_large",
                               sdk::shown_path(folder) + " has more than 100,000 attachments");
    auto walked = paths_.for_each(folder, [&found](std::string_view path) {
        found.emplace_back(path);
        return sdk::Result<bool>(true);
    });
    if (!walked) return walked.error();
    return found;
}

}  // namespace stele::archives

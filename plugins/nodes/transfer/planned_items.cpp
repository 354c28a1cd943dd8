#include "transfer/planned_items.hpp"

#include <cstring>
#include <stdexcept>

namespace stele::nodes {

namespace {

/// What an item's text has before its match.
constexpr std::size_t kItemHead = 2 * sizeof(std::uint64_t) + 2;

std::string_view raw_number(const std::uint64_t& number) {
    return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

std::uint64_t number_of_raw(std::string_view bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
}

std::string written_item(const PlannedItem& item) {
    std::string text(raw_number(item.position));
    text += raw_number(item.bytes);
    text += static_cast<char>(item.kind);
    const int flags = (item.comes ? 1 : 0) | (item.is_fixed ? 2 : 0) | (item.is_users ? 4 : 0) |
                      (item.is_tag ? 8 : 0);
    text += static_cast<char>(flags);
    return text + item.match;
}

PlannedItem read_item(std::string_view text) {
    const int flags = text[kItemHead - 1];
    return {.kind = static_cast<ItemKind>(text[kItemHead - 2]),
            .position = number_of_raw(text),
            .bytes = number_of_raw(text.substr(sizeof(std::uint64_t))),
            .comes = (flags & 1) != 0,
            .is_fixed = (flags & 2) != 0,
            .is_users = (flags & 4) != 0,
            .is_tag = (flags & 8) != 0,
            .match = std::string(text.substr(kItemHead))};
}

std::string written_link(const PlannedLink& link) {
    std::string text;
    for (const std::string* part :
         {&link.type, &link.source, &link.target, &link.locale, &link.edition}) {
        const std::uint64_t size = part->size();
        text += raw_number(size);
        text += *part;
    }
    return text;
}

PlannedLink read_link(std::string_view text) {
    PlannedLink link;
    for (std::string* part :
         {&link.type, &link.source, &link.target, &link.locale, &link.edition}) {
        const std::uint64_t size = number_of_raw(text);
        *part = text.substr(sizeof(size), static_cast<std::size_t>(size));
        text.remove_prefix(sizeof(size) + static_cast<std::size_t>(size));
    }
    return link;
}

std::string key_of_end(char end, const std::string& item) {
    return std::string(1, end) + item;
}

}  // namespace

sdk::Result<void> PlannedItems::put(const std::string& id, const PlannedItem& item) {
    return table_.put(id, written_item(item));
}

sdk::Result<std::optional<PlannedItem>> PlannedItems::find(const std::string& id) const {
    auto text = table_.find(id);
    if (!text) return text.error();
    if (!*text) return std::optional<PlannedItem>();
    return std::optional(read_item(**text));
}

sdk::Result<PlannedItem> PlannedItems::at(const std::string& id) const {
    auto found = find(id);
    if (!found) return found.error();
    if (!*found) throw std::logic_error("a source gives other items than it gave before");
    return std::move(**found);
}

sdk::Result<void> PlannedItems::for_each(const Visit& visit) const {
    return table_.for_each([&visit](std::string_view id, std::string_view text) {
        return visit(std::string(id), read_item(text));
    });
}

sdk::Result<void> PlannedLinks::put(const std::string& association, const PlannedLink& link) {
    return links_.put(association, written_link(link));
}

sdk::Result<void> PlannedLinks::sort(
    const std::function<sdk::Result<bool>(const std::string& item)>& comes) {
    return links_.for_each(
        [&](std::string_view association, std::string_view text) -> sdk::Result<void> {
            const PlannedLink link = read_link(text);
            for (const std::string* const end : {&link.source, &link.target}) {
                auto is_there = comes(*end);
                if (!is_there) return is_there.error();
                if (!*is_there) return {};
            }
            if (auto added = add(End::source, link.source, association); !added) return added;
            return add(End::target, link.target, association);
        });
}

sdk::Result<void> PlannedLinks::add(End end, const std::string& item,
                                    std::string_view association) {
    return ends_.add(key_of_end(static_cast<char>(end), item), association);
}

sdk::Result<void> PlannedLinks::walk(End end, const std::string& item, std::string_view type,
                                     const Visit& visit) const {
    return ends_.for_each(key_of_end(static_cast<char>(end), item),
                          [&](std::string_view association) -> sdk::Result<bool> {
                              auto text = links_.find(association);
                              if (!text) return text.error();
                              const PlannedLink link = read_link(**text);
                              return type.empty() || link.type == type ? visit(link) : true;
                          });
}

sdk::Result<void> PlannedLinks::for_each_below(const std::string& item, std::string_view type,
                                               const Visit& visit) const {
    return walk(End::source, item, type, visit);
}

sdk::Result<void> PlannedLinks::for_each_above(const std::string& item, std::string_view type,
                                               const Visit& visit) const {
    return walk(End::target, item, type, visit);
}

}  // namespace stele::nodes

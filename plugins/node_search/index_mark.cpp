#include "index_mark.hpp"

#include <fmt/format.h>

#include <stele/sdk/key_tuple.hpp>

#include "terms.hpp"

namespace stele::node_search {

std::string mark_key(const sdk::ContentSpace& space) {
    return kMarkKey + space_name(space);
}

std::string mark_text(const IndexMark& mark) {
    return sdk::KeyWriter().integer(mark.revision).integer(mark.digest).key();
}

std::optional<IndexMark> read_mark(std::string_view text) {
    if (text.empty() || text == kHalfCleared) return IndexMark{};
    sdk::KeyReader reader(text);
    const auto revision = reader.integer();
    const auto first = reader.integer();
    if (!revision || !first) return std::nullopt;
    return IndexMark{*revision, *first};
}

std::uint64_t digest_of(const sdk::ContentVersion& version) {
    return digest(fmt::format("{} {} {} {} {}", version.line, version.revision, version.is_removed,
                              version.node, version.text));
}

sdk::Result<bool> has_history(sdk::ContentLog& log, const sdk::Reader& reader,
                              const sdk::ContentSpace& space, const IndexMark& mark) {
    if (mark.revision == 0) return true;
    bool is_same = false;
    auto read = log.for_each_after(
        reader, space, mark.revision - 1, [&](const sdk::ContentVersion& version) {
            is_same = version.revision == mark.revision && digest_of(version) == mark.digest;
            return false;
        });
    if (!read) return read.error();
    return is_same;
}

}  // namespace stele::node_search

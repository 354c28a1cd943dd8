#include "version_space.hpp"

#include <bit>

namespace stele::nodes {

namespace {

/// Deeper than any chain of forks; a store that says otherwise is damaged.
constexpr std::size_t kMostLinks = 100'000;

sdk::Error line_broken(Line line) {
    return sdk::make_error(sdk::ErrorKind::internal, "branch.line_broken",
                           "what is kept about a branch cannot be read",
                           "line " + std::to_string(line));
}

sdk::Result<View> follow(const sdk::Reader& reader, const VersionSpace& space, Link link,
                         Revision newest) {
    View view{{link}, newest};
    while (link.line != kFirstLine) {
        auto row = reader.get(space.line(link.line));
        if (!row) return row.error();
        if (!*row) {
            return sdk::make_error(sdk::ErrorKind::not_found, "branch.line_unknown",
                                   "there is no such branch");
        }
        if ((*row)->size() != 2 * kNumberBytes) return line_broken(link.line);
        const Link parent{read_number(**row),
                          read_number(std::string_view(**row).substr(kNumberBytes))};
        if (parent.line >= link.line || view.links.size() > kMostLinks)
            return line_broken(link.line);
        link = parent;
        view.links.push_back(link);
    }
    return view;
}

}  // namespace

void append_number(std::string& bytes, std::uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8)
        bytes.push_back(static_cast<char>(number >> shift));
}

std::uint64_t read_number(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < kNumberBytes; ++i)
        number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
}

std::string VersionSpace::tagged(char tag, std::uint64_t number) const {
    std::string key = prefix_;
    key.push_back(tag);
    append_number(key, number);
    return key;
}

std::string VersionSpace::past(Line line, int level, Revision block) const {
    std::string key = tagged('h', line);
    key.push_back(static_cast<char>(level));
    append_number(key, block);
    return key;
}

std::string VersionSpace::record(std::string_view key) const {
    std::string bytes = prefix_;
    bytes.push_back('v');
    bytes += key;
    return bytes;
}

std::string VersionSpace::record(std::string_view key, Line line, Revision revision) const {
    std::string bytes = record(key);
    append_number(bytes, ~line);
    append_number(bytes, ~revision);
    return bytes;
}

Block Block::around(Revision first, Revision last) {
    const int level = static_cast<int>(std::bit_width(first ^ last));
    return {level, level == 64 ? 0 : first >> level};
}

sdk::Result<View> find_view(const sdk::Reader& reader, const VersionSpace& space, Line line,
                            std::optional<Revision> revision) {
    auto newest = reader.get(space.revision_counter());
    if (!newest) return newest.error();
    return follow(reader, space, {line, revision.value_or(kUncommitted)},
                  static_cast<Revision>(sdk::read_counter(*newest)));
}

sdk::Result<View> find_view(const sdk::Transaction& transaction, const VersionSpace& space,
                            Line line) {
    auto newest = transaction.peek(space.revision_counter());
    if (!newest) return newest.error();
    return follow(transaction, space, {line}, static_cast<Revision>(sdk::read_counter(*newest)));
}

void put_line(sdk::Transaction& transaction, const VersionSpace& space, Line line,
              const Link& from) {
    std::string row;
    append_number(row, from.line);
    append_number(row, from.bound);
    transaction.put(space.line(line), row);
}

}  // namespace stele::nodes

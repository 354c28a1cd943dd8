#include "version_space.hpp"

#include <algorithm>
#include <bit>

#include "counts.hpp"

namespace stele::nodes {

namespace {

/// What follows a prefix: numbers, and the key of an entry.
constexpr std::size_t kTypicalKeyBytes = 64;

/// Deeper than any chain of forks; a store that says otherwise is damaged.
constexpr std::size_t kMaxLinks = 100'000;

sdk::Error line_broken(Line line) {
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_line_broken",
                           "what is kept about a branch cannot be read",
                           "line " + std::to_string(line));
}

sdk::Result<LineOrigin> find_origin(const sdk::Reader& reader, const VersionSpace& space,
                                    Line line) {
    std::string key = space.line(line);
    if (const auto known = space.cache().find_origin(key)) return *known;
    auto row = reader.get(key);
    if (!row) return row.error();
    if (!*row) {
        return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_line_unknown",
                               "there is no such branch");
    }
    const std::string_view bytes = **row;
    const bool is_loaded = bytes.size() == 3 * kNumberBytes;
    if (bytes.size() != 2 * kNumberBytes && !is_loaded) return line_broken(line);
    LineOrigin origin{{read_number(bytes), read_number(bytes.substr(kNumberBytes))}};
    if (is_loaded) origin.loaded = read_number(bytes.substr(2 * kNumberBytes));
    if (shows_only_commits(reader)) space.cache().keep_origin(std::move(key), origin);
    return origin;
}

sdk::Result<View> follow(const sdk::Reader& reader, const VersionSpace& space, Link link,
                         Revision newest) {
    View view{{}, newest};
    for (std::size_t lines = 0; link.line != kFirstLine; ++lines) {
        auto origin = find_origin(reader, space, link.line);
        if (!origin) return origin.error();
        if (origin->from.line >= link.line || lines > kMaxLinks) return line_broken(link.line);
        link.loaded = origin->loaded;
        // Before its first changeset a line that was loaded shows what it comes from.
        if (link.loaded <= link.bound) view.links.push_back(link);
        link = origin->from;
    }
    view.links.push_back(link);
    return view;
}

/// The last revision that was given.
sdk::Result<Revision> newest_in(const sdk::Reader& reader, const VersionSpace& space) {
    auto newest = reader.peek(space.revision_counter());
    if (!newest) return newest.error();
    return static_cast<Revision>(sdk::read_counter(*newest));
}

}  // namespace

void append_number(std::string& bytes, std::uint64_t number) {
    char digits[kNumberBytes];
    for (std::size_t i = 0; i < kNumberBytes; ++i)
        digits[i] = static_cast<char>(number >> (8 * (kNumberBytes - 1 - i)));
    bytes.append(digits, kNumberBytes);
}

std::uint64_t read_number(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < kNumberBytes; ++i)
        number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
}

std::string VersionSpace::tagged(char tag, std::uint64_t number) const {
    const std::string& prefix = parts_->prefix;
    std::string key;
    key.reserve(prefix.size() + kTypicalKeyBytes);
    key.append(prefix).push_back(tag);
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
    const std::string& prefix = parts_->prefix;
    std::string bytes;
    bytes.reserve(prefix.size() + 1 + key.size() + 2 * kNumberBytes);
    bytes.append(prefix).push_back('v');
    bytes += key;
    return bytes;
}

std::string VersionSpace::record(std::string_view key, Line line, Revision revision) const {
    std::string bytes = record(key);
    append_number(bytes, ~line);
    append_number(bytes, ~revision);
    return bytes;
}

Revision last_to_end(Revision newest, std::size_t attempt) {
    constexpr std::size_t kMaxDoublings = 24;
    const Revision usual = newest + kSlack;
    const Revision wide = newest + (kSlack << std::min(2 * attempt, kMaxDoublings));
    const Revision last_of_level = std::bit_ceil(usual + 1) - 1;
    return std::min(wide, last_of_level);
}

Block Block::around(Revision first, Revision last) {
    const int level = static_cast<int>(std::bit_width(first ^ last));
    return {level, level == 64 ? 0 : first >> level};
}

bool View::goes_on_from(Line line) const {
    for (const Link& link : links) {
        if (link.line == line) return true;
        if (link.loaded == 0) return false;
    }
    return false;
}

bool shows_only_commits(const sdk::Reader& reader) {
    if (reader.state()) return true;
    const sdk::Transaction* const transaction = reader.as_transaction();
    return transaction == nullptr || !transaction->has_writes();
}

sdk::Result<std::optional<KindNote>> find_kind(const sdk::Reader& reader, const std::string& row) {
    auto stored = reader.peek(row);
    if (!stored) return stored.error();
    if (!*stored) return std::optional<KindNote>();
    if ((*stored)->size() != 2 * kNumberBytes) {
        return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_kind_broken",
                               "what is kept about the entries of a branch cannot be read");
    }
    return std::optional<KindNote>(
        {read_number(**stored), read_number(std::string_view(**stored).substr(kNumberBytes))});
}

sdk::Result<View> find_view(const sdk::Reader& reader, const VersionSpace& space, Line line,
                            std::optional<Revision> revision) {
    auto newest = newest_in(reader, space);
    if (!newest) return newest.error();
    return follow(reader, space, {line, revision.value_or(kUncommitted)}, *newest);
}

sdk::Result<Revision> loaded_revision(const sdk::Reader& reader, const VersionSpace& space,
                                      Line line) {
    if (line == kFirstLine) return Revision{0};
    auto origin = find_origin(reader, space, line);
    if (!origin) return origin.error();
    return origin->loaded;
}

sdk::Result<Revision> row_revision(const sdk::Reader& reader, const VersionSpace& space, Line line,
                                   Revision revision) {
    auto loaded = loaded_revision(reader, space, line);
    if (!loaded) return loaded;
    return *loaded == revision ? kLoadedRevision : revision;
}

std::string loaded_line_row(const Link& from) {
    std::string row;
    append_number(row, from.line);
    append_number(row, from.bound);
    append_number(row, kUncommitted);
    return row;
}

sdk::Result<void> put_line(sdk::Transaction& transaction, const sdk::Reader& parent,
                           const VersionSpace& space, Line line, Link from) {
    auto newest = newest_in(parent, space);
    if (!newest) return newest.error();
    if (from.is_tip()) from.bound = *newest;
    auto counts = counts_at(parent, space, from, *newest);
    if (!counts) return counts.error();
    std::string row;
    append_number(row, from.line);
    append_number(row, from.bound);
    transaction.put(space.line(line), row);
    for (const auto& [key, count] : **counts)
        transaction.put(space.count(line).append(key), sdk::counter_bytes(count));
    return {};
}

}  // namespace stele::nodes

#include "counts.hpp"

#include <algorithm>

#include <stele/sdk/key_tuple.hpp>

namespace stele::nodes {

namespace {

/// What the rows of today begin with. Those of older stores begin with eight bytes of a number,
/// the first of which is 0.
constexpr char kShortForm = 1;

sdk::Error broken() {
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_changes_broken",
                           "what is kept about a changeset cannot be read");
}

std::size_t common_prefix(std::string_view one, std::string_view other) {
    const std::size_t most = std::min(one.size(), other.size());
    const auto* const end = one.data() + most;
    return static_cast<std::size_t>(std::mismatch(one.data(), end, other.data()).first -
                                    one.data());
}

/// Small numbers of either sign become small ones.
std::uint64_t folded(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unfolded(std::uint64_t value) {
    return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1U));
}

/// Behind the form: how many there are; of each the bytes that it shares with the key before, the
/// others and the change.
sdk::Result<ChangeRecord> decode_short(std::string_view bytes) {
    ChangeRecord record;
    sdk::KeyReader reader(bytes);
    auto left = reader.integer();
    if (!left) return broken();
    std::string key;
    for (; *left > 0; --*left) {
        const auto shared = reader.integer();
        const auto size = reader.integer();
        const auto rest = size ? reader.raw(*size) : std::nullopt;
        const auto delta = reader.integer();
        if (!shared || *shared > key.size() || !rest || !delta) return broken();
        key.resize(*shared);
        key.append(*rest);
        record.counts.emplace(key, unfolded(*delta));
    }
    record.note = reader.rest();
    return record;
}

sdk::Result<ChangeRecord> decode_long(std::string_view bytes) {
    ChangeRecord record;
    if (bytes.size() < kNumberBytes) return broken();
    std::uint64_t left = read_number(bytes);
    bytes.remove_prefix(kNumberBytes);
    for (; left > 0; --left) {
        if (bytes.size() < kNumberBytes) return broken();
        const std::uint64_t size = read_number(bytes);
        bytes.remove_prefix(kNumberBytes);
        if (bytes.size() < kNumberBytes || size > bytes.size() - kNumberBytes) return broken();
        const std::string_view key = bytes.substr(0, size);
        bytes.remove_prefix(size);
        record.counts.emplace(key, static_cast<std::int64_t>(read_number(bytes)));
        bytes.remove_prefix(kNumberBytes);
    }
    record.note = bytes;
    return record;
}

}  // namespace

std::string ChangeRecord::encode() const {
    sdk::KeyWriter bytes;
    bytes.tag(kShortForm).integer(counts.size());
    std::string_view before;
    for (const auto& [key, delta] : counts) {
        const std::size_t shared = common_prefix(before, key);
        const std::string_view rest = std::string_view(key).substr(shared);
        bytes.integer(shared).integer(rest.size()).raw(rest).integer(folded(delta));
        before = key;
    }
    return std::move(bytes).key() + note;
}

sdk::Result<ChangeRecord> ChangeRecord::decode(std::string_view bytes) {
    if (bytes.empty()) return broken();
    return bytes.front() == kShortForm ? decode_short(bytes.substr(1)) : decode_long(bytes);
}

namespace {

sdk::Result<void> read_tip(const sdk::Reader& reader, const VersionSpace& space, Line line,
                           const sdk::KeyRange& range, Counts& counts) {
    const std::string prefix = space.count(line);
    const std::string end = range.end.empty() ? sdk::prefix_end(prefix) : prefix + range.end;
    const auto cursor = reader.scan({prefix + range.begin, end}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        counts.emplace(cursor->key().substr(prefix.size()),
                       sdk::read_counter(std::string(cursor->value())));
    }
    return cursor->status();
}

sdk::Result<void> undo_later(const sdk::Reader& reader, const VersionSpace& space, const Link& link,
                             Counts& counts) {
    const std::string prefix = space.changes(link.line);
    std::string begin = prefix;
    append_number(begin, link.bound + 1);
    const auto cursor = reader.scan({begin, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        if (cursor->value().empty()) {
            return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_changes_unfinished",
                                   "counts of the past were asked for while the branch is written");
        }
        auto record = ChangeRecord::decode(cursor->value());
        if (!record) return record.error();
        for (const auto& [key, delta] : record->counts)
            counts[key] -= delta;
    }
    return cursor->status();
}

}  // namespace

sdk::Result<std::shared_ptr<const Counts>> counts_at(const sdk::Reader& reader,
                                                     const VersionSpace& space, const Link& link,
                                                     Revision newest) {
    std::string known_as = space.changes(link.line);
    append_number(known_as, link.bound);
    if (auto known = space.cache().find_counts(known_as)) return known;
    const auto counts = std::make_shared<Counts>();
    if (auto read = read_tip(reader, space, link.line, {}, *counts); !read) return read.error();
    if (!link.is_tip()) {
        if (auto undone = undo_later(reader, space, link, *counts); !undone) return undone.error();
    }
    std::erase_if(*counts, [](const auto& count) { return count.second == 0; });
    if (link.bound <= newest && shows_only_commits(reader))
        space.cache().keep_counts(std::move(known_as), counts);
    return std::shared_ptr<const Counts>(counts);
}

sdk::Result<Counts> tip_counts(const sdk::Reader& reader, const VersionSpace& space, Line line,
                               const sdk::KeyRange& range) {
    Counts counts;
    if (auto read = read_tip(reader, space, line, range, counts); !read) return read.error();
    std::erase_if(counts, [](const auto& count) { return count.second == 0; });
    return counts;
}

}  // namespace stele::nodes

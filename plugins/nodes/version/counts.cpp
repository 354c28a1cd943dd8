#include "counts.hpp"

#include <stele/sdk/key_tuple.hpp>

namespace stele::nodes {

std::string ChangeRecord::encode() const {
    std::string bytes;
    append_number(bytes, counts.size());
    for (const auto& [key, delta] : counts) {
        append_number(bytes, key.size());
        bytes += key;
        append_number(bytes, static_cast<std::uint64_t>(delta));
    }
    return bytes + note;
}

sdk::Result<ChangeRecord> ChangeRecord::decode(std::string_view bytes) {
    const auto broken = [] {
        return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_changes_broken",
                               "what is kept about a changeset cannot be read");
    };
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

namespace {

sdk::Result<void> read_tip(const sdk::Reader& reader, const VersionSpace& space, Line line,
                           Counts& counts) {
    const std::string prefix = space.count(line);
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
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
    if (auto read = read_tip(reader, space, link.line, *counts); !read) return read.error();
    if (!link.is_tip()) {
        if (auto undone = undo_later(reader, space, link, *counts); !undone) return undone.error();
    }
    std::erase_if(*counts, [](const auto& count) { return count.second == 0; });
    if (link.bound <= newest && shows_only_commits(reader))
        space.cache().keep_counts(std::move(known_as), counts);
    return std::shared_ptr<const Counts>(counts);
}

}  // namespace stele::nodes

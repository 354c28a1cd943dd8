#include "line_writer.hpp"

#include <set>
#include <vector>

#include <stele/sdk/key_tuple.hpp>

namespace stele::nodes {

namespace {

/// The sequence of a record, with which its key ends, and those of its entries.
constexpr std::size_t kSequenceBytes = 10;

constexpr std::size_t kMaxNewRecords = 1000;

}  // namespace

sdk::Result<std::optional<std::string>> LineWriter::peek(std::string_view key) const {
    switch (space_.keeping(key)) {
        case Keeping::plain:
            return below_.peek(key);
        case Keeping::count:
            return below_.peek(count_key(key));
        default:
            return get(key);
    }
}

void LineWriter::expect_writes(const std::vector<std::string>& keys) {
    std::vector<sdk::KeyRange> below;
    std::set<std::string_view> kinds;
    for (const std::string& key : keys) {
        const Keeping keeping = space_.keeping(key);
        if (keeping == Keeping::plain || keeping == Keeping::count) continue;
        below.push_back(present(key));
        const std::string_view kind = std::string_view(key).substr(0, VersionSpace::kKindBytes);
        if (kinds.insert(kind).second) below.push_back(sdk::only_key(space_.kind(line(), kind)));
    }
    below_.expect(below);
}

void LineWriter::put(std::string_view key, std::string_view value) {
    switch (space_.keeping(key)) {
        case Keeping::record:
            put_version(key, kPresent, value);
            return note(put_entry(key, {}));
        case Keeping::entry:
            return note(put_entry(key, value));
        case Keeping::count:
            return note(sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_count_put",
                                        "a count of a branch can only be added to"));
        case Keeping::plain:
            return below_.put(key, value);
    }
}

void LineWriter::remove(std::string_view key) {
    switch (space_.keeping(key)) {
        case Keeping::record:
            put_version(key, kRemoved, {});
            return note(remove_entry(key));
        case Keeping::entry:
            return note(remove_entry(key));
        case Keeping::count: {
            auto sum = get(key);
            if (!sum) return note(sum.error());
            return add(key, -sdk::read_counter(*sum));
        }
        case Keeping::plain:
            return below_.remove(key);
    }
}

void LineWriter::remove_range(sdk::KeyRange range) {
    if (space_.keeping(range.begin) == Keeping::plain) return below_.remove_range(std::move(range));
    std::vector<std::string> keys;
    const auto cursor = scan(std::move(range), sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        keys.emplace_back(cursor->key());
    note(cursor->status());
    for (const std::string& key : keys)
        remove(key);
}

void LineWriter::add(std::string_view key, std::int64_t delta) {
    if (space_.keeping(key) != Keeping::count) return below_.add(key, delta);
    if (changes_.counts.empty()) put_changes({});
    below_.add(count_key(key), delta);
    const auto known = changes_.counts.lower_bound(key);
    if (known == changes_.counts.end() || known->first != key) {
        changes_.counts.emplace_hint(known, key, delta);
    } else {
        known->second += delta;
    }
}

void LineWriter::put_numbered(sdk::StampedPut put) {
    if (place_.is_first) return put_with(kFirstRevision, put);
    put.step = place_.step;
    below_.put_stamped(space_.revision_counter(), put);
}

void LineWriter::put_row(const sdk::StampedPut& put) {
    if (place_.is_load) return put_with(kLoadedRevision, put);
    put_numbered(put);
}

void LineWriter::put_with(Revision number, const sdk::StampedPut& put) {
    std::string key(put.key);
    if (put.in_key) sdk::stamp_bytes(key, *put.in_key, number);
    std::string value(put.value);
    if (put.in_value) sdk::stamp_bytes(value, *put.in_value, number);
    below_.put(key, value);
}

void LineWriter::put_changes(std::string_view bytes) {
    const std::string changes = space_.changes(line());
    put_numbered({.key = changes + std::string(kNumberBytes, '\0'),
                  .value = bytes,
                  .in_key = sdk::StampPlace{changes.size()}});
}

void LineWriter::put_merge(std::string_view taken) {
    const std::string merges = space_.merges(line());
    put_numbered({.key = merges + std::string(kNumberBytes, '\0'),
                  .value = taken,
                  .in_key = sdk::StampPlace{merges.size()}});
}

void LineWriter::commit(Done done) {
    done(sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_commit_misplaced",
                         "a changeset is committed with its transaction"));
}

sdk::Result<bool> LineWriter::inherits(std::string_view key, std::string& value) const {
    if (!is_fork()) return false;
    if (space_.keeping(key) != Keeping::record) return parent_.get_into(key, value);
    std::string record;
    auto version = parent_.find_version(key, record);
    if (!version) return version.error();
    value.clear();
    return version->has_value();
}

sdk::Result<void> LineWriter::put_present(std::string_view key, char state,
                                          std::string_view value) {
    value_.assign(kNumberBytes, '\0').append(1, state).append(value);
    put_row({.key = present_key(key), .value = value_, .in_value = sdk::StampPlace{0}});
    return note_kind(key, false);
}

sdk::Result<void> LineWriter::note_absent(std::string_view record_key) {
    if (record_key.size() < kSequenceBytes) return {};
    if (is_fork()) {
        const std::string versions = space_.record(record_key);
        const auto cursor =
            below_.scan({versions, sdk::prefix_end(versions)}, sdk::ScanDirection::forward);
        if (cursor->is_valid()) return {};
        if (auto status = cursor->status(); !status) return status;
    }
    // Entries come soon after the look; whoever is forgotten looks again.
    if (new_records_.size() >= kMaxNewRecords) new_records_.clear();
    new_records_.emplace(record_key.substr(record_key.size() - kSequenceBytes));
    return {};
}

bool LineWriter::is_of_new_record(std::string_view key) const {
    if (new_records_.empty() || key.size() < kSequenceBytes) return false;
    return new_records_.contains(std::string(key.substr(key.size() - kSequenceBytes)));
}

sdk::Result<void> LineWriter::put_entry(std::string_view key, std::string_view value) {
    if (is_of_new_record(key)) return put_present(key, kPresent, value);
    auto stored = below_.get(present_key(key));
    if (!stored) return stored.error();
    if (*stored) {
        const std::string_view former(**stored);
        if (former[kNumberBytes] == kPresent && former.substr(kHeadBytes) == value) return {};
        if (auto ended = end_present(key, **stored); !ended) return ended;
    }
    std::string inherited;
    auto is_inherited = inherits(key, inherited);
    if (!is_inherited) return is_inherited.error();
    if (*is_inherited && inherited == value) return {};
    return put_present(key, kPresent, value);
}

sdk::Result<void> LineWriter::remove_entry(std::string_view key) {
    auto stored = below_.get(present_key(key));
    if (!stored) return stored.error();
    if (*stored) {
        if ((**stored)[kNumberBytes] == kRemoved) return {};
        if (auto ended = end_present(key, **stored); !ended) return ended;
    }
    std::string inherited;
    auto is_inherited = inherits(key, inherited);
    if (!is_inherited) return is_inherited.error();
    return *is_inherited ? put_present(key, kRemoved, {}) : sdk::Result<void>();
}

sdk::Result<void> LineWriter::end_present(std::string_view key, const std::string& stored) {
    below_.remove(present_key(key));
    Revision born = read_number(stored);
    // It begins and ends in this changeset, so no view ever shows it.
    if (place_.is_load || born > reader_.view().newest) return {};
    if (born == kLoadedRevision) born = reader_.view().links.front().loaded;
    ends_entries_ = true;
    if (auto noted = note_kind(key, true); !noted) return noted;
    const Block block = Block::around(born, last_to_end_);
    std::string past = space_.past(line(), block.level, block.number);
    past += key;
    append_number(past, born);
    put_numbered({.key = past, .value = stored, .in_value = sdk::StampPlace{0}});
    return {};
}

sdk::Result<void> LineWriter::note_kind(std::string_view key, bool has_ended) {
    const std::string_view kind = key.substr(0, VersionSpace::kKindBytes);
    const auto noted = kinds_.find(kind);
    if (noted != kinds_.end() && (noted->second || !has_ended)) return {};
    const std::string row = space_.kind(line(), kind);
    auto known = find_kind(below_, row);
    if (!known) return known.error();
    const bool is_written = has_ended || !*known;
    if (is_written) {
        // Whoever ends an entry knows the note of its beginning. Of several first ones each begins
        // later than what any of them knows, so any note will do.
        std::string value;
        append_number(value, *known ? (*known)->first : reader_.view().newest + 1);
        value.append(kNumberBytes, '\0');
        put_numbered({.key = row, .value = value, .in_value = sdk::StampPlace{kNumberBytes}});
    }
    kinds_.insert_or_assign(std::string(kind), is_written);
    return {};
}

void LineWriter::put_version(std::string_view key, char state, std::string_view record) {
    std::string value(1, state);
    value += record;
    const std::string version = space_.record(key, line(), 0);
    put_row({.key = version,
             .value = value,
             .in_key = sdk::StampPlace{version.size() - kNumberBytes, /*is_descending=*/true}});
    const std::string list = space_.written(line());
    std::string written = list + std::string(kNumberBytes, '\0');
    written += key;
    put_row({.key = written,
             .value = std::string_view(&state, 1),
             .in_key = sdk::StampPlace{list.size()}});
}

sdk::Result<void> LineWriter::finish(std::string note, std::uint64_t later) {
    if (!status_) return status_;
    changes_.note = std::move(note);
    std::erase_if(changes_.counts, [](const auto& count) { return count.second == 0; });
    put_changes(changes_.encode());
    std::string own;
    append_number(own, line());
    const std::string revision = space_.line_of(0);
    put_numbered(
        {.key = revision, .value = own, .in_key = sdk::StampPlace{revision.size() - kNumberBytes}});
    if (place_.is_first) below_.add(space_.revision_counter(), 1);
    if (place_.is_load) {
        const Link& from = reader_.view().links.at(1);
        put_numbered({.key = space_.line(line()),
                      .value = loaded_line_row(from),
                      .in_value = sdk::StampPlace{kLoadedPlace}});
    }
    if (!ends_entries_) return {};
    // Blocks of ended entries were chosen for revisions up to here.
    return below_.add_within(space_.revision_counter(), 0,
                             static_cast<std::int64_t>(last_to_end_ + later));
}

std::optional<Revision> LineWriter::revision(const sdk::Transaction& committed) const {
    if (place_.is_first) return kFirstRevision;
    const auto first = committed.stamp(space_.revision_counter());
    if (!first) return std::nullopt;
    return *first + place_.step;
}

}  // namespace stele::nodes

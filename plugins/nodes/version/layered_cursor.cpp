#include "layered_cursor.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/record_space.hpp>

#include "counts.hpp"
#include "list_cursor.hpp"

namespace stele::nodes {

namespace {

/// Not below any number that was given to a revision.
const std::string kHighest(kNumberBytes, '\xff');

sdk::Error entry_broken() {
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_entry_broken",
                           "what is kept about a branch cannot be read");
}

std::string key_below(const std::string& prefix, std::string_view key) {
    return std::string(prefix).append(key);
}

/// What all keys of a range begin with, when that tells their kind; otherwise empty.
std::string_view kind_of(const sdk::KeyRange& range) {
    const std::string_view kind = std::string_view(range.begin).substr(0, VersionSpace::kKindBytes);
    if (kind.size() < VersionSpace::kKindBytes || range.end.empty()) return {};
    return range.end <= sdk::prefix_end(std::string(kind)) ? kind : std::string_view();
}

/// Of blocks with entries that ended up to a revision. Who ended one chose its block before the
/// revision was given.
int highest_level(Revision last) {
    return static_cast<int>(std::bit_width(last + kSlack));
}

}  // namespace

std::string_view LayeredCursor::Layer::key() const {
    std::string_view bytes = cursor->key().substr(prefix.size());
    if (is_past) bytes.remove_suffix(kNumberBytes);
    return bytes;
}

bool LayeredCursor::Layer::is_shown() const {
    if (bound == kUncommitted) return true;
    const Revision number = read_number(cursor->value());
    if (!is_past) return number <= bound;
    const std::string_view full = cursor->key();
    return read_number(full.substr(full.size() - kNumberBytes)) <= bound && bound < number;
}

void LayeredCursor::settle(Layer& layer) {
    layer.is_done = false;
    for (; layer.cursor->is_valid(); layer.cursor->next()) {
        // The number behind a past key lets the cursor below look beyond the range.
        if (layer.is_past) {
            const bool is_below = layer.key() < range_.begin;
            const bool is_above = !range_.end.empty() && layer.key() >= range_.end;
            layer.is_done = is_forward() ? is_above : is_below;
            if (layer.is_done) return;
            if (is_below || is_above) continue;
        }
        if (layer.is_shown()) return;
    }
}

void LayeredCursor::pass(Layer& layer, std::string_view passed) {
    // Of a key only births lie there more than once.
    if (layers_.size() == 1 && !layer.is_past) {
        layer.cursor->next();
    } else {
        while (layer.is_valid() && layer.key() == passed)
            layer.cursor->next();
    }
    if (!layer.is_done) settle(layer);
}

void LayeredCursor::enter(Layer& layer) {
    if (!layer.is_past || is_forward() || range_.end.empty() || !layer.cursor->is_valid()) return;
    if (layer.key() >= range_.end) layer.cursor->seek(key_below(layer.prefix, range_.end));
}

void LayeredCursor::seek(Layer& layer, std::string_view key) {
    std::string wanted = key_below(layer.prefix, key);
    if (!layer.is_past || is_forward()) {
        layer.cursor->seek(wanted);
        while (is_forward() && layer.cursor->is_valid() && layer.key() < key)
            layer.cursor->next();
    } else {
        // Behind all births of the key. Where it is no key but what several begin with, that is
        // too far.
        layer.cursor->seek(wanted + kHighest);
        if (layer.cursor->is_valid() && layer.key() > key) layer.cursor->seek(wanted);
        enter(layer);
    }
    settle(layer);
}

LayeredCursor::LayeredCursor(const ViewReader& shows, sdk::KeyRange range,
                             sdk::ScanDirection direction)
    : shows_(shows), range_(std::move(range)), direction_(direction) {
    for (std::size_t rank = 0; rank < shows_.view().links.size(); ++rank)
        open(rank);
    find();
}

void LayeredCursor::open(std::size_t rank) {
    const std::string_view kind = kind_of(range_);
    auto layers = kind.empty() ? shows_.all_layers(rank) : shows_.layers(rank, kind);
    if (!layers) {
        status_ = layers.error();
        return;
    }
    const Link& link = shows_.view().links[rank];
    if (layers->has_present) open(shows_.space().present(link.line), rank, false);
    for (int level = kLowestLevel; level <= layers->highest_level; ++level)
        open(shows_.space().past(link.line, level, link.bound >> level), rank, true);
}

void LayeredCursor::open(const std::string& prefix, std::size_t rank, bool is_past) {
    Layer layer;
    std::string end = range_.end.empty() ? sdk::prefix_end(prefix) : key_below(prefix, range_.end);
    // A key that the end begins with lies before it, with its births.
    if (is_past && !range_.end.empty()) end += kHighest;
    layer.cursor = shows_.below().scan({key_below(prefix, range_.begin), end}, direction_);
    layer.prefix = prefix;
    layer.bound = shows_.view().links[rank].bound;
    layer.rank = rank;
    layer.is_past = is_past;
    enter(layer);
    settle(layer);
    if (auto status = layer.cursor->status(); !status) status_ = status;
    // What has nothing to show in the whole range never will.
    if (layer.is_valid()) layers_.push_back(std::move(layer));
}

bool LayeredCursor::is_before(const Layer& one, const Layer& other) const {
    const int order = one.key().compare(other.key());
    if (order == 0) return one.rank < other.rank;
    return is_forward() ? order < 0 : order > 0;
}

void LayeredCursor::find() {
    is_valid_ = is_record_read_ = false;
    while (status_) {
        const Layer* first = nullptr;
        for (const Layer& layer : layers_) {
            if (!layer.cursor->is_valid()) {
                if (auto status = layer.cursor->status(); !status) status_ = status;
                continue;
            }
            if (layer.is_done) continue;
            if (!first || is_before(layer, *first)) first = &layer;
        }
        if (!status_ || !first) return;
        key_ = first->key();
        const std::string_view value = first->cursor->value();
        if (value.size() < kHeadBytes) {
            status_ = entry_broken();
            return;
        }
        if (value[kNumberBytes] == kPresent) {
            value_ = value.substr(kHeadBytes);
            is_valid_ = true;
            return;
        }
        for (Layer& layer : layers_)
            pass(layer, key_);
    }
}

void LayeredCursor::next() {
    for (Layer& layer : layers_)
        pass(layer, key_);
    find();
}

void LayeredCursor::seek(std::string_view key) {
    for (Layer& layer : layers_)
        seek(layer, key);
    find();
}

std::string_view LayeredCursor::value() const {
    if (shows_.space().keeping(key_) != Keeping::record) return value_;
    if (!is_record_read_) {
        is_record_read_ = true;
        record_.clear();
        auto found = shows_.find_version(key_, record_);
        if (!found) {
            status_ = found.error();
        } else if (!*found) {
            status_ = entry_broken();
        }
    }
    return record_;
}

sdk::Result<std::optional<std::string>> ViewReader::get(std::string_view key) const {
    std::string value;
    auto found = get_into(key, value);
    if (!found) return found.error();
    if (!*found) return std::optional<std::string>();
    return std::optional<std::string>(std::move(value));
}

sdk::Result<bool> ViewReader::get_into(std::string_view key, std::string& value) const {
    switch (space_.keeping(key)) {
        case Keeping::record: {
            auto version = find_version(key, value);
            if (!version) return version.error();
            return version->has_value();
        }
        case Keeping::count:
            return get_count(key, value);
        case Keeping::entry:
            return get_entry(key, value);
        case Keeping::plain:
            break;
    }
    return below_.get_into(key, value);
}

sdk::Result<std::optional<std::string>> ViewReader::peek(std::string_view key) const {
    const Keeping keeping = space_.keeping(key);
    if (keeping == Keeping::plain) return below_.peek(key);
    const Link& nearest = view_.links.front();
    if (keeping != Keeping::count || !nearest.is_tip()) return get(key);
    auto found = below_.peek(space_.count(nearest.line).append(key));
    if (found && *found && sdk::read_counter(**found) == 0) return std::optional<std::string>();
    return found;
}

sdk::Result<bool> ViewReader::get_count(std::string_view key, std::string& value) const {
    const Link& nearest = view_.links.front();
    if (nearest.is_tip()) {
        auto found = below_.get_into(space_.count(nearest.line).append(key), value);
        if (!found || !*found) return found;
        return sdk::read_counter(value) != 0;
    }
    auto counts = counts_at(below_, space_, nearest, view_.newest);
    if (!counts) return counts.error();
    const auto known = (*counts)->find(key);
    if (known == (*counts)->end()) return false;
    value = sdk::counter_bytes(known->second);
    return true;
}

std::unique_ptr<sdk::Cursor> ViewReader::scan_counts(const sdk::KeyRange& range,
                                                     sdk::ScanDirection direction) const {
    const Link& link = view_.links.front();
    ListCursor::Entries entries;
    if (link.is_tip()) {
        const auto counts = tip_counts(below_, space_, link.line, range);
        if (!counts) return std::make_unique<ListCursor>(counts.error());
        for (const auto& [key, count] : *counts)
            entries.emplace_back(key, sdk::counter_bytes(count));
        return std::make_unique<ListCursor>(std::move(entries), direction);
    }
    auto counts = counts_at(below_, space_, link, view_.newest);
    if (!counts) return std::make_unique<ListCursor>(counts.error());
    const auto end = range.end.empty() ? (*counts)->end() : (*counts)->lower_bound(range.end);
    for (auto at = (*counts)->lower_bound(range.begin); at != end; ++at)
        entries.emplace_back(at->first, sdk::counter_bytes(at->second));
    return std::make_unique<ListCursor>(std::move(entries), direction);
}

ViewReader::Layers ViewReader::all_layers(std::size_t rank) const {
    if (view_.links[rank].is_tip()) return {};
    return {true, highest_level(view_.newest)};
}

sdk::Result<ViewReader::Layers> ViewReader::layers(std::size_t rank, std::string_view key) const {
    const Link& link = view_.links[rank];
    // Others may still write to it, so whoever writes must note that it was looked at.
    if (link.bound > view_.newest) return all_layers(rank);
    std::string row = space_.kind(link.line, key);
    auto known = kinds_.find(row);
    // A transaction that writes may end entries itself.
    if (known == kinds_.end() || !shows_only_commits(below_)) {
        auto kind = find_kind(below_, row);
        if (!kind) return kind.error();
        known = kinds_.insert_or_assign(std::move(row), *kind).first;
    }
    const std::optional<KindNote>& kind = known->second;
    if (!kind || link.bound < kind->first) return Layers{false, kNoLevel};
    if (kind->last_ended <= link.bound) return Layers{};
    return Layers{true, highest_level(std::min(kind->last_ended, view_.newest))};
}

sdk::Result<bool> ViewReader::find_ended(const Link& link, int highest_level, std::string_view key,
                                         std::string& value) const {
    for (int level = kLowestLevel; level <= highest_level; ++level) {
        const std::string births = space_.past(link.line, level, link.bound >> level).append(key);
        std::string end = births;
        append_number(end, link.bound + 1);
        // One entry of a key ends before the next is born, so only the last one may show.
        const auto cursor = below_.scan({births, end}, sdk::ScanDirection::backward);
        if (auto status = cursor->status(); !status) return status.error();
        if (!cursor->is_valid()) continue;
        if (cursor->value().size() < kHeadBytes) return entry_broken();
        if (read_number(cursor->value()) <= link.bound) continue;
        value.assign(cursor->value());
        return true;
    }
    return false;
}

sdk::Result<bool> ViewReader::find_stored(std::size_t rank, std::string_view key,
                                          std::string& value) const {
    const auto kept = layers(rank, key);
    if (!kept) return kept.error();
    if (!kept->has_present) return false;
    const Link& link = view_.links[rank];
    auto found = below_.get_into(space_.present(link.line).append(key), value);
    if (!found) return found;
    if (*found) {
        if (value.size() < kHeadBytes) return entry_broken();
        if (link.is_tip() || read_number(value) <= link.bound) return true;
    }
    return find_ended(link, kept->highest_level, key, value);
}

sdk::Result<bool> ViewReader::get_entry(std::string_view key, std::string& value) const {
    for (std::size_t rank = 0; rank < view_.links.size(); ++rank) {
        auto found = find_stored(rank, key, value);
        if (!found) return found;
        if (!*found) continue;
        const bool is_present = value[kNumberBytes] == kPresent;
        value.erase(0, kHeadBytes);
        return is_present;
    }
    return false;
}

sdk::Result<bool> ViewReader::contains(std::string_view record_key) const {
    // Every record is an entry, too: where a list of records finds it.
    std::string value;
    return get_entry(record_key, value);
}

std::unique_ptr<sdk::Cursor> ViewReader::scan(sdk::KeyRange range,
                                              sdk::ScanDirection direction) const {
    const Keeping keeping = space_.keeping(range.begin);
    if (keeping == Keeping::plain) return below_.scan(std::move(range), direction);
    if (keeping == Keeping::count) return scan_counts(range, direction);
    return std::make_unique<LayeredCursor>(*this, std::move(range), direction);
}

sdk::KeyRange ViewReader::versions(std::string_view key) const {
    const Link& nearest = view_.links.front();
    return {space_.record(key, nearest.line, nearest.bound), sdk::prefix_end(space_.record(key))};
}

sdk::Result<std::optional<ViewReader::Version>> ViewReader::find_version(
    std::string_view key, std::string& record) const {
    const std::string all = space_.record(key);
    const auto cursor = below_.scan(versions(key), sdk::ScanDirection::forward);
    for (std::size_t rank = 0; rank < view_.links.size(); ++rank) {
        const Link& link = view_.links[rank];
        if (rank > 0 && cursor->is_valid()) {
            const std::string wanted = space_.record(key, link.line, link.bound);
            if (cursor->key() < wanted) cursor->seek(wanted);
        }
        if (auto status = cursor->status(); !status) return status.error();
        if (!cursor->is_valid()) break;
        const std::string_view version = cursor->key().substr(all.size());
        if (version.size() != 2 * kNumberBytes || cursor->value().empty()) return entry_broken();
        Version found{~read_number(version), ~read_number(version.substr(kNumberBytes))};
        if (found.line != link.line) continue;
        found.in_row = found.revision;
        if (found.revision == kLoadedRevision) found.revision = link.loaded;
        if (cursor->value().front() == kRemoved) break;
        record.assign(cursor->value().substr(1));
        // Bytes that are no record are told by whoever reads them.
        (void)sdk::StoredRecord::unpack(record);
        return std::optional<Version>(found);
    }
    return std::optional<Version>();
}

}  // namespace stele::nodes

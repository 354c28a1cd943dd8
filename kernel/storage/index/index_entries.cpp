#include "kernel/storage/index/index_entries.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <iterator>
#include <optional>

#include <stele/sdk/key_tuple.hpp>

namespace stele::kernel::storage {

namespace {

// First byte behind what all counters of a collection begin with.
constexpr char kFieldCounter = 'x';
constexpr char kShapeCounter = 's';

/// Larger shapes are counted field by field.
constexpr std::size_t kMaxShapeBytes = 512;

constexpr std::string_view kSystem = "_system.";
constexpr std::array<std::string_view, 3> kDeeds = {"created", "modified", "edited"};
constexpr std::array<std::string_view, 4> kDeedMembers = {"_on.ms", "_by", "_by_principal_id",
                                                          "_by_principal_domain_id"};

/// Which deed a member tells of, and what.
struct Deed {
    std::size_t group = 0;
    std::size_t deed = 0;
};

std::optional<Deed> deed_of(std::string_view path) {
    if (!path.starts_with(kSystem)) return std::nullopt;
    path.remove_prefix(kSystem.size());
    for (std::size_t deed = 0; deed < kDeeds.size(); ++deed) {
        if (!path.starts_with(kDeeds[deed])) continue;
        const auto* const member =
            std::find(kDeedMembers.begin(), kDeedMembers.end(), path.substr(kDeeds[deed].size()));
        if (member == kDeedMembers.end()) return std::nullopt;
        return Deed{static_cast<std::size_t>(member - kDeedMembers.begin()), deed};
    }
    return std::nullopt;
}

using DeedSet = unsigned;

constexpr DeedSet only(std::size_t deed) {
    return DeedSet{1} << deed;
}

/// The member's own path for one deed. No member has the name of several: it has an empty part.
std::string name_of(std::size_t group, DeedSet deeds) {
    std::string name(kSystem);
    if (!std::has_single_bit(deeds)) name += '.';
    bool is_first = true;
    for (std::size_t deed = 0; deed < kDeeds.size(); ++deed) {
        if ((deeds & only(deed)) == 0) continue;
        if (!is_first) name += '+';
        is_first = false;
        name += kDeeds[deed];
    }
    return name.append(kDeedMembers[group]);
}

std::string counted_part(std::uint64_t field, IndexKind kind) {
    return sdk::KeyWriter().integer(field).tag(static_cast<char>(kind)).key();
}

sdk::KeyWriter content_of(IndexKind kind) {
    sdk::KeyWriter writer;
    writer.tag(static_cast<char>(kind));
    return writer;
}

bool is_plain(const WalkedValue& number) {
    return number.number >= 0 && number.number < kMaxPlainNumber &&
           number.text == plain_text(number.number);
}

void write_over_indexed_change(sdk::Transaction& transaction, CollectionId collection,
                               std::string_view sequence, bool before, bool after) {
    if (before == after) return;
    const std::string key = sdk::KeyWriter(collection_prefix(collection, 'b')).raw(sequence).key();
    if (after) {
        transaction.put(key, {});
    } else {
        transaction.remove(key);
    }
    transaction.add(over_indexed_counter(collection), after ? 1 : -1);
}

void write_counter_changes(sdk::Transaction& transaction, CollectionId collection,
                           const std::vector<std::string>& before,
                           const std::vector<std::string>& after) {
    std::vector<std::string> changed;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                        std::back_inserter(changed));
    for (const std::string& counted : changed)
        transaction.add(counter(collection, counted), -1);
    changed.clear();
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(changed));
    for (const std::string& counted : changed)
        transaction.add(counter(collection, counted), 1);
}

}  // namespace

std::string plain_text(double value) {
    std::array<char, 40> text;
    const auto written =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    // One with more digits has an exponent in JSON.
    return written.ec == std::errc() ? std::string(text.data(), written.ptr) : std::string();
}

std::vector<std::string> shared_names(std::string_view path) {
    std::vector<std::string> names;
    const auto own = deed_of(path);
    if (!own) return names;
    for (DeedSet deeds = 1; deeds < only(kDeeds.size()); ++deeds) {
        if ((deeds & only(own->deed)) != 0 && !std::has_single_bit(deeds))
            names.push_back(name_of(own->group, deeds));
    }
    return names;
}

bool is_of_shape(std::string_view path) {
    if (deed_of(path)) return true;
    // Below these clients have a say: attachments are named by them.
    const std::string_view name = path.starts_with(kSystem) ? path.substr(kSystem.size()) : path;
    return path.starts_with('_') && name.find('.') == std::string_view::npos;
}

std::vector<std::string> sharing_paths() {
    std::vector<std::string> paths;
    for (std::size_t group = 0; group < kDeedMembers.size(); ++group) {
        for (std::size_t deed = 0; deed < kDeeds.size(); ++deed)
            paths.push_back(name_of(group, only(deed)));
    }
    return paths;
}

sdk::Result<void> ImageBuilder::scalar(std::string_view path, const WalkedValue& value) {
    if (image_.is_over_indexed_ || !is_indexable_path(path) || is_covered_by(path, unindexed_))
        return {};
    const bool has_no_place =
        value.type == WalkedValue::Type::number && value.text.size() > kIndexedTextSize;
    if (has_no_place || image_.spans_.size() + shared_.size() >= kMaxEntries) {
        image_.is_over_indexed_ = true;
        return {};
    }
    const auto field = number_(path);
    if (!field) return field.error();
    const bool is_direct = value.is_direct;
    const bool shares = form_ == EntryForm::shared;
    std::string content;
    switch (value.type) {
        case WalkedValue::Type::text:
            if (value.text.size() <= kIndexedTextSize) {
                content = content_of(is_direct ? IndexKind::text : IndexKind::item)
                              .text(value.text)
                              .key();
                if (is_direct) count(path, *field, IndexKind::text);
            } else if (shares) {
                content = content_of(is_direct ? IndexKind::cut_text : IndexKind::cut_item)
                              .text(cut_text(value.text))
                              .key();
            } else {
                content = content_of(is_direct ? IndexKind::long_text : IndexKind::long_item)
                              .text(indexed_text(value.text))
                              .key();
            }
            break;
        case WalkedValue::Type::number: {
            const bool has_text_entry = is_direct && !(shares && is_plain(value));
            const IndexKind direct = has_text_entry ? IndexKind::number : IndexKind::plain_number;
            content =
                content_of(is_direct ? direct : IndexKind::number_item).real(value.number).key();
            if (is_direct) count(path, *field, IndexKind::number);
            if (has_text_entry)
                add(*field, content_of(IndexKind::number_text).text(value.text).key());
            break;
        }
        case WalkedValue::Type::boolean:
            content = content_of(is_direct ? IndexKind::flag : IndexKind::flag_item)
                          .text(value.text)
                          .key();
            if (is_direct) count(path, *field, IndexKind::flag);
            break;
    }
    const auto deed = shares && is_direct ? deed_of(path) : std::nullopt;
    if (deed) {
        shared_.push_back({deed->group, deed->deed, std::move(content)});
    } else {
        add(*field, content);
    }
    return {};
}

void ImageBuilder::count(std::string_view path, std::uint64_t field, IndexKind kind) {
    std::string part = counted_part(field, kind);
    if (form_ == EntryForm::shared && is_of_shape(path)) {
        shape_.push_back(std::move(part));
    } else {
        image_.counted_.push_back(kFieldCounter + part);
    }
}

void ImageBuilder::add(std::uint64_t field, std::string_view content) {
    const std::string number = sdk::KeyWriter().integer(field).key();
    image_.spans_.push_back({static_cast<std::uint32_t>(image_.bytes_.size()),
                             static_cast<std::uint32_t>(number.size() + content.size())});
    image_.bytes_.append(number).append(content);
}

/// An entry for all deeds of a member that say the same.
sdk::Result<void> ImageBuilder::add_shared() {
    for (auto one = shared_.begin(); one != shared_.end(); ++one) {
        if (one->content.empty()) continue;
        DeedSet deeds = only(one->deed);
        for (auto other = one + 1; other != shared_.end(); ++other) {
            if (other->group != one->group || other->content != one->content) continue;
            deeds |= only(other->deed);
            other->content.clear();
        }
        const auto field = number_(name_of(one->group, deeds));
        if (!field) return field.error();
        add(*field, one->content);
    }
    return {};
}

void ImageBuilder::sort_entries() {
    auto& spans = image_.spans_;
    const std::string_view bytes = image_.bytes_;
    const auto entry = [bytes](const RecordImage::Span& span) {
        return bytes.substr(span.begin, span.size);
    };
    std::sort(spans.begin(), spans.end(),
              [&](const auto& a, const auto& b) { return entry(a) < entry(b); });
    spans.erase(std::unique(spans.begin(), spans.end(),
                            [&](const auto& a, const auto& b) { return entry(a) == entry(b); }),
                spans.end());
}

void ImageBuilder::sort_counted() {
    std::sort(shape_.begin(), shape_.end());
    std::string shape(1, kShapeCounter);
    for (const std::string& part : shape_)
        shape += part;
    auto& counted = image_.counted_;
    if (shape.size() > kMaxShapeBytes) {
        for (const std::string& part : shape_)
            counted.push_back(kFieldCounter + part);
    } else if (!shape_.empty()) {
        counted.push_back(std::move(shape));
    }
    std::sort(counted.begin(), counted.end());
    counted.erase(std::unique(counted.begin(), counted.end()), counted.end());
}

sdk::Result<RecordImage> ImageBuilder::take() {
    if (image_.is_over_indexed_) {
        image_.spans_.clear();
        image_.counted_.clear();
        return std::move(image_);
    }
    if (auto added = add_shared(); !added) return added.error();
    sort_entries();
    sort_counted();
    return std::move(image_);
}

sdk::Result<RecordImage> image_of(const Record& record, EntryForm form,
                                  const ImageBuilder::FieldNumber& number,
                                  const std::vector<std::string>& unindexed) {
    ImageBuilder entries(number, unindexed, form);
    if (auto walked = walk_values(record.text(), {&entries}); !walked) return walked.error();
    return entries.take();
}

std::string field_prefix(CollectionId collection, std::uint64_t field) {
    return sdk::KeyWriter(collection_prefix(collection, 'x')).integer(field).key();
}

std::string_view indexed_text(std::string_view text) {
    return text.substr(0, kIndexedTextSize);
}

std::string_view cut_text(std::string_view text) {
    return text.substr(0, kCutTextSize);
}

std::string record_counter(CollectionId collection) {
    return collection_prefix(collection, 'k');
}

std::string over_indexed_counter(CollectionId collection) {
    return sdk::KeyWriter(collection_prefix(collection, 'k')).tag('b').key();
}

std::string counter(CollectionId collection, std::string_view counted) {
    return collection_prefix(collection, 'k').append(counted);
}

std::string field_counter(CollectionId collection, std::uint64_t field, IndexKind kind) {
    return field_counters(collection) + counted_part(field, kind);
}

std::string field_counters(CollectionId collection) {
    return collection_prefix(collection, 'k') + kFieldCounter;
}

std::string shape_counters(CollectionId collection) {
    return collection_prefix(collection, 'k') + kShapeCounter;
}

bool is_in_shape(std::string_view shape, std::uint64_t field, IndexKind kind) {
    sdk::KeyReader reader(shape);
    while (const auto number = reader.integer()) {
        const auto of_kind = reader.tag();
        if (*number == field && of_kind == static_cast<char>(kind)) return true;
    }
    return false;
}

std::string shape_without(std::string_view shape, std::uint64_t field) {
    std::string rest;
    sdk::KeyReader reader(shape);
    while (const auto number = reader.integer()) {
        const auto kind = reader.tag();
        if (kind && *number != field) rest += counted_part(*number, static_cast<IndexKind>(*kind));
    }
    return rest;
}

namespace {

/// Some transactions look at an entry before they write it.
void expect_index_changes(sdk::Transaction& transaction, const std::string& prefix,
                          std::string_view sequence, const RecordImage& before,
                          const RecordImage& after) {
    std::vector<std::string> keys;
    const auto add = [&](std::string_view entry) {
        keys.push_back(prefix);
        keys.back().append(entry).append(sequence);
    };
    for (std::size_t i = 0, j = 0; i < before.size() || j < after.size();) {
        const bool has_both = i < before.size() && j < after.size();
        if (has_both && before[i] == after[j]) {
            ++i;
            ++j;
        } else if (j == after.size() || (has_both && before[i] < after[j])) {
            add(before[i++]);
        } else {
            add(after[j++]);
        }
    }
    transaction.expect_writes(keys);
}

}  // namespace

void write_index_changes(sdk::Transaction& transaction, CollectionId collection,
                         std::string_view sequence, const RecordImage& before,
                         const RecordImage& after) {
    const std::string prefix = collection_prefix(collection, 'x');
    if (transaction.is_distant() && before.size() > 0)
        expect_index_changes(transaction, prefix, sequence, before, after);
    std::string key;
    const auto key_of = [&](std::string_view entry) -> const std::string& {
        key.assign(prefix).append(entry).append(sequence);
        return key;
    };
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < before.size() || j < after.size()) {
        const bool has_both = i < before.size() && j < after.size();
        if (has_both && before[i] == after[j]) {
            ++i;
            ++j;
        } else if (j == after.size() || (has_both && before[i] < after[j])) {
            transaction.remove(key_of(before[i++]));
        } else {
            transaction.put(key_of(after[j++]), {});
        }
    }
    write_counter_changes(transaction, collection, before.counted(), after.counted());
    write_over_indexed_change(transaction, collection, sequence, before.is_over_indexed(),
                              after.is_over_indexed());
}

}  // namespace stele::kernel::storage

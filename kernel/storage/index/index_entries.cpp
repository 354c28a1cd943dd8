#include "kernel/storage/index/index_entries.hpp"

#include <algorithm>

#include <stele/sdk/key_tuple.hpp>

namespace stele::kernel::storage {

namespace {

sdk::KeyWriter entry_of(std::uint64_t field, IndexKind kind) {
    sdk::KeyWriter writer;
    writer.integer(field).tag(static_cast<char>(kind));
    return writer;
}

/// Adds up changes of counters whose entries come sorted, so that equal ones stand together.
class CounterChanges {
public:
    CounterChanges(sdk::Transaction& transaction, CollectionId collection)
        : transaction_(transaction), collection_(collection) {}
    ~CounterChanges() { flush(); }
    CounterChanges(const CounterChanges&) = delete;
    CounterChanges& operator=(const CounterChanges&) = delete;

    void add(std::string_view entry, std::int64_t delta) {
        const std::string_view part = counted_part(entry);
        if (part.empty()) return;
        if (part != part_) {
            flush();
            part_.assign(part);
        }
        delta_ += delta;
    }

private:
    void flush() {
        if (delta_ != 0) transaction_.add(field_counter(collection_, part_), delta_);
        delta_ = 0;
    }

    sdk::Transaction& transaction_;
    CollectionId collection_;
    std::string part_;
    std::int64_t delta_ = 0;
};

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

}  // namespace

sdk::Result<void> ImageBuilder::scalar(std::string_view path, const WalkedValue& value) {
    if (image_.is_over_indexed_ || !is_indexable_path(path) || is_covered_by(path, unindexed_))
        return {};
    const bool has_no_place =
        value.type == WalkedValue::Type::number && value.text.size() > kIndexedTextSize;
    if (has_no_place || image_.spans_.size() >= kMaxEntries) {
        image_.is_over_indexed_ = true;
        return {};
    }
    const auto field = number_(path);
    if (!field) return field.error();
    switch (value.type) {
        case WalkedValue::Type::text:
            add_text(*field, value);
            break;
        case WalkedValue::Type::number:
            add_number(*field, value);
            break;
        case WalkedValue::Type::boolean:
            add(entry_of(*field, value.is_direct ? IndexKind::flag : IndexKind::flag_item)
                    .text(value.text)
                    .key());
            break;
    }
    return {};
}

void ImageBuilder::add_text(std::uint64_t field, const WalkedValue& value) {
    const bool is_long = value.text.size() > kIndexedTextSize;
    const IndexKind direct = is_long ? IndexKind::long_text : IndexKind::text;
    const IndexKind item = is_long ? IndexKind::long_item : IndexKind::item;
    add(entry_of(field, value.is_direct ? direct : item).text(indexed_text(value.text)).key());
}

void ImageBuilder::add_number(std::uint64_t field, const WalkedValue& value) {
    const IndexKind kind = value.is_direct ? IndexKind::number : IndexKind::number_item;
    add(entry_of(field, kind).real(value.number).key());
    if (value.is_direct) add(entry_of(field, IndexKind::number_text).text(value.text).key());
}

void ImageBuilder::add(std::string_view entry) {
    image_.spans_.push_back({static_cast<std::uint32_t>(image_.bytes_.size()),
                             static_cast<std::uint32_t>(entry.size())});
    image_.bytes_.append(entry);
}

RecordImage ImageBuilder::take() {
    auto& spans = image_.spans_;
    if (image_.is_over_indexed_) spans.clear();
    const std::string_view bytes = image_.bytes_;
    const auto entry = [bytes](const RecordImage::Span& span) {
        return bytes.substr(span.begin, span.size);
    };
    std::sort(spans.begin(), spans.end(),
              [&](const auto& a, const auto& b) { return entry(a) < entry(b); });
    spans.erase(std::unique(spans.begin(), spans.end(),
                            [&](const auto& a, const auto& b) { return entry(a) == entry(b); }),
                spans.end());
    return std::move(image_);
}

std::string field_prefix(CollectionId collection, std::uint64_t field) {
    return sdk::KeyWriter(collection_prefix(collection, 'x')).integer(field).key();
}

std::string index_prefix(CollectionId collection, std::uint64_t field, IndexKind kind) {
    return field_prefix(collection, field) + static_cast<char>(kind);
}

std::string_view indexed_text(std::string_view text) {
    return text.substr(0, kIndexedTextSize);
}

std::string record_counter(CollectionId collection) {
    return collection_prefix(collection, 'k');
}

std::string over_indexed_counter(CollectionId collection) {
    return sdk::KeyWriter(collection_prefix(collection, 'k')).tag('b').key();
}

std::string field_counter(CollectionId collection, std::uint64_t field, IndexKind kind) {
    return field_counter(collection, entry_of(field, kind).key());
}

std::string_view counted_part(std::string_view entry) {
    sdk::KeyReader reader(entry);
    if (!reader.integer()) return {};
    const auto kind = reader.tag();
    if (!kind) return {};
    switch (static_cast<IndexKind>(*kind)) {
        case IndexKind::text:
        case IndexKind::number:
        case IndexKind::flag:
            return entry.substr(0, entry.size() - reader.rest().size());
        default:
            return {};
    }
}

std::string field_counter(CollectionId collection, std::string_view counted_part) {
    return sdk::KeyWriter(collection_prefix(collection, 'k')).tag('x').raw(counted_part).key();
}

void write_index_changes(sdk::Transaction& transaction, CollectionId collection,
                         std::string_view sequence, const RecordImage& before,
                         const RecordImage& after) {
    const std::string prefix = collection_prefix(collection, 'x');
    std::string key;
    const auto key_of = [&](std::string_view entry) -> const std::string& {
        key.assign(prefix).append(entry).append(sequence);
        return key;
    };
    CounterChanges counters(transaction, collection);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < before.size() || j < after.size()) {
        const bool has_both = i < before.size() && j < after.size();
        if (has_both && before[i] == after[j]) {
            ++i;
            ++j;
        } else if (j == after.size() || (has_both && before[i] < after[j])) {
            transaction.remove(key_of(before[i]));
            counters.add(before[i++], -1);
        } else {
            transaction.put(key_of(after[j]), {});
            counters.add(after[j++], 1);
        }
    }
    write_over_indexed_change(transaction, collection, sequence, before.is_over_indexed(),
                              after.is_over_indexed());
}

}  // namespace stele::kernel::storage

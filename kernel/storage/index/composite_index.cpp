#include "kernel/storage/index/composite_index.hpp"

#include <algorithm>
#include <cmath>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/index/index_entries.hpp"

namespace stele::kernel::storage {

namespace {

/// Equality prefixes of one record in one index.
constexpr std::size_t kMaxCombinations = 64;

// First byte behind the index number: entries proper, and records with too many values.
constexpr char kEntries = 'e';
constexpr char kOverflow = 'm';

std::string order_element(const CompositeIndexState& index, const FieldValues::Field* field) {
    const auto only = [](OrderClass order) { return std::string(1, static_cast<char>(order)); };
    if (field->is_structure || field->is_many) return only(OrderClass::irregular);
    if (field->values.empty()) return only(OrderClass::absent);
    const FieldValues::Value& value = field->values.front();
    sdk::KeyWriter writer;
    writer.tag(static_cast<char>(OrderClass::value));
    if (index.is_numeric) {
        const bool has_place =
            value.type == WalkedValue::Type::number && std::abs(value.number) < kExactIntegers;
        if (!has_place) return only(OrderClass::irregular);
        return writer.real(value.number).key();
    }
    if (value.text.size() > kIndexedTextSize) return only(OrderClass::irregular);
    return writer.text(value.text).key();
}

std::vector<std::string> combine(const std::vector<std::string>& heads,
                                 const std::vector<std::string>& tails) {
    std::vector<std::string> combined;
    combined.reserve(heads.size() * tails.size());
    for (const std::string& head : heads) {
        for (const std::string& tail : tails)
            combined.push_back(head + tail);
    }
    return combined;
}

}  // namespace

const CompositeIndexState* IndexState::find(const std::vector<std::string>& fields,
                                            bool numeric) const {
    const auto found = std::find_if(
        composites.begin(), composites.end(),
        [&](const CompositeIndexState& index) { return index.is_same(fields, numeric); });
    return found == composites.end() ? nullptr : &*found;
}

void IndexState::leave_out(const std::vector<std::string>& fields) {
    for (const std::string& name : fields) {
        if (std::find(unindexed.begin(), unindexed.end(), name) == unindexed.end())
            unindexed.push_back(name);
    }
}

std::uint64_t IndexState::next_number() const {
    std::uint64_t number = 1;
    for (const CompositeIndexState& index : composites) {
        number = std::max(number, index.number + 1);
    }
    return number;
}

std::string index_state_key(CollectionId collection) {
    return collection_prefix(collection, 'i');
}

void FieldValues::watch(std::string_view path) {
    if (find(path) == nullptr) fields_.push_back({std::string(path), {}, false, false});
}

const FieldValues::Field* FieldValues::find(std::string_view path) const {
    const auto found = std::find_if(fields_.begin(), fields_.end(),
                                    [path](const Field& field) { return field.path == path; });
    return found == fields_.end() ? nullptr : &*found;
}

sdk::Result<void> FieldValues::scalar(std::string_view path, const WalkedValue& value) {
    for (Field& field : fields_) {
        if (field.path != path) continue;
        field.values.push_back({value.type, std::string(value.text), value.number});
        if (!value.is_direct) field.is_many = true;
        break;
    }
    return {};
}

void FieldValues::structure(std::string_view path, bool is_array, bool) {
    for (Field& field : fields_) {
        if (field.path == path) field.is_structure = true;
        const bool is_on_the_way = is_array && field.path.starts_with(path) &&
                                   field.path.size() > path.size() &&
                                   field.path[path.size()] == '.';
        if (is_on_the_way) field.is_many = true;
    }
}

std::string equality_element(const FieldValues::Value& value) {
    switch (value.type) {
        case WalkedValue::Type::text:
            return equality_element(std::string_view(value.text));
        case WalkedValue::Type::number:
            return equality_element(value.number);
        case WalkedValue::Type::boolean:
            return equality_element(value.text == "true");
    }
    return {};
}

std::string equality_element(std::string_view text) {
    if (text.size() > kIndexedTextSize) return {};
    return sdk::KeyWriter().tag('t').text(text).key();
}

std::string equality_element(double number) {
    return sdk::KeyWriter().tag('n').real(number).key();
}

std::string equality_element(bool flag) {
    return flag ? "f1" : "f0";
}

std::vector<std::string> equality_elements(const FieldValues::Field& field) {
    std::vector<std::string> elements;
    for (const FieldValues::Value& value : field.values) {
        std::string element = equality_element(value);
        if (!element.empty()) elements.push_back(std::move(element));
    }
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    return elements;
}

std::string composite_prefix(CollectionId collection, std::uint64_t number) {
    return sdk::KeyWriter(collection_prefix(collection, 'y')).integer(number).key();
}

std::string composite_prefix(CollectionId collection, std::uint64_t number,
                             std::string_view equality) {
    return sdk::KeyWriter(composite_prefix(collection, number)).tag(kEntries).raw(equality).key();
}

std::string composite_overflow_prefix(CollectionId collection, std::uint64_t number) {
    return sdk::KeyWriter(composite_prefix(collection, number)).tag(kOverflow).key();
}

std::string composite_counter(CollectionId collection, std::uint64_t number,
                              std::string_view equality) {
    return sdk::KeyWriter(collection_prefix(collection, 'k'))
        .tag('y')
        .integer(number)
        .raw(equality)
        .key();
}

CompositeImage composite_image(const CompositeIndexState& index, const FieldValues& values) {
    CompositeImage image;
    image.equalities.emplace_back();
    for (std::size_t i = 0; i < index.equality_count(); ++i) {
        const auto elements = equality_elements(*values.find(index.fields[i]));
        if (image.equalities.size() * elements.size() > kMaxCombinations) {
            return {.equalities = {}, .order = {}, .overflows = true};
        }
        image.equalities = combine(image.equalities, elements);
    }
    image.order = order_element(index, values.find(index.fields.back()));
    return image;
}

void write_composite_change(sdk::Transaction& transaction, CollectionId collection,
                            const CompositeIndexState& index, std::string_view sequence,
                            const FieldValues* before, const FieldValues* after) {
    const CompositeImage old = before ? composite_image(index, *before) : CompositeImage{};
    const CompositeImage now = after ? composite_image(index, *after) : CompositeImage{};
    const auto has = [](const CompositeImage& image, const std::string& equality) {
        return std::binary_search(image.equalities.begin(), image.equalities.end(), equality);
    };
    const auto key_of = [&](const std::string& equality, const CompositeImage& image) {
        return composite_prefix(collection, index.number, equality)
            .append(image.order)
            .append(sequence);
    };
    for (const std::string& equality : old.equalities) {
        const bool stays = has(now, equality);
        if (!stays) transaction.add(composite_counter(collection, index.number, equality), -1);
        if (!stays || old.order != now.order) transaction.remove(key_of(equality, old));
    }
    for (const std::string& equality : now.equalities) {
        const bool stayed = has(old, equality);
        if (!stayed) transaction.add(composite_counter(collection, index.number, equality), 1);
        if (!stayed || old.order != now.order) transaction.put(key_of(equality, now), {});
    }
    if (old.overflows != now.overflows) {
        const std::string key =
            composite_overflow_prefix(collection, index.number).append(sequence);
        if (now.overflows) {
            transaction.put(key, {});
        } else {
            transaction.remove(key);
        }
    }
}

}  // namespace stele::kernel::storage

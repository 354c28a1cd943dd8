#include "tests/documents/document_model.hpp"

#include <algorithm>

#include "kernel/pagination/sort_order.hpp"
#include "tests/support/naive_query.hpp"

namespace stele::tests {

using namespace kernel::storage;

namespace {

DocumentModel::Entry entry_of(const Sequence& sequence, std::string_view text) {
    std::string padded(text);
    padded.append(Record::kPadding, '\0');
    return {sequence, std::move(padded), text.size(), sdk::parse_json(text).value()};
}

bool is_visible(const DocumentModel::Entry& entry, const Visibility& visibility) {
    if (visibility.is_everything) return true;
    if (visibility.only) {
        return std::find(visibility.only->begin(), visibility.only->end(), entry.sequence) !=
               visibility.only->end();
    }
    Record record;
    record.sequence = entry.sequence;
    return visibility.accepts(record).value();
}

}  // namespace

void DocumentModel::insert(const Sequence& sequence, std::string_view text) {
    entries_.push_back(entry_of(sequence, text));
}

void DocumentModel::replace(std::size_t place, std::string_view text) {
    entries_[place] = entry_of(entries_[place].sequence, text);
}

void DocumentModel::erase(std::size_t place) {
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(place));
}

DocumentModel::Page DocumentModel::query(const sdk::Json& query, const sdk::PageRequest& page,
                                         const Visibility& visibility, bool numeric_sort) const {
    auto order = kernel::pagination::SortOrder::make(page.sort, page.options, numeric_sort).value();
    std::vector<std::pair<std::string, const Entry*>> matches;
    for (const Entry& entry : entries_) {
        if (!is_visible(entry, visibility) || !testing::naive_matches(query, entry.document))
            continue;
        std::string key;
        if (!page.sort.empty()) order.key_of(entry.view(), key);
        matches.emplace_back(std::move(key), &entry);
    }
    std::stable_sort(matches.begin(), matches.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Page result;
    result.total = matches.size();
    for (std::size_t i = page.skip; i < matches.size(); ++i) {
        if (page.limit >= 0 && result.rows.size() == static_cast<std::size_t>(page.limit)) break;
        result.rows.push_back(matches[i].second->sequence);
    }
    return result;
}

}  // namespace stele::tests

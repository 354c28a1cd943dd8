#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/storage/document/document_store.hpp"

namespace stele::tests {

/// What a document store should hold, and the plain way to answer a query: look at every record,
/// order the matches, cut the page out.
class DocumentModel {
public:
    struct Entry {
        kernel::storage::Sequence sequence;
        std::string text;  ///< with the padding that a query needs
        std::size_t size;
        sdk::Json document;

        std::string_view view() const { return std::string_view(text).substr(0, size); }
    };

    struct Page {
        std::vector<kernel::storage::Sequence> rows;
        std::uint64_t total = 0;
    };

    std::vector<Entry>& entries() { return entries_; }
    const std::vector<Entry>& entries() const { return entries_; }

    void insert(const kernel::storage::Sequence& sequence, std::string_view text);
    void replace(std::size_t place, std::string_view text);
    void erase(std::size_t place);

    Page query(const sdk::Json& query, const sdk::PageRequest& page,
               const kernel::storage::Visibility& visibility, bool numeric_sort) const;

private:
    std::vector<Entry> entries_;
};

}  // namespace stele::tests

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/page.hpp>
#include <stele/sdk/result.hpp>

namespace stele::kernel::pagination {

class ScannedText;

/// The order that a `sort` and its options ask for, as bytes: the keys of two records compare with
/// `memcmp` as the records should be ordered (descending fields are turned over inside the key).
/// Ties are broken by what the caller appends, usually the creation sequence.
///
/// Values count as strings, numbers as their JSON text, unless `numeric` (the setting
/// `pagination.sort_numbers`) asks for numbers by value; a missing field or null sorts lowest;
/// arrays and objects by their JSON text. With a locale, strings follow ICU's collation: case is
/// ignored when only the locale is given; a variant is written `de@collation=phonebook`; an unknown
/// locale falls back to its language, then to the root collation, never to an error.
class SortOrder {
public:
    static sdk::Result<SortOrder> make(const std::vector<sdk::SortKey>& sort,
                                       const sdk::SortOptions& options, bool numeric);

    SortOrder(SortOrder&&) noexcept;
    SortOrder& operator=(SortOrder&&) noexcept;
    ~SortOrder();

    /// Writes the key of a record's text into `key`. `text` must have
    /// `storage::Record::kPadding` readable bytes behind it. One thread at a time.
    void key_of(std::string_view text, std::string& key);
    void key_of(ScannedText& text, std::string& key);

    bool is_empty() const;

private:
    struct State;
    explicit SortOrder(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace stele::kernel::pagination

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace stele::storage_postgres {

/// The parameters of one statement, in PostgreSQL's binary form. Texts are borrowed until the
/// statement was sent; arrays are copied.
class Parameters {
public:
    Parameters() = default;
    Parameters(const Parameters&) = delete;  // points into itself
    Parameters& operator=(const Parameters&) = delete;

    Parameters& bytes(std::string_view value);
    Parameters& integer(std::int64_t value);
    Parameters& bytes_array(const std::vector<std::string_view>& values);

    int count() const { return static_cast<int>(values_.size()); }
    const char* const* values() const { return values_.data(); }
    const int* lengths() const { return lengths_.data(); }
    const int* formats() const { return formats_.data(); }

private:
    Parameters& add(std::string_view value);

    std::vector<const char*> values_;
    std::vector<int> lengths_;
    std::vector<int> formats_;
    std::deque<std::string> kept_;
};

}  // namespace stele::storage_postgres

#include "parameters.hpp"

namespace stele::storage_postgres {

namespace {

constexpr std::uint32_t kBytea = 17;  // its number in pg_type

template <class Integer>
void append(std::string& bytes, Integer value) {
    for (std::size_t i = sizeof(value); i-- > 0;)
        bytes.push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace

Parameters& Parameters::add(std::string_view value) {
    // A null pointer would be an SQL null, which no statement takes.
    values_.push_back(value.data() == nullptr ? "" : value.data());
    lengths_.push_back(static_cast<int>(value.size()));
    formats_.push_back(1);
    return *this;
}

Parameters& Parameters::bytes(std::string_view value) {
    return add(value);
}

Parameters& Parameters::integer(std::int64_t value) {
    append(kept_.emplace_back(), static_cast<std::uint64_t>(value));
    return add(kept_.back());
}

Parameters& Parameters::bytes_array(const std::vector<std::string_view>& values) {
    std::string& array = kept_.emplace_back();
    const auto size = static_cast<std::uint32_t>(values.size());
    append(array, std::uint32_t{size > 0 ? 1U : 0U});  // dimensions
    append(array, std::uint32_t{0});                   // no nulls
    append(array, kBytea);
    if (size > 0) {
        append(array, size);
        append(array, std::uint32_t{1});  // number of the first element
    }
    for (const std::string_view value : values) {
        append(array, static_cast<std::uint32_t>(value.size()));
        array.append(value);
    }
    return add(array);
}

}  // namespace stele::storage_postgres

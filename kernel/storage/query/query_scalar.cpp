#include "kernel/storage/query/query_scalar.hpp"

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace stele::kernel::storage {

namespace {

template <class T>
int three_way(const T& a, const T& b) {
    return a < b ? -1 : (b < a ? 1 : 0);
}

}  // namespace

Scalar Scalar::of(const sdk::Json& value) {
    Scalar scalar;
    if (value.is_boolean()) {
        scalar.type = Type::boolean;
        scalar.flag = value.get<bool>();
    } else if (value.is_string()) {
        scalar.type = Type::text;
        scalar.text = value.get_ref<const std::string&>();
    } else if (value.is_number()) {
        scalar.type = Type::number;
        if (value.is_number_unsigned()) {
            scalar.number = Number::of(value.get<std::uint64_t>());
        } else if (value.is_number_integer()) {
            scalar.number = Number::of(value.get<std::int64_t>());
        } else {
            scalar.number = Number::of(value.get<double>());
        }
    }
    return scalar;
}

int compare(const Scalar& a, const Scalar& b) {
    if (a.type != b.type) return three_way(a.type, b.type);
    switch (a.type) {
        case Scalar::Type::null:
            return 0;
        case Scalar::Type::boolean:
            return three_way(a.flag, b.flag);
        case Scalar::Type::number:
            return compare(a.number, b.number);
        case Scalar::Type::text:
            return a.text.compare(b.text);
    }
    return 0;
}

bool operand_less(const sdk::Json& a, const sdk::Json& b) {
    if (a.is_structured() || b.is_structured()) return !a.is_structured() && b.is_structured();
    return compare(Scalar::of(a), Scalar::of(b)) < 0;
}

}  // namespace stele::kernel::storage

#pragma once

#include <string_view>

#include <stele/sdk/json.hpp>

#include "kernel/pagination/number.hpp"

namespace stele::kernel::storage {

using pagination::Number;

/// A value that is neither object nor array.
struct Scalar {
    enum class Type { null, boolean, number, text };

    Type type = Type::null;
    bool flag = false;
    Number number;
    std::string_view text;

    /// `value` is no object or array and outlives the scalar.
    static Scalar of(const sdk::Json& value);
};

/// Negative, 0 or positive; the order of types is that of `Scalar::Type`, so check them first.
int compare(const Scalar& a, const Scalar& b);

/// The order of the operands of $in: scalars as `compare` has them, then objects and arrays, which
/// count as equal.
bool operand_less(const sdk::Json& a, const sdk::Json& b);

}  // namespace stele::kernel::storage

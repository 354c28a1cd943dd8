#pragma once

#include <stdexcept>

#include <boost/system/result.hpp>

#include <stele/sdk/error.hpp>

namespace stele::sdk {

/// A value, or the expected failure that stood in its way. C++20 has no `std::expected`; this alias
/// is the only place that knows what stands in for it.
template <class T>
using Result = boost::system::result<T, Error>;

/// Asking a failed result for its value is a programmer's mistake, hence a logic error.
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
    throw std::logic_error("value of a failed result: " + error.code + ": " + error.message);
}

}  // namespace stele::sdk

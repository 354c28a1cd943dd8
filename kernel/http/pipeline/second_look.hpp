#pragma once

#include <string>

#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/resource/operations/routed_call.hpp"
#include "kernel/resource/record/services.hpp"

namespace stele::kernel::http {

/// Bytes that a record names are not there. That is damage, unless the record has changed or gone
/// since it was read, and its bytes with it: whoever meets it looks at the record again, in a
/// transaction of its own.
inline bool is_binary_gone(const sdk::Error& error) {
    return error.code == "blob.unknown";
}

/// A download that looks again before its first byte. `etag` tells the version that is announced.
sdk::Reply::RangeSource look_twice(resource::Services& services,
                                   const resource::RequestInput& input,
                                   sdk::Reply::RangeSource open, const std::string& etag);

}  // namespace stele::kernel::http

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stele/sdk/reply.hpp>

namespace stele::kernel::http {

/// Smaller bodies do not become shorter by what it costs.
constexpr std::size_t kMinCompressed = 1024;

/// Whether a header `Accept-Encoding` allows gzip.
bool accepts_gzip(std::string_view accept_encoding);

/// JSON and text; what is compressed already (images, archives) is not.
bool is_compressible(std::string_view content_type);

/// Writes `text` as one gzip member to `out`; false when zlib has no memory.
bool gzip(std::string_view text, std::string& out);

/// Gives the pieces of `source` as one gzip member.
sdk::BodySource gzip_source(sdk::BodySource source);

}  // namespace stele::kernel::http

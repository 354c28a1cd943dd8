#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace stele::kernel::http {

/// What connections and requests may take (settings `server.*`, docs/reference/http.md).
struct ServerLimits {
    std::size_t header_bytes = 64 * 1024;
    std::size_t body_bytes = 16 * 1024 * 1024;
    std::uint64_t upload_bytes = std::uint64_t{16} * 1024 * 1024 * 1024;  ///< streamed bodies
    std::chrono::milliseconds header_time{15'000};  ///< from the first byte of a request
    std::chrono::milliseconds body_time{120'000};   ///< for the whole body, or 64 KiB of an upload
    /// Bytes a second that uploads arrive with at least, when seen over a body's time; 0: any.
    std::uint64_t upload_rate = 0;
    std::chrono::milliseconds idle_time{75'000};    ///< between requests
    std::chrono::milliseconds write_time{120'000};  ///< without progress of the reader
    std::size_t connections = 4096;
    /// Of one address, or of one network of IPv6; trusted proxies are not counted.
    std::size_t connections_per_address = std::numeric_limits<std::size_t>::max();
    /// Memory for bodies beyond `kSmallBody`, of all connections together and of one client.
    std::size_t body_memory = 256 * 1024 * 1024;
    std::size_t body_memory_per_address = 128 * 1024 * 1024;
    std::chrono::milliseconds body_wait{20'000};  ///< until there is room for a body
};

}  // namespace stele::kernel::http

#include "kernel/http/limit/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "kernel/http/message/server_limits.hpp"

namespace stele::kernel::http {

namespace {

constexpr rlim_t kWanted = 65'536;
/// A fifth of them is for tables of the store, as its engine counts.
constexpr std::size_t kStoreShare = 5;
/// For logs, the search index, workers, and connections that are told to come again.
constexpr std::size_t kKept = 256;
/// A connection may have a file open, too: an upload or a download.
constexpr std::size_t kOfOneConnection = 2;
constexpr std::size_t kFewest = 8;

}  // namespace

void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const rlim_t wanted = std::min(limit.rlim_max, kWanted);
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = wanted;
    // Where it is refused, fewer connections are taken.
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::size_t>::max();
    return static_cast<std::size_t>(limit.rlim_cur);
}

bool fit_connections(ServerLimits& limits, std::size_t descriptors) {
    const std::size_t for_others = descriptors / kStoreShare + kKept;
    const std::size_t left = descriptors > for_others ? descriptors - for_others : 0;
    const std::size_t most = std::max(left / kOfOneConnection, kFewest);
    if (limits.connections <= most) return false;
    // One address keeps its part of them.
    const std::size_t of_one = std::min(limits.connections_per_address, limits.connections);
    const double part = static_cast<double>(of_one) / static_cast<double>(limits.connections);
    limits.connections_per_address =
        std::max<std::size_t>(static_cast<std::size_t>(part * static_cast<double>(most)), 1);
    limits.connections = most;
    return true;
}

}  // namespace stele::kernel::http

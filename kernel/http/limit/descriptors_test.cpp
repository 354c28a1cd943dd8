#include "kernel/http/limit/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>

#include <catch2/catch.hpp>

#include "kernel/http/message/server_limits.hpp"

namespace stele::kernel::http {

TEST_CASE("connections leave descriptors to the store") {
    ServerLimits limits;
    limits.connections = 4096;
    limits.connections_per_address = 2048;
    REQUIRE(fit_connections(limits, 1024));
    // Each may have a file open, a fifth is for tables.
    CHECK(2 * limits.connections + 1024 / 5 < 1024 - 200);
    CHECK(limits.connections >= 100);
    CHECK(limits.connections_per_address == limits.connections / 2);
}

TEST_CASE("connections for which there are descriptors stay as they are set") {
    ServerLimits limits;
    limits.connections = 4096;
    limits.connections_per_address = 10;
    CHECK_FALSE(fit_connections(limits, 65'536));
    CHECK(limits.connections == 4096);
    CHECK(limits.connections_per_address == 10);
}

TEST_CASE("some connections are served with whatever there is") {
    ServerLimits limits;
    REQUIRE(fit_connections(limits, 40));
    CHECK(limits.connections >= 1);
    CHECK(limits.connections_per_address >= 1);
}

TEST_CASE("the limit of descriptors is raised as far as it may be") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit low = before;
    low.rlim_cur = std::min<rlim_t>(before.rlim_max, 512);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
    raise_descriptor_limit();
    CHECK(descriptor_limit() == std::min<rlim_t>(before.rlim_max, 65'536));
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
}

}  // namespace stele::kernel::http

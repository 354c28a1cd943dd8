#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kernel/http/message/server_limits.hpp"

namespace stele::kernel::resource {
class UsageCounter;
}

namespace stele::kernel::http {

class AccessLog;

/// Where a server listens and how it serves.
struct ServerOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;         ///< 0: any free one
    int threads = 0;                   ///< 0: one per core
    std::string tls_certificate_file;  ///< PEM chain; empty: no TLS
    std::string tls_key_file;
    /// How long browsers are to use nothing but TLS; 0: they are not told.
    std::chrono::seconds hsts_time{0};
    /// `Access-Control-Allow-Origin` values; empty: no CORS headers.
    std::vector<std::string> cors_origins;
    /// Addresses of proxies whose `X-Forwarded-For` is believed.
    std::vector<std::string> trusted_proxies;
    /// Null: none. Must outlive the server.
    AccessLog* access_log = nullptr;
    /// Counts what is sent; null: nobody does. Must outlive the server.
    resource::UsageCounter* usage = nullptr;
    /// Where uploads wait for their end; made and emptied at start.
    std::filesystem::path upload_folder;
    /// Bytes of its disk that uploads leave to others.
    std::uint64_t upload_reserve = 0;
    ServerLimits limits;
};

}  // namespace stele::kernel::http

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stele::conformance {

/// A `stele` of its own over a new data folder; both are gone when this ends.
class ServerProcess {
public:
    /// Prepares a store and serves it on a free port. `problem()` tells when that failed.
    ServerProcess(const std::filesystem::path& program,
                  const std::vector<std::filesystem::path>& plugin_folders);
    ~ServerProcess();
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    std::uint16_t port() const { return port_; }
    const std::string& problem() const { return problem_; }

    static constexpr char kAdminPassword[] = "conformance";
    /// base64 of the client's key and secret, `conformance:conformance`.
    static constexpr char kClient[] = "Y29uZm9ybWFuY2U6Y29uZm9ybWFuY2U=";

private:
    bool prepare(const std::filesystem::path& program, std::vector<std::string> arguments);
    void serve(const std::filesystem::path& program, std::vector<std::string> arguments);
    void read_port(int output);

    std::filesystem::path data_;
    pid_t child_ = -1;
    std::uint16_t port_ = 0;
    std::string problem_;
};

}  // namespace stele::conformance

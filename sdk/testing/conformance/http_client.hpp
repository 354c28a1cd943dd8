#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

namespace stele::conformance {

struct Answer {
    int status = 0;
    std::string body;
    sdk::Json json;
    /// The ETag; empty: none.
    std::string tag = {};
};

/// Plain blocking requests to a server on this machine, one connection each. For tests.
class HttpClient {
public:
    explicit HttpClient(std::uint16_t port) : port_(port) {}

    void set_token(std::string token) { token_ = std::move(token); }
    /// Status 0 when the server cannot be reached or answers nonsense.
    Answer ask(const std::string& method, const std::string& path, const std::string& body = {},
               const std::string& content_type = "application/json") const;
    /// A token by password, or empty.
    std::string login(const std::string& basic, const std::string& form) const;

private:
    Answer exchange(const std::string& request) const;

    std::uint16_t port_;
    std::string token_;
};

}  // namespace stele::conformance

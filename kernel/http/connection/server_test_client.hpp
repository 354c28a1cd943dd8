#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace stele::kernel::http {

/// A reply as a test sees it. Header names are in lower case.
struct ClientReply {
    int status = 0;
    std::string reason;
    std::multimap<std::string, std::string> headers;
    std::string body;

    std::string header(const std::string& name) const {
        const auto at = headers.find(name);
        return at == headers.end() ? "(none)" : at->second;
    }
};

/// The body of a reply that is an error, as every error is written.
nlohmann::json error_of(const std::optional<ClientReply>& reply);

/// Blocking connection over a plain socket; what it cannot read within some seconds is missing.
class TestClient {
public:
    explicit TestClient(std::uint16_t port, int receive_buffer = 0);
    TestClient(const TestClient&) = delete;
    TestClient& operator=(const TestClient&) = delete;
    virtual ~TestClient();

    /// False when the peer is gone.
    virtual bool send(std::string_view bytes);
    /// The next reply; nothing when the connection ends before it is complete.
    std::optional<ClientReply> receive(bool has_body = true);
    std::optional<ClientReply> ask(std::string_view bytes) {
        send(bytes);
        return receive();
    }
    /// Everything up to the end of the connection.
    std::string receive_all();
    /// Whether the server has ended the connection, without sending anything more.
    bool is_at_end();
    void end_sending();

protected:
    /// Number of bytes read; 0 at the end, negative after a failure.
    virtual long read_some(char* bytes, std::size_t size);

    int descriptor_ = -1;

private:
    bool fill();
    std::optional<std::string> take_line();
    std::optional<std::string> take(std::size_t size);
    bool take_chunks(std::string& body);

    std::string input_;
};

}  // namespace stele::kernel::http

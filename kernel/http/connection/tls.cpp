#include "kernel/http/connection/tls.hpp"

#include "kernel/http/message/server_beast.hpp"
// The switches above come before Asio.
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <cstring>
#include <utility>

#include "kernel/http/connection/tls_connection.hpp"

namespace stele::kernel::http {

namespace {

namespace ssl = boost::asio::ssl;

/// Application protocols on offer, as OpenSSL wants them: each with its length in front.
constexpr unsigned char kProtocols[] = "\x08http/1.1";

/// Suites of TLS 1.2: keys of one connection only, and authenticated encryption.
constexpr char kForwardSecret[] = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL";

int select_protocol(SSL*, const unsigned char** chosen, unsigned char* length,
                    const unsigned char* offered, unsigned int offered_length, void*) {
    unsigned char* found = nullptr;
    const int outcome = SSL_select_next_proto(&found, length, kProtocols, sizeof(kProtocols) - 1,
                                              offered, offered_length);
    *chosen = found;
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

sdk::Error unusable(const char* what, const std::string& file,
                    const boost::system::error_code& code) {
    return sdk::make_error(
        sdk::ErrorKind::invalid, "http.tls_invalid",
        std::string("the TLS ") + what + " '" + file + "' cannot be used: " + code.message());
}

}  // namespace

sdk::Result<std::shared_ptr<ssl::context>> make_tls_context(const std::string& certificate_file,
                                                            const std::string& key_file) {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    SSL_CTX* const native = context->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_options(
        native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    // What was recorded stays secret when the key gets known later; 1.3 has nothing else.
    if (SSL_CTX_set_cipher_list(native, kForwardSecret) != 1) {
        return sdk::make_error(sdk::ErrorKind::internal, "http.tls_invalid",
                               "OpenSSL has no cipher suite with forward secrecy");
    }
    // Idle connections then hold no record buffers.
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(native, select_protocol, nullptr);
    boost::system::error_code code;
    context->use_certificate_chain_file(certificate_file, code);
    if (code) return unusable("certificate", certificate_file, code);
    context->use_private_key_file(key_file, ssl::context::pem, code);
    if (code) return unusable("key", key_file, code);
    if (SSL_CTX_check_private_key(native) != 1) {
        return sdk::make_error(sdk::ErrorKind::invalid, "http.tls_invalid",
                               "the TLS key '" + key_file +
                                   "' does not belong to the certificate '" + certificate_file +
                                   "'");
    }
    return context;
}

using TlsStream = ssl::stream<TcpSocket>;

template <>
struct TransportTraits<TlsStream> {
    static constexpr bool kNeedsFarewell = true;
    static constexpr bool kSendsFiles = false;

    template <class Handler>
    static void open(TlsStream& stream, Handler handler) {
        stream.async_handshake(ssl::stream_base::server,
                               [handler = std::move(handler)](
                                   const boost::system::error_code& code) { handler(!code); });
    }

    /// The engine cannot be left in the middle of a record: writes always go the long way.
    template <class Buffers>
    static std::optional<std::size_t> write_now(TlsStream&, const Buffers&, bool) {
        return 0;
    }

    template <class Handler>
    static bool end_sending(TlsStream& stream, Handler handler) {
        stream.async_shutdown(
            [handler = std::move(handler)](const boost::system::error_code&) { handler(); });
        return false;
    }
};

std::shared_ptr<Connection> make_tls_connection(std::shared_ptr<ConnectionContext> context,
                                                std::string remote_address, TcpSocket&& socket,
                                                ssl::context& tls) {
    return std::make_shared<StreamConnection<TlsStream>>(
        std::move(context), std::move(remote_address), TlsStream(std::move(socket), tls));
}

}  // namespace stele::kernel::http

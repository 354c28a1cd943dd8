#include "kernel/client/http_client.hpp"

#include "kernel/http/message/server_beast.hpp"
// The switches above come before Asio.
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include <stele/sdk/letter_case.hpp>

#include "kernel/file/posix_file.hpp"

namespace stele::kernel::client {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using Socket = asio::ip::tcp::socket;
using TlsSocket = asio::ssl::stream<Socket>;
using ErrorCode = boost::system::error_code;
using Clock = std::chrono::steady_clock;

/// How often a wait looks whether it must stop.
constexpr std::chrono::milliseconds kPulse{50};
constexpr std::size_t kPieceBytes = 64 * 1024;
constexpr std::uint32_t kHeadBytes = 64 * 1024;
constexpr std::size_t kMostReplyBytes = 64 * 1024 * 1024;

sdk::Error interrupted() {
    return sdk::make_error(sdk::ErrorKind::unavailable, "client.interrupted", "interrupted");
}

/// A wait ends early with one of these.
const ErrorCode kMustStop = asio::error::operation_aborted;
const ErrorCode kIsSilent = asio::error::timed_out;

/// One connection and what is said on it.
template <class Stream>
class Conversation {
public:
    Conversation(asio::io_context& context, Stream& stream, const ClientOptions& options)
        : context_(context), stream_(stream), options_(options) {}

    sdk::Result<void> connect() {
        ErrorCode code;
        asio::ip::tcp::resolver resolver(context_);
        const ServerAddress& server = options_.server;
        const auto found = resolver.resolve(server.host, server.port, code);
        if (code) return unreachable(code);
        code = wait([&](auto handler) {
            asio::async_connect(beast::get_lowest_layer(stream_), found,
                                [handler](ErrorCode outcome, const auto&) { handler(outcome, 0); });
        });
        if (code) return unreachable(code);
        return {};
    }

    sdk::Result<void> shake_hands() {
        const ErrorCode code = wait([&](auto handler) {
            stream_.async_handshake(asio::ssl::stream_base::client,
                                    [handler](ErrorCode outcome) { handler(outcome, 0); });
        });
        if (!code) return {};
        if (SSL_get_verify_result(stream_.native_handle()) == X509_V_OK) return unreachable(code);
        return sdk::make_error(
            sdk::ErrorKind::invalid, "client.certificate_refused",
            "the certificate of " + options_.server.text() + " is not trusted",
            X509_verify_cert_error_string(SSL_get_verify_result(stream_.native_handle())));
    }

    sdk::Result<ClientReply> ask(const ClientRequest& request, const ReplyTaker& taker) {
        auto sent = send(request);
        if (!sent && sent.error().code != "client.broken_off") return sent.error();
        // A server that refuses a body says so and reads no more of it.
        auto reply = receive(taker);
        if (!reply && !sent) return sent.error();
        return reply;
    }

private:
    /// Starts something that waits for the server, and waits for it.
    template <class Start>
    ErrorCode wait(Start start) {
        std::optional<ErrorCode> outcome;
        start([&outcome](ErrorCode code, std::size_t) { outcome = code; });
        const auto end = Clock::now() + options_.silence;
        while (!outcome) {
            context_.restart();
            context_.run_one_for(kPulse);
            if (outcome) break;
            const bool must_stop = options_.must_stop();
            if (!must_stop && Clock::now() < end) continue;
            ErrorCode ignored;  // it is closed either way
            beast::get_lowest_layer(stream_).close(ignored);
            context_.restart();
            context_.run();
            return must_stop ? kMustStop : kIsSilent;
        }
        return *outcome;
    }

    sdk::Error unreachable(const ErrorCode& code) const {
        if (code == kMustStop && options_.must_stop()) return interrupted();
        return sdk::make_error(sdk::ErrorKind::unavailable, "client.unreachable",
                               options_.server.text() + " cannot be reached", code.message());
    }
    sdk::Error broken_off(const ErrorCode& code) const {
        if (code == kMustStop && options_.must_stop()) return interrupted();
        return sdk::make_error(sdk::ErrorKind::unavailable, "client.broken_off",
                               "the connection to " + options_.server.text() + " broke off",
                               code.message());
    }

    sdk::Result<void> write(std::string_view bytes) {
        const ErrorCode code = wait([&](auto handler) {
            asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()), handler);
        });
        if (code) return broken_off(code);
        return {};
    }

    std::string head_of(const ClientRequest& request) const {
        const bool is_file = request.file.descriptor >= 0;
        std::string head = request.method + ' ' + options_.server.path + request.target +
                           " HTTP/1.1\r\nHost: " + options_.server.authority() +
                           "\r\nUser-Agent: stele\r\nAccept: */*\r\nConnection: close\r\n";
        for (const auto& [name, value] : request.headers)
            head += name + ": " + value + "\r\n";
        const std::uint64_t size = is_file ? request.file.size : request.body.size();
        if (is_file || request.method != "GET")
            head += "Content-Length: " + std::to_string(size) + "\r\n";
        return head + "\r\n";
    }

    sdk::Result<void> send(const ClientRequest& request) {
        if (request.file.descriptor < 0) return write(head_of(request) + request.body);
        if (auto written = write(head_of(request)); !written) return written;
        std::string piece(kPieceBytes, '\0');
        for (std::uint64_t offset = 0; offset < request.file.size;) {
            const std::size_t wanted =
                std::min<std::uint64_t>(piece.size(), request.file.size - offset);
            const ssize_t count =
                ::pread(request.file.descriptor, piece.data(), wanted, static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) {
                return sdk::make_error(
                    sdk::ErrorKind::unavailable, "command.file_unreadable",
                    "the file to be uploaded cannot be read",
                    count == 0 ? "it became shorter" : file::system_reason(errno));
            }
            const std::string_view bytes(piece.data(), static_cast<std::size_t>(count));
            if (auto written = write(bytes); !written) return written;
            offset += bytes.size();
            if (request.on_sent) request.on_sent(offset);
        }
        return {};
    }

    using Parser = bhttp::response_parser<bhttp::buffer_body>;

    /// The head of the reply, those of interim replies left out.
    sdk::Result<void> read_head(std::optional<Parser>& parser) {
        do {
            parser.emplace();
            parser->header_limit(kHeadBytes);
            parser->body_limit(boost::none);
            const ErrorCode code = wait([&](auto handler) {
                bhttp::async_read_header(stream_, buffer_, *parser, handler);
            });
            if (code) return broken_off(code);
        } while (parser->get().result_int() < 200);
        return {};
    }

    static ReplyHead head_in(const Parser& parser) {
        ReplyHead head{.status = parser.get().result_int()};
        for (const auto& field : parser.get()) {
            const auto name = field.name_string();
            const auto value = field.value();
            head.headers[sdk::lower_case({name.data(), name.size()})] =
                std::string(value.data(), value.size());
        }
        return head;
    }

    sdk::Result<ClientReply> receive(const ReplyTaker& taker) {
        std::optional<Parser> parser;
        if (auto read = read_head(parser); !read) return read.error();
        ClientReply reply{head_in(*parser), {}};
        const bool is_taken = reply.head.is_success() && taker.take;
        if (is_taken) {
            if (auto begun = taker.begin(reply.head); !begun) return begun.error();
        }
        std::string piece(kPieceBytes, '\0');
        while (!parser->is_done()) {
            auto& body = parser->get().body();
            body.data = piece.data();
            body.size = piece.size();
            body.more = true;
            ErrorCode code = wait(
                [&](auto handler) { bhttp::async_read_some(stream_, buffer_, *parser, handler); });
            if (code == bhttp::error::need_buffer) code = {};
            // What came before a connection broke is good.
            const std::string_view bytes(piece.data(), piece.size() - body.size);
            if (auto taken = keep(reply, bytes, is_taken ? &taker : nullptr); !taken)
                return taken.error();
            if (code) return broken_off(code);
        }
        return reply;
    }

    static sdk::Result<void> keep(ClientReply& reply, std::string_view bytes,
                                  const ReplyTaker* taker) {
        if (bytes.empty()) return {};
        if (taker) return taker->take(bytes);
        if (reply.body.size() + bytes.size() > kMostReplyBytes) {
            return sdk::make_error(sdk::ErrorKind::invalid, "client.reply_unexpected",
                                   "the server sends more than was asked for");
        }
        reply.body += bytes;
        return {};
    }

    asio::io_context& context_;
    Stream& stream_;
    const ClientOptions& options_;
    beast::flat_buffer buffer_;
};

sdk::Result<void> trust(asio::ssl::context& tls, const ClientOptions& options) {
    ErrorCode code;
    SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
    if (options.ca_file.empty()) {
        tls.set_default_verify_paths(code);
    } else {
        tls.load_verify_file(options.ca_file, code);
    }
    if (!code) return {};
    return sdk::make_error(sdk::ErrorKind::invalid, "client.ca_file_invalid",
                           options.ca_file.empty()
                               ? std::string("the certificates of the system cannot be read")
                               : options.ca_file + " cannot be read as certificates",
                           code.message());
}

sdk::Result<ClientReply> ask_by_tls(const ClientOptions& options, const ClientRequest& request,
                                    const ReplyTaker& taker) {
    asio::io_context context;
    asio::ssl::context tls(asio::ssl::context::tls_client);
    if (auto trusted = trust(tls, options); !trusted) return trusted.error();
    TlsSocket stream(context, tls);
    const std::string& host = options.server.host;
    stream.set_verify_mode(asio::ssl::verify_peer);
    stream.set_verify_callback(asio::ssl::host_name_verification(host));
    ErrorCode no_address;
    asio::ip::make_address(host, no_address);
    // Names only may stand there (RFC 6066, 3).
    if (no_address) SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
    Conversation<TlsSocket> conversation(context, stream, options);
    if (auto connected = conversation.connect(); !connected) return connected.error();
    if (auto shaken = conversation.shake_hands(); !shaken) return shaken.error();
    return conversation.ask(request, taker);
}

}  // namespace

std::string ReplyHead::header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
}

sdk::Result<ClientReply> HttpClient::exchange(const ClientRequest& request) const {
    return exchange(request, {});
}

sdk::Result<ClientReply> HttpClient::exchange(const ClientRequest& request,
                                              const ReplyTaker& taker) const {
    if (options_.must_stop()) return interrupted();
    if (options_.server.is_tls) return ask_by_tls(options_, request, taker);
    asio::io_context context;
    Socket stream(context);
    Conversation<Socket> conversation(context, stream, options_);
    if (auto connected = conversation.connect(); !connected) return connected.error();
    return conversation.ask(request, taker);
}

}  // namespace stele::kernel::client

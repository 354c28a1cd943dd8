#include "kernel/http/connection/tls.hpp"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/http/connection/server_test_client.hpp"
#include "kernel/http/connection/server_test_handler.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::kernel::http {

namespace {

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freed<SSL_free>>;

/// A key and a certificate that it signed itself, in a folder that goes away.
class SelfSigned {
public:
    SelfSigned() : SelfSigned(Key(EVP_EC_gen("P-256"))) {}
    explicit SelfSigned(const Key& key) {
        const Certificate certificate(X509_new());
        X509_set_version(certificate.get(), X509_VERSION_3);
        ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
        X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
        X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
        X509_set_pubkey(certificate.get(), key.get());
        X509_NAME* subject = X509_get_subject_name(certificate.get());
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
        X509_set_issuer_name(certificate.get(), subject);
        REQUIRE(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
        std::FILE* file = std::fopen(certificate_file().c_str(), "w");
        PEM_write_X509(file, certificate.get());
        std::fclose(file);
        file = std::fopen(key_file().c_str(), "w");
        PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        std::fclose(file);
    }
    SelfSigned(const SelfSigned&) = delete;
    SelfSigned& operator=(const SelfSigned&) = delete;

    std::string certificate_file() const { return folder_.path() / "certificate.pem"; }
    std::string key_file() const { return folder_.path() / "key.pem"; }

    ServerOptions options() const {
        ServerOptions options;
        options.tls_certificate_file = certificate_file();
        options.tls_key_file = key_file();
        return options;
    }

private:
    testing::TemporaryFolder folder_;
};

class TlsClient final : public TestClient {
public:
    explicit TlsClient(std::uint16_t port, int newest_version = TLS1_3_VERSION,
                       const char* suites = nullptr)
        : TestClient(port), context_(SSL_CTX_new(TLS_client_method())) {
        SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
        SSL_CTX_set_max_proto_version(context_.get(), newest_version);
        SSL_CTX_set_security_level(context_.get(), 0);
        if (suites) REQUIRE(SSL_CTX_set_cipher_list(context_.get(), suites) == 1);
        session_.reset(SSL_new(context_.get()));
        SSL_set_fd(session_.get(), descriptor_);
        is_connected_ = SSL_connect(session_.get()) == 1;
    }

    bool is_connected() const { return is_connected_; }
    int version() const { return SSL_version(session_.get()); }
    bool send(std::string_view bytes) override {
        return SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0;
    }
    /// Whether the server said good-bye in TLS.
    bool was_told_the_end() const {
        return (SSL_get_shutdown(session_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
    }

private:
    long read_some(char* bytes, std::size_t size) override {
        return SSL_read(session_.get(), bytes, static_cast<int>(size));
    }

    Context context_;
    Session session_;
    bool is_connected_ = false;
};

}  // namespace

TEST_CASE("TLS carries requests like a plain connection") {
    const SelfSigned files;
    TestServer server(files.options());
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient client(server.port(), version);
        REQUIRE(client.is_connected());
        auto reply = client.ask(request_to("POST", "/echo", std::string(100'000, 'b')));
        REQUIRE(reply);
        CHECK(nlohmann::json::parse(reply->body)["body"].get<std::string>().size() == 100'000);
        reply = client.ask(request_to("GET", "/large"));
        REQUIRE(reply);
        CHECK(reply->body.size() > 200'000);
        reply = client.ask(request_to("GET", "/stream"));
        REQUIRE(reply);
        CHECK(reply->body == TestHandler::streamed_text());
        reply = client.ask(request_to("GET", "/later", "", "Connection: close\r\n"));
        REQUIRE(reply);
        CHECK(reply->status == 200);
        CHECK(client.receive_all().empty());
        CHECK(client.was_told_the_end());
    }
}

TEST_CASE("TLS older than 1.2 is refused") {
    const SelfSigned files;
    TestServer server(files.options());
    const TlsClient client(server.port(), TLS1_1_VERSION);
    CHECK_FALSE(client.is_connected());
}

TEST_CASE("TLS 1.3 is preferred, and 1.2 keeps secrets when the key gets known later") {
    const SelfSigned files(Key(EVP_RSA_gen(2048)));
    TestServer server(files.options());
    CHECK(TlsClient(server.port()).version() == TLS1_3_VERSION);
    const auto speaks = [&](const char* suites) {
        return TlsClient(server.port(), TLS1_2_VERSION, suites).is_connected();
    };
    CHECK(speaks("ECDHE-RSA-AES128-GCM-SHA256"));
    CHECK(speaks("ECDHE-RSA-CHACHA20-POLY1305"));
    // The first two send the session's key under that of the certificate, the last one is not
    // authenticated encryption.
    CHECK_FALSE(speaks("AES128-GCM-SHA256"));
    CHECK_FALSE(speaks("AES256-SHA256"));
    CHECK_FALSE(speaks("ECDHE-RSA-AES128-SHA"));
}

TEST_CASE("over TLS cookies are for TLS only, and browsers are told to stay with it") {
    const SelfSigned files;
    ServerOptions options = files.options();
    options.hsts_time = std::chrono::seconds(600);
    TestServer server(options);
    TlsClient client(server.port());
    const auto reply = client.ask(request_to("GET", "/fixed"));
    REQUIRE(reply);
    CHECK(reply->header("strict-transport-security") == "max-age=600");
    TestServer plain;
    TestClient other(plain.port());
    const auto open = other.ask(request_to("GET", "/fixed"));
    REQUIRE(open);
    CHECK(open->header("strict-transport-security") == "(none)");
}

TEST_CASE("a client that speaks plain HTTP to a TLS port is let go, as is one that says nothing") {
    const SelfSigned files;
    ServerOptions options = files.options();
    options.limits.header_time = std::chrono::milliseconds(40);
    TestServer server(options);
    TestClient plain(server.port());
    plain.send(request_to("GET", "/fixed"));
    plain.receive_all();
    TestClient silent(server.port());
    CHECK(silent.is_at_end());
    TlsClient good(server.port());
    CHECK(good.ask(request_to("GET", "/fixed"))->status == 200);
}

TEST_CASE("a TLS limit is answered as on a plain connection") {
    const SelfSigned files;
    ServerOptions options = files.options();
    options.limits.body_bytes = 10;
    options.limits.body_time = std::chrono::milliseconds(40);
    TestServer server(options);
    TlsClient large(server.port());
    const auto reply = large.ask(request_to("POST", "/echo", std::string(100, 'x')));
    REQUIRE(reply);
    CHECK(reply->status == 413);
    TlsClient slow(server.port());
    const auto late = slow.ask("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab");
    REQUIRE(late);
    CHECK(late->status == 408);
}

TEST_CASE("files that are no certificate or no key stop the start with a sentence") {
    const SelfSigned files;
    const SelfSigned others;
    const std::string missing = files.certificate_file() + ".missing";
    auto made = make_tls_context(missing, files.key_file());
    REQUIRE_FALSE(made);
    CHECK(made.error().code == "http.tls_invalid");
    CHECK(made.error().message.find(missing) != std::string::npos);
    made = make_tls_context(files.certificate_file(), files.certificate_file());
    REQUIRE_FALSE(made);
    CHECK(made.error().code == "http.tls_invalid");
    made = make_tls_context(files.certificate_file(), others.key_file());
    REQUIRE_FALSE(made);
    CHECK(made.error().code == "http.tls_invalid");
}

}  // namespace stele::kernel::http

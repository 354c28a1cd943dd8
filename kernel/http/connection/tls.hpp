#pragma once

#include <memory>
#include <string>

#include <stele/sdk/result.hpp>

namespace boost::asio::ssl {
class context;
}

namespace stele::kernel::http {

/// Reads certificate chain and key (PEM); TLS 1.2 at least. Fails with `invalid`
/// (`http.tls_invalid`) and a sentence that names the file.
sdk::Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(
    const std::string& certificate_file, const std::string& key_file);

}  // namespace stele::kernel::http

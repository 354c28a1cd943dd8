#pragma once

#include <memory>
#include <string>

#include "kernel/http/connection/connection_transport.hpp"
#include "kernel/http/connection/tls.hpp"

namespace stele::kernel::http {

std::shared_ptr<Connection> make_tls_connection(std::shared_ptr<ConnectionContext> context,
                                                std::string remote_address, TcpSocket&& socket,
                                                boost::asio::ssl::context& tls);

}  // namespace stele::kernel::http

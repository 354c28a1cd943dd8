#pragma once

#include <memory>
#include <string>

#include "kernel/http/connection_transport.hpp"
#include "kernel/http/tls.hpp"

namespace stele::kernel::http {

std::shared_ptr<Connection> make_tls_connection(std::shared_ptr<ConnectionContext> context,
                                                std::string remote_address, TcpSocket&& socket,
                                                boost::asio::ssl::context& tls);

}  // namespace stele::kernel::http

#include "kernel/http/message/server_beast.hpp"
// The switches above come first.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>

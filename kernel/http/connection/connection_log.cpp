#include <utility>

#include "kernel/http/connection/client_address.hpp"
#include "kernel/http/connection/connection.hpp"
#include "kernel/http/limit/rate_limits.hpp"
#include "kernel/http/log/access_log.hpp"
#include "kernel/http/log/request_metrics.hpp"
#include "kernel/resource/upkeep/sent_lane.hpp"

namespace stele::kernel::http {

void Connection::find_client() {
    const auto& proxies = context_->shared.options.trusted_proxies;
    if (proxies.empty()) return;
    parser_.request().remote_address = client_address(parser_.request(), remote_address_, proxies);
}

/// For whom workers work.
std::string Connection::caller() const {
    return sharer_of(parser_.request(), session_.get());
}

/// Counts the reply and writes the line of the present request, once.
void Connection::note_reply(bool is_aborted) {
    if (!is_unlogged_) return;
    is_unlogged_ = false;
    const std::string_view route = std::exchange(route_, {});
    const sdk::SessionPtr session = std::move(session_);
    const int status = std::exchange(reply_status_, 0);
    const std::uint64_t bytes = std::exchange(reply_bytes_, 0);
    const std::uint64_t head_bytes = std::exchange(reply_head_bytes_, 0);
    if (context_->sent_lane && session) {
        context_->sent_lane->note(session->platform.number, bytes - head_bytes);
    }
    if (!context_->access_lane) return;
    const Request& request = parser_.request();
    context_->access_lane->add({.request_id = request.request_id,
                                .remote_address = request.remote_address,
                                .method = request.method_text,
                                .path = request.path,
                                .route = route,
                                .session = session.get(),
                                .status = status,
                                .bytes = bytes,
                                .duration_us = (steady_now_ns() - request.received_ns) / 1000,
                                .is_aborted = is_aborted});
}

}  // namespace stele::kernel::http

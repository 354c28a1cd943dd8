#include <algorithm>
#include <exception>
#include <utility>

#include <stele/sdk/log.hpp>

#include "kernel/http/connection/connection.hpp"
#include "kernel/http/message/error_mapping.hpp"
#include "kernel/http/message/upload_spool.hpp"
#include "kernel/job/worker_pool.hpp"

namespace stele::kernel::http {

void Connection::begin_upload() {
    const ServerOptions& options = context_->shared.options;
    upload_ = std::make_shared<UploadSpool>(options.upload_folder, options.upload_reserve);
}

/// While the disk is waited for, nothing is read: the client waits, too.
bool Connection::take_piece() {
    parser_.take_piece(piece_);
    upload_patience_ -= ConnectionContext::now() - piece_since_;
    if (upload_->needs_disk(piece_.size())) {
        phase_ = Phase::storing;
        return true;
    }
    on_stored(upload_->append(piece_));
    return true;
}

bool Connection::store_piece() {
    if (is_storing_) return false;
    is_storing_ = true;
    // When no worker is free the sweep tries again.
    is_storing_ = context_->shared.workers.post(
        [connection = self()] {
            sdk::Result<void> stored;
            try {
                stored = connection->upload_->append(connection->piece_);
            } catch (const std::exception& problem) {
                stored =
                    sdk::make_error(sdk::ErrorKind::internal, "http.handler_failed",
                                    "the request could not be handled",
                                    stages::failed_in(stages::kStoreUpload.name, problem.what()));
            }
            connection->context_->post([connection, stored = std::move(stored)] {
                connection->is_storing_ = false;
                if (connection->phase_ == Phase::closed) return connection->upload_.reset();
                connection->on_stored(stored);
                connection->run();
            });
        },
        caller());
    return false;
}

/// Each piece has as much time as other bodies have in whole, less what those before it took beyond
/// their size at the lowest rate.
void Connection::on_stored(sdk::Result<void> stored) {
    phase_ = Phase::receiving;
    if (!stored) return fail(stored.error(), status_of(stored.error().kind));
    const ServerLimits& limits = context_->shared.options.limits;
    constexpr std::int64_t kSecond = 1000;
    const std::int64_t most = limits.body_time.count();
    const std::int64_t earned = limits.upload_rate == 0
                                    ? most
                                    : static_cast<std::int64_t>(piece_.size()) * kSecond /
                                          static_cast<std::int64_t>(limits.upload_rate);
    upload_patience_ = std::min(most, std::max<std::int64_t>(upload_patience_, 0) + earned);
    piece_since_ = ConnectionContext::now();
    read_deadline_ = piece_since_ + upload_patience_;
}

}  // namespace stele::kernel::http

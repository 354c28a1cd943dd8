#include "kernel/http/connection/connection_stream.hpp"

#include <exception>

#include <stele/sdk/result.hpp>

#include "kernel/http/message/stages.hpp"

namespace stele::kernel::http {

void StreamedReply::pull() {
    piece.clear();
    try {
        bool has_more = true;
        while (has_more && piece.size() < kPieceSize) {
            sdk::Result<bool> outcome = head.source(piece);
            if (!outcome) {
                failure = outcome.error();
                return;
            }
            has_more = *outcome;
        }
        is_last = !has_more;
    } catch (const std::exception& problem) {
        failure = sdk::make_error(sdk::ErrorKind::internal, "http.source_failed",
                                  "the reply could not be produced",
                                  stages::failed_in(stages::kSend.name, problem.what()));
    }
}

}  // namespace stele::kernel::http

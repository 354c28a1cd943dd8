#include "kernel/http/connection/connection_stream.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <stele/sdk/result.hpp>

#include "kernel/file/sent_file.hpp"
#include "kernel/http/message/stages.hpp"
#include "kernel/http/pipeline/download.hpp"

namespace stele::kernel::http {

namespace {

/// Of a file, looked at and sent at once.
constexpr std::uint64_t kWindow = 512 * 1024;

}  // namespace

void StreamedReply::pull() {
    piece.clear();
    try {
        if (const auto prepared = prepare_file(); !prepared) {
            failure = prepared.error();
            return;
        }
        if (file) return;
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

void StreamedReply::open_file_now() {
    try {
        // A failure shows again where it can be waited for.
        static_cast<void>(open_file(false));
    } catch (const std::exception& problem) {
        failure = sdk::make_error(sdk::ErrorKind::internal, "http.source_failed",
                                  "the reply could not be produced",
                                  stages::failed_in(stages::kSend.name, problem.what()));
    }
}

sdk::Result<void> StreamedReply::open_file(bool may_wait) {
    auto opened = head.file(may_wait);
    // Whoever reads the bytes meets the same failure, and looks again at the record.
    if (!opened || !*opened) return {};
    auto sendable = (*opened)->is_sendable(at, end, may_wait);
    if (!sendable) return sendable.error();
    if (!*sendable) return {};
    file = std::move(*opened);
    head.file = nullptr;
    return {};
}

sdk::Result<void> StreamedReply::prepare_file() {
    if (!file && head.file) {
        auto opened = open_file(true);
        head.file = nullptr;
        if (!opened) return opened;
    } else if (file && (has_file_failed || !file->is_unchanged())) {
        const bool was_written_to = !file->is_unchanged();
        auto sendable = file->is_sendable(head.first, end, true);
        if (!sendable) return sendable.error();
        // What has gone out is not what was looked at now.
        if (was_written_to && at > head.first) {
            return sdk::make_error(sdk::ErrorKind::unavailable, "http.file_changed",
                                   "the file was written to while it was sent");
        }
        if (has_file_failed || !*sendable) go_on_without_file();
    }
    if (!file) return {};
    in_memory = std::min(end, at + kWindow);
    file::bring_into_memory(file->descriptor(), at, static_cast<std::size_t>(in_memory - at));
    return {};
}

void StreamedReply::go_on_without_file() {
    file = nullptr;
    head.source = open_later(std::move(head.ranges), at, end);
}

bool StreamedReply::is_next_ready() {
    if (in_memory <= at) {
        const std::uint64_t next = std::min(end, at + kWindow);
        if (!file::is_in_memory(file->descriptor(), at, static_cast<std::size_t>(next - at)))
            return false;
        in_memory = next;
    }
    return in_memory < end || file->is_unchanged();
}

}  // namespace stele::kernel::http

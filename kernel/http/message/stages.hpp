#pragma once

#include <string>
#include <string_view>

/// The stages of a request's way, in their order: how docs/request-life.md and the log call each,
/// and where it lies. Those inside the transaction, between `kBegin` and `kCommit`, are listed in
/// kernel/resource/operations/execute.cpp. tests/docs/check_stages.py holds the page to both lists.
namespace stele::kernel::http::stages {

struct Stage {
    std::string_view name;
    std::string_view source;
};

inline constexpr Stage kConnection = {"connection", "kernel/http/connection/connection.cpp"};
inline constexpr Stage kRoute = {"route", "kernel/http/pipeline/stages/route.cpp"};
inline constexpr Stage kTakeBody = {"take a large body",
                                    "kernel/http/connection/connection_body.cpp"};
inline constexpr Stage kStoreUpload = {"store the upload",
                                       "kernel/http/connection/connection_upload.cpp"};
inline constexpr Stage kDecodeQuery = {"decode the query string",
                                       "kernel/http/pipeline/stages/decode_query.cpp"};
inline constexpr Stage kAuthenticate = {"authenticate",
                                        "kernel/http/pipeline/stages/authenticate.cpp"};
inline constexpr Stage kLimit = {"limit", "kernel/http/pipeline/stages/limit.cpp"};
inline constexpr Stage kOrigin = {"origin", "kernel/http/pipeline/stages/authenticate.cpp"};
inline constexpr Stage kBegin = {"begin", "kernel/http/pipeline/stages/handle.cpp"};
inline constexpr Stage kCommit = {"commit", "kernel/http/pipeline/stages/commit.cpp"};
inline constexpr Stage kComplete = {"complete", "kernel/http/pipeline/stages/commit.cpp"};
inline constexpr Stage kReply = {"reply", "kernel/http/pipeline/stages/reply.cpp"};
inline constexpr Stage kSend = {"send", "kernel/http/connection/connection_reply.cpp"};

/// What the log tells of a failure that nobody foresaw.
inline std::string failed_in(std::string_view stage, std::string_view what) {
    return "in the stage \"" + std::string(stage) + "\": " + std::string(what);
}

}  // namespace stele::kernel::http::stages

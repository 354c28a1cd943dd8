#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace stele::sdk {

/// What went wrong, without any protocol in it. Only `kernel/http/message/error_mapping.cpp` knows
/// the status numbers (in brackets) that clients see.
enum class ErrorKind {
    invalid,              ///< bad input (400)
    unauthenticated,      ///< no valid token (401)
    forbidden,            ///< the permission is missing (403)
    not_found,            ///< no such thing, or the caller may not know of it (404)
    method_unknown,       ///< the path exists, the method does not (405)
    conflict,             ///< a unique value is taken, or the thing is in use (409)
    precondition_failed,  ///< `If-Match` named another version (412)
    too_large,            ///< the body, or what is to be made of it, is beyond a limit (413)
    unsupported,          ///< the content type cannot be read (415)
    locked,               ///< the data store is locked by somebody else (423)
    limited,              ///< too many requests (429)
    internal,             ///< a fault of the server (500)
    unimplemented,        ///< what this server has no means to do, whoever asks (501)
    unavailable,          ///< busy, stopping, or a remote part is down (503)
    timed_out,            ///< a remote part did not answer in time (503)
    storage_full,         ///< no room left on the disk, or `maxsize` reached (507)
};

/// One problem of the input. `path` names the field or parameter (`config.port`, `skip`); where
/// clients choose names, it is made by `shown_path`.
struct Violation {
    std::string path;
    std::string code;
    std::string message;
};

/// All problems of an input at once, so that a caller can mend them in one go. Who finds them in a
/// loop stops at `kMaxViolations`.
using Violations = std::vector<Violation>;

inline constexpr std::size_t kMaxViolations = 1000;
/// Bytes of a violation's path, and of its message.
inline constexpr std::size_t kMaxViolationPath = 1024;
inline constexpr std::size_t kMaxViolationMessage = 4096;

/// A path or name as a violation carries it: what has more than `most` bytes is cut, never within a
/// character, and ends in an ellipsis. Each of thousands of problems names its place, so what
/// clients choose must not stand in all of them at any length. Any thread.
[[nodiscard]] std::string shown_path(std::string_view path, std::size_t most = kMaxViolationPath);

/// An expected failure. `code` is stable and listed in docs/reference/errors.md
/// (`plugin.noun_problem`); `message` is for the caller; `detail` only goes to the log.
struct Error {
    ErrorKind kind = ErrorKind::internal;
    std::string code;
    std::string message;
    std::string detail;
    Violations violations;
    /// Value of the reply's `error` member where a protocol prescribes one (`invalid_token`).
    std::string protocol_error;
    /// ETag of the present version; set with `precondition_failed`.
    std::string present_etag;
    /// Seconds after which a repetition makes sense; 0 when unknown.
    int retry_after_seconds = 0;
    /// Others do the same at the moment: the server repeats the operation by itself for a while
    /// (`server.busy_wait`), holding no thread, before the caller hears of it.
    bool may_pass_soon = false;
};

/// Whether a failure says no more than that a thing is not there, or not for the caller.
[[nodiscard]] inline bool is_missing(const Error& error) {
    return error.kind == ErrorKind::not_found;
}

/// Whether a failure is an answer to what was asked for, as it is: the input is wrong, the right is
/// missing, or what is there stands against it. Not what ends a job, nor a conflict of
/// transactions, after which the same may go well.
[[nodiscard]] bool is_refusal(const Error& error);

/// Makes an error. The three texts are `Error::code`, `message` and `detail`.
[[nodiscard]] Error make_error(ErrorKind kind, std::string code, std::string message,
                               std::string detail = {});

/// `invalid`, with one violation per problem, `kMaxViolations` at most, each path and message cut
/// to its bound; `message` names the first.
[[nodiscard]] Error make_error(Violations violations);

/// `invalid` for one parameter or field: code `request.parameter_invalid`.
[[nodiscard]] Error invalid_parameter(std::string_view name, std::string_view problem);

/// Code and message, for test reports and logs.
std::ostream& operator<<(std::ostream& stream, const Error& error);

}  // namespace stele::sdk

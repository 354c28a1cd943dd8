#include "kernel/http/log/access_log_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include <stele/sdk/log.hpp>

namespace stele::kernel::http {

namespace {

constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND;

}  // namespace

sdk::Result<AccessLogOutput> AccessLogOutput::open(const std::string& target) {
    AccessLogOutput output(target == "-" ? std::string() : target);
    if (output.file_.empty()) return output;
    output.opened_ = file::PosixFile(output.file_, kFlags);
    if (output.opened_.is_open()) return output;
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "http.access_log_unusable",
        "log.access: the file " + target + " cannot be written: " + file::system_reason(errno));
}

int AccessLogOutput::descriptor() const {
    return file_.empty() ? STDOUT_FILENO : opened_.descriptor();
}

void AccessLogOutput::follow() {
    if (file_.empty()) return;
    struct stat named {
    }, present{};
    const bool is_named = ::stat(file_.c_str(), &named) == 0;
    const bool is_same = is_named && ::fstat(opened_.descriptor(), &present) == 0 &&
                         named.st_ino == present.st_ino && named.st_dev == present.st_dev;
    if (is_same) return;
    file::PosixFile fresh(file_, kFlags);
    // Until it can be made again, the old file takes the lines.
    if (!fresh.is_open()) return complain(errno);
    opened_ = std::move(fresh);
}

bool AccessLogOutput::wait_until_writable(std::chrono::steady_clock::time_point deadline) const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wanted{descriptor(), POLLOUT, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(left.count()));
    return ready > 0 && (wanted.revents & POLLOUT) != 0;
}

bool AccessLogOutput::write(std::string_view lines, std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!lines.empty()) {
        std::string_view piece = lines;
        if (file_.empty()) {
            // A pipe that is ready takes as many without blocking.
            piece = lines.substr(0, PIPE_BUF);
            if (!wait_until_writable(deadline)) return false;
        }
        const ssize_t written = ::write(descriptor(), piece.data(), piece.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            complain(errno);
            return false;
        }
        lines.remove_prefix(static_cast<std::size_t>(written));
    }
    has_complained_ = false;
    return true;
}

/// Once, until a line was written again.
void AccessLogOutput::complain(int error) {
    if (has_complained_) return;
    has_complained_ = true;
    sdk::log(sdk::LogLevel::warning, "http",
             "lines of the access log are lost: " + file::system_reason(error));
}

}  // namespace stele::kernel::http

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

#include "kernel/file/posix_file.hpp"

namespace stele::kernel::http {

/// Where the lines of the access log go: a file, which is opened anew when it was moved away or
/// removed (logrotate), or standard output. One thread.
class AccessLogOutput {
public:
    /// `-` stands for standard output.
    static sdk::Result<AccessLogOutput> open(const std::string& target);

    /// Makes sure that the file still has its name.
    void follow();
    /// Writes all lines; false when they are lost. A reader of standard output that takes nothing
    /// is waited for at most for `patience`.
    bool write(std::string_view lines, std::chrono::milliseconds patience);

private:
    explicit AccessLogOutput(std::string file) : file_(std::move(file)) {}

    int descriptor() const;
    bool wait_until_writable(std::chrono::steady_clock::time_point deadline) const;
    void complain(int error);

    std::string file_;  ///< empty: standard output
    file::PosixFile opened_;
    bool has_complained_ = false;
};

}  // namespace stele::kernel::http

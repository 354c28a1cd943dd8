#include "kernel/plugin_check/child_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

namespace stele::kernel::plugin_check {

namespace {

/// A plugin that hangs is ended by the alarm's signal.
constexpr unsigned kMaxSeconds = 30;
/// Begins every answer: a process that ended early, even with status 0, has not given one.
constexpr char kAnswered = '+';

void write_all(int file, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(file, text.data() + done, text.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) ::_exit(1);
        done += static_cast<std::size_t>(count);
    }
}

std::string read_all(int file) {
    std::string text;
    char buffer[4096];
    while (true) {
        const ssize_t count = ::read(file, buffer, sizeof(buffer));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

// Leaves without the process's own clean-up, which belongs to the parent.
[[noreturn]] void run_and_leave(const std::function<std::string()>& check, int out) {
    ::alarm(kMaxSeconds);
    std::string answer;
    try {
        answer = check();
    } catch (const std::exception& exception) {
        answer = fmt::format("an exception escaped: {}", exception.what());
    }
    write_all(out, kAnswered + answer);
    ::_exit(0);
}

std::string end_of_child(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        if (signal == SIGALRM) return fmt::format("it took more than {} seconds", kMaxSeconds);
        return fmt::format("the process was ended by a signal: {}", ::strsignal(signal));
    }
    return fmt::format("the process ended by itself with status {}", WEXITSTATUS(status));
}

}  // namespace

std::string run_in_child(const std::function<std::string()>& check) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0) {
        ::close(ends[0]);
        run_and_leave(check, ends[1]);
    }
    ::close(ends[1]);
    std::string answer = read_all(ends[0]);
    ::close(ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (answer.empty() || answer.front() != kAnswered) return end_of_child(status);
    return answer.substr(1);
}

}  // namespace stele::kernel::plugin_check

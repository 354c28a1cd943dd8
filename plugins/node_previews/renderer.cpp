#include "renderer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include <stele/sdk/log.hpp>

namespace stele::node_previews {

namespace {

/// Nothing of the server's own environment, which may hold secrets. Without VIPS_NOVECTOR the
/// library makes code at run time, which a hardened unit forbids; beyond the threshold it would
/// write pixels to files.
constexpr std::array kEnvironment{"PATH=/usr/bin:/bin",        "LC_ALL=C.UTF-8",
                                  "VIPS_CONCURRENCY=1",        "VIPS_NOVECTOR=1",
                                  "VIPS_DISC_THRESHOLD=1000g", "HOME=/nonexistent"};

sdk::Error program_failed(const std::string& detail) {
    return sdk::make_error(sdk::ErrorKind::internal, "node_previews.program_failed",
                           "the preview could not be made", detail);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Files and signals of a process to be: source and target as its standard input and output, the
/// server's own signal mask not inherited.
class SpawnPlan {
public:
    SpawnPlan(const Descriptor& source, const Descriptor& target) {
        ::posix_spawn_file_actions_init(&files_);
        ::posix_spawn_file_actions_adddup2(&files_, source.number(), STDIN_FILENO);
        ::posix_spawn_file_actions_adddup2(&files_, target.number(), STDOUT_FILENO);
        ::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_init(&signals_);
        ::posix_spawnattr_setsigmask(&signals_, &none);
        ::posix_spawnattr_setsigdefault(&signals_, &all);
        ::posix_spawnattr_setflags(&signals_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&files_);
        ::posix_spawnattr_destroy(&signals_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    const posix_spawn_file_actions_t* files() const { return &files_; }
    const posix_spawnattr_t* signals() const { return &signals_; }

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t signals_{};
};

/// Answers the process's status; kills it when the time is over.
int wait_for(pid_t process, std::chrono::milliseconds patience) {
    // The C library's function has no declaration that C++ could link to (glibc 2.36).
    const Descriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
    const auto until = std::chrono::steady_clock::now() + patience;
    int ready = 0;
    do {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            until - std::chrono::steady_clock::now());
        pollfd watched{ended.number(), POLLIN, 0};
        ready = ended.is_open() && left.count() > 0
                    ? ::poll(&watched, 1, static_cast<int>(left.count()))
                    : 0;
    } while (ready < 0 && errno == EINTR);
    if (ready != 1) ::kill(process, SIGKILL);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/// What the death of a decoder says about its source.
PreviewState state_after(int signal) {
    switch (signal) {
        case SIGKILL:
        case SIGALRM:
        case SIGXCPU:
        case SIGXFSZ:
        case SIGABRT:
        case SIGTRAP:
            return PreviewState::exhausted;
        default:
            return PreviewState::unreadable;
    }
}

}  // namespace

sdk::Result<int> Renderer::start(const RenderTask& task, const Descriptor& source,
                                 const Descriptor& target) const {
    std::vector<std::string> arguments = to_arguments(task);
    arguments.insert(arguments.begin(), program_);
    std::vector<std::string> environment(kEnvironment.begin(), kEnvironment.end());
    const SpawnPlan plan(source, target);
    pid_t process = 0;
    const int problem =
        ::posix_spawn(&process, program_.c_str(), plan.files(), plan.signals(),
                      pointers_to(arguments).data(), pointers_to(environment).data());
    if (problem != 0)
        return program_failed(fmt::format("{}: {}", program_, std::strerror(problem)));
    return wait_for(process, std::chrono::seconds(task.limits.seconds));
}

sdk::Result<PreviewPtr> Renderer::render(const RenderTask& task, const Descriptor& source) const {
    auto target = files_.open_nameless();
    if (!target) return target.error();
    if (::lseek(source.number(), 0, SEEK_SET) != 0) return folder_unusable("seek");
    auto status = start(task, source, *target);
    if (!status) return status.error();
    auto preview = std::make_shared<Preview>();
    if (WIFSIGNALED(*status)) {
        sdk::log(sdk::LogLevel::warning, "node_previews",
                 fmt::format("stele_preview was ended by signal {}", WTERMSIG(*status)));
        preview->state = state_after(WTERMSIG(*status));
        return PreviewPtr(preview);
    }
    switch (WEXITSTATUS(*status)) {
        case exit_code::kReady: {
            auto bytes = read_file(*target, task.limits.output_bytes);
            if (!bytes) return bytes.error();
            if (bytes->empty()) return program_failed("stele_preview has written nothing");
            preview->state = PreviewState::ready;
            preview->bytes = std::move(*bytes);
            return PreviewPtr(preview);
        }
        case exit_code::kUnreadable:
            return PreviewPtr(preview);
        case exit_code::kTooLarge:
            preview->state = PreviewState::too_large;
            return PreviewPtr(preview);
        default:
            return program_failed(
                fmt::format("stele_preview ended with status {}", WEXITSTATUS(*status)));
    }
}

}  // namespace stele::node_previews

#include "program/confinement.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace stele::node_previews {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif
/// Calls of the x32 way to call x86-64 have this bit, and numbers of their own.
constexpr std::uint32_t kOtherNumbers = 0x40000000;

/// Fonts, their configuration, and what libraries load late.
constexpr std::array kReadableFolders{"/usr", "/lib", "/lib64", "/etc/fonts",
                                      "/var/cache/fontconfig"};

constexpr std::array kRefusedCalls{__NR_socket,
                                   __NR_socketpair,
                                   __NR_connect,
                                   __NR_bind,
                                   __NR_execve,
                                   __NR_execveat,
                                   __NR_ptrace,
                                   __NR_kill,
                                   __NR_tkill,
                                   __NR_rt_sigqueueinfo,
                                   __NR_pidfd_send_signal,
                                   __NR_process_vm_readv,
                                   __NR_process_vm_writev,
                                   __NR_io_uring_setup,
                                   __NR_mount,
                                   __NR_unshare};

bool limit(__rlimit_resource resource, std::uint64_t value) {
    const rlimit wanted{value, value};
    return ::setrlimit(resource, &wanted) == 0;
}

void allow_reading(int rules, const char* folder) {
    const int descriptor = ::open(folder, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return;
    landlock_path_beneath_attr beneath{};
    beneath.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    beneath.parent_fd = descriptor;
    ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    ::close(descriptor);
}

void refuse_files() {
    landlock_ruleset_attr handled{};
    handled.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    const auto rules =
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0));
    if (rules < 0) return;
    for (const char* folder : kReadableFolders)
        allow_reading(rules, folder);
    ::syscall(SYS_landlock_restrict_self, rules, 0);
    ::close(rules);
}

void refuse_calls() {
    if (kArchitecture == 0) return;
    constexpr auto kCount = static_cast<unsigned char>(kRefusedCalls.size());
    std::array<sock_filter, kRefusedCalls.size() + 7> program{};
    std::size_t at = 0;
    program[at++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    program[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    program[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    program[at++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    program[at++] = BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherNumbers, kCount + 1, 0);
    for (std::size_t i = 0; i < kRefusedCalls.size(); ++i) {
        const auto to_refusal = static_cast<unsigned char>(kCount - i);
        program[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                 static_cast<std::uint32_t>(kRefusedCalls[i]), to_refusal, 0);
    }
    program[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

}  // namespace

bool limit_process(const RenderLimits& limits) {
    const bool is_limited =
        ::close_range(3, ~0U, 0) == 0 && ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && limit(RLIMIT_CORE, 0) &&
        limit(RLIMIT_AS, limits.memory_bytes) && limit(RLIMIT_CPU, limits.seconds) &&
        limit(RLIMIT_FSIZE, limits.output_bytes);
    // A second more than the parent waits: for when that is gone.
    ::alarm(static_cast<unsigned>(limits.seconds) + 1);
    return is_limited;
}

void confine_process() {
    refuse_files();
    refuse_calls();
}

}  // namespace stele::node_previews

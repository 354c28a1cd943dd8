#include "kernel/command/interruption.hpp"

#include <signal.h>

#include <atomic>

namespace stele::kernel::command {

namespace {

std::atomic<bool> was_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

void note_interruption(int) {
    was_interrupted = true;
}

}  // namespace

void catch_interruptions() {
    struct sigaction once {};
    once.sa_handler = &note_interruption;
    once.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        ::sigaction(signal, &once, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
}

bool is_interrupted() {
    return was_interrupted;
}

}  // namespace stele::kernel::command

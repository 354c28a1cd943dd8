#include <signal.h>
#include <sys/stat.h>

#include "kernel/command/command_line.hpp"
#include "kernel/http/limit/descriptors.hpp"

/// Read by jemalloc (docs/decisions/0166-the-allocator.md): memory that nobody uses goes back to
/// the system within a second, by a thread of its own, and not only while somebody allocates.
extern "C" const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0,narenas:4";

int main(int argc, char** argv) {
    // What the program makes is its owner's, whoever starts it.
    ::umask(077);
    // A file that would become larger than the process may make one is an error like a full disk.
    ::signal(SIGXFSZ, SIG_IGN);
    stele::kernel::http::raise_descriptor_limit();
    return stele::kernel::command::run(argc, argv);
}

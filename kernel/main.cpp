#include <malloc.h>
#include <signal.h>
#include <sys/stat.h>

#include "kernel/command/command_line.hpp"
#include "kernel/http/limit/descriptors.hpp"

int main(int argc, char** argv) {
    // What the program makes is its owner's, whoever starts it.
    ::umask(077);
    // A file that would become larger than the process may make one is an error like a full disk.
    ::signal(SIGXFSZ, SIG_IGN);
    // Small freed pieces go back at once: those that glibc sets aside are joined, all of them, by
    // the next large allocation, and every request makes some.
    mallopt(M_MXFAST, 0);
    stele::kernel::http::raise_descriptor_limit();
    return stele::kernel::command::run(argc, argv);
}

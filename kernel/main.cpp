#include <malloc.h>
#include <sys/stat.h>

#include "kernel/command/command_line.hpp"

int main(int argc, char** argv) {
    // What the program makes is its owner's, whoever starts it.
    ::umask(077);
    // Small freed pieces go back at once: those that glibc sets aside are joined, all of them, by
    // the next large allocation, and every request makes some.
    mallopt(M_MXFAST, 0);
    return stele::kernel::command::run(argc, argv);
}

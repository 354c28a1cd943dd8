#include <malloc.h>
#include <sys/stat.h>

#include "kernel/command/command_line.hpp"
#include "kernel/http/descriptors.hpp"

int main(int argc, char** argv) {
    // What the program makes is its owner's, whoever starts it.
    ::umask(077);
    // Small freed pieces go back at once: those that glibc sets aside are joined, all of them, by
    // the next large allocation, and every request makes some.
    mallopt(M_MXFAST, 0);
    stele::kernel::http::raise_descriptor_limit();
    return stele::kernel::command::run(argc, argv);
}

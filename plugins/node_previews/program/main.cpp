// stele_preview: makes one small picture of one file that nobody trusts, and ends.
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>

#include "program/confinement.hpp"
#include "program/picture.hpp"
#include "program/task.hpp"

int main(int count, char** arguments) {
    using namespace stele::node_previews;
    const auto task = parse_arguments({arguments + 1, arguments + count});
    // Each arena reserves addresses, which the memory limit counts.
    ::mallopt(M_ARENA_MAX, 1);
    if (!task || !limit_process(task->limits) || !open_libraries(arguments[0]))
        ::_exit(exit_code::kUnusable);
    confine_process();
    // Without the libraries' own farewells: everything goes with the process.
    ::_exit(render_picture(*task));
}

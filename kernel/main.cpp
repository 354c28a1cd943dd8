#include "kernel/command/command_line.hpp"

int main(int argc, char** argv) {
    return stele::kernel::command::run(argc, argv);
}

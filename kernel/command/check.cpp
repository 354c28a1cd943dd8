#include <iostream>

#include <CLI/CLI.hpp>

#include "kernel/command/command_line.hpp"

namespace stele::kernel::command {

namespace {

int check(http::InstanceOptions options) {
    options.must_exist = true;
    auto instance = http::Instance::open(options);
    if (!instance) return complain(instance.error());
    auto differences = (*instance)->check();
    if (!differences) return complain(differences.error());
    for (const std::string& difference : *differences)
        std::cout << difference << "\n";
    auto removed = (*instance)->count_removed();
    if (!removed) return complain(removed.error());
    if (*removed > 0) {
        std::cout << *removed << " records of removed containers are still to be erased.\n";
    }
    std::cout << (differences->empty() ? "The store is consistent.\n"
                                       : "The store is NOT consistent.\n");
    return differences->empty() ? 0 : 2;
}

}  // namespace

void add_check(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(app, line, "check", "Verify a store that is not being served");
    command->callback([&line] { line.run = [&line] { return check(line.options()); }; });
}

}  // namespace stele::kernel::command

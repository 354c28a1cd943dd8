#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "kernel/command/command_line.hpp"

namespace stele::kernel::command {

namespace {

int tell(bool is_consistent) {
    std::cout << (is_consistent ? "The store is consistent.\n" : "The store is NOT consistent.\n");
    return is_consistent ? 0 : 2;
}

int check(instance::InstanceOptions options) {
    options.must_exist = true;
    auto damaged = instance::check_files(options);
    if (!damaged) return complain(damaged.error());
    for (const std::string& line : *damaged)
        std::cout << line << "\n";
    // Opening it would change what is left of it.
    if (!damaged->empty()) return tell(false);
    auto instance = instance::Instance::open(options);
    if (!instance) return complain(instance.error());
    const std::vector<std::string> differences = (*instance)->check();
    for (const std::string& difference : differences)
        std::cout << difference << "\n";
    auto removed = (*instance)->count_removed();
    if (!removed) {
        complain(removed.error());
    } else if (*removed > 0) {
        std::cout << *removed << " records of removed containers are still to be erased.\n";
    }
    auto unused = (*instance)->count_unused_blobs();
    if (!unused) {
        complain(unused.error());
    } else if (unused->blobs > 0) {
        std::cout << unused->blobs << " binaries of " << unused->bytes
                  << " bytes that nothing refers to are still to be removed.\n";
    }
    return tell(removed && unused && differences.empty());
}

}  // namespace

void add_check(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(
        app, line, "check", "Verify a store; only one in a database may be served meanwhile");
    command->callback([&line] { line.run = [&line] { return check(line.options()); }; });
}

}  // namespace stele::kernel::command

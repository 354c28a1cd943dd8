#include <chrono>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "kernel/command/command_line.hpp"
#include "kernel/instance/engine_choice.hpp"
#include "kernel/instance/store_copy.hpp"

namespace stele::kernel::command {

namespace {

struct CopyArguments {
    instance::StorePlace from;
    instance::StorePlace to;
};

/// Says at the first step, then once a second, how far it is.
class ProgressLines {
public:
    void operator()(const backup::CopySummary& summary) {
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        next_ = now + std::chrono::seconds(1);
        std::cerr << summary.entries << " entries, " << summary.blobs << " blobs" << std::endl;
    }

private:
    std::chrono::steady_clock::time_point next_;
};

/// A folder holds everything; beside a database, the folder with the binaries must be named.
bool complete(instance::StorePlace& place) {
    if (!instance::is_address(place.store)) {
        place.data = place.store;
        return true;
    }
    return !place.data.empty();
}

int run(const instance::InstanceOptions& options, const CopyArguments& arguments) {
    instance::StorePlace from = arguments.from;
    instance::StorePlace to = arguments.to;
    if (!complete(from)) return complain("--from-data must name the source's data folder");
    if (!complete(to)) return complain("--to-data must name the target's data folder");
    auto summary = instance::copy_store(options, from, to, ProgressLines());
    if (!summary) return complain(summary.error());
    std::cout << (summary->was_resumed ? "Went on and copied " : "Copied ") << summary->entries
              << " entries and " << summary->blobs << " blobs; " << summary->ranges
              << " key ranges and all blobs were compared.\n";
    return 0;
}

}  // namespace

void add_copy(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(
        app, line, "copy", "Move a store that is not being served to another engine or folder");
    auto arguments = std::make_shared<CopyArguments>();
    command
        ->add_option("--from", arguments->from.store,
                     "Data folder, or address of a database (postgresql://...)")
        ->required();
    command->add_option("--to", arguments->to.store, "The same, of a store that is still empty")
        ->required();
    command->add_option("--from-data", arguments->from.data,
                        "Folder with blobs and secrets.key of a source in a database");
    command->add_option("--to-data", arguments->to.data,
                        "Folder for blobs and secrets.key of a target in a database");
    command->callback([&line, arguments] {
        line.run = [&line, arguments] { return run(line.options(), *arguments); };
    });
}

}  // namespace stele::kernel::command

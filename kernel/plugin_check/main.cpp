#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "kernel/plugin_check/child_process.hpp"
#include "kernel/plugin_check/library_check.hpp"

int main(int argc, char** argv) {
    std::vector<std::string> libraries;
    std::vector<std::string> folder_names;
    CLI::App app("Proves from outside that plugins keep the plugin contract.");
    app.add_option("library", libraries, "Plugins to check")->required();
    app.add_option("--plugins", folder_names, "Folder of the plugins that they require");
    CLI11_PARSE(app, argc, argv);

    const std::vector<std::filesystem::path> folders(folder_names.begin(), folder_names.end());
    int failures = 0;
    for (const std::string& library : libraries) {
        for (const auto& check : stele::kernel::plugin_check::library_checks(library, folders)) {
            const std::string problem = stele::kernel::plugin_check::run_in_child(check.run);
            if (problem.empty()) {
                fmt::print("ok      {}: {}\n", library, check.name);
                continue;
            }
            ++failures;
            fmt::print("failed  {}: {}: {}\n", library, check.name, problem);
        }
    }
    return failures == 0 ? 0 : 1;
}

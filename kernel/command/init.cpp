#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/command/command_line.hpp"

namespace stele::kernel::command {

namespace {

constexpr std::uintmax_t kMaxSeedBytes = 16 * 1024 * 1024;

sdk::Result<sdk::Json> read_seed(const std::string& file) {
    if (file.empty()) return sdk::Json::object();
    std::error_code problem;
    const bool is_file = std::filesystem::is_regular_file(file, problem);
    const auto size = is_file ? std::filesystem::file_size(file, problem) : 0;
    std::string text;
    if (is_file && !problem && size <= kMaxSeedBytes) {
        std::ifstream stream(file, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(stream), {});
    }
    if (text.empty() || text.size() < size) {
        return sdk::make_error(
            sdk::ErrorKind::invalid, "instance.seed_unreadable",
            "the seed file " + file + " cannot be read: it must be a file of at most 16 MiB");
    }
    auto seed = sdk::parse_json(text);
    if (!seed) return seed;
    if (!seed->is_object()) {
        return sdk::make_error(sdk::ErrorKind::invalid, "instance.seed_unreadable",
                               "the seed file " + file + " must hold a JSON object");
    }
    return seed;
}

std::string logins_text(const instance::Instance::Prepared& prepared) {
    std::size_t widest = 0;
    for (const sdk::LoginLine& line : prepared.login)
        widest = std::max(widest, line.label.size());
    std::string text;
    for (const auto& [label, value, is_shown_once] : prepared.login) {
        text += fmt::format("  {:<{}} {}{}\n", label + ":", widest + 1, value,
                            is_shown_once ? "   (shown only now)" : "");
    }
    return text;
}

/// Makes the file anew, so that nobody has it open or has put a link in its place.
bool write_for_owner(const std::filesystem::path& file, std::string_view text) {
    std::error_code problem;
    std::filesystem::remove(file, problem);
    constexpr int kHow = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int descriptor = ::open(file.c_str(), kHow, S_IRUSR | S_IWUSR);
    if (descriptor < 0) return false;
    const auto written = ::write(descriptor, text.data(), text.size());
    const bool is_whole = written == static_cast<ssize_t>(text.size());
    const bool is_kept = ::fsync(descriptor) == 0;
    return ::close(descriptor) == 0 && is_whole && is_kept;
}

int init(instance::InstanceOptions options, const std::string& seed_file) {
    auto seed = read_seed(seed_file);
    if (!seed) return complain(seed.error());
    options.may_replace_store = true;
    auto instance = instance::Instance::open(options);
    if (!instance) return complain(instance.error());
    auto prepared = (*instance)->prepare(*seed);
    if (!prepared) return complain(prepared.error());
    return show_prepared(*prepared, options.data);
}

}  // namespace

int show_prepared(const instance::Instance::Prepared& prepared, const std::filesystem::path& data) {
    if (!prepared.is_new) {
        std::cout << "The store was prepared already; the seed's parts were applied again.\n";
        return 0;
    }
    std::cout << "A new store was prepared.\n";
    if (prepared.login.empty()) return 0;
    const std::string text = logins_text(prepared);
    if (::isatty(STDOUT_FILENO) == 1) {
        std::cout << text << std::flush;
        return 0;
    }
    const std::filesystem::path file = data / "first-login";
    if (!write_for_owner(file, text)) {
        return complain("the first login cannot be written to " + file.string() +
                        "; set a password with stele user set-password");
    }
    std::cout << "The first login is in " << file.string()
              << "; whoever runs the server can read it. Remove it afterwards." << std::endl;
    return 0;
}

void add_init(CLI::App& app, CommandLine& line) {
    CLI::App* command = add_command(app, line, "init", "Prepare a store");
    auto seed = std::make_shared<std::string>();
    command->add_option("--seed", *seed, "JSON file with what a new store begins with");
    command->callback(
        [&line, seed] { line.run = [&line, seed] { return init(line.options(), *seed); }; });
}

}  // namespace stele::kernel::command

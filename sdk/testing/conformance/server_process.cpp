#include "server_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <fstream>

namespace stele::conformance {

namespace {

/// Starts a program; its standard output goes to `output`.
pid_t start(const std::filesystem::path& program, std::vector<std::string> arguments, int output) {
    std::vector<char*> pointers;
    std::string name = program.string();
    pointers.push_back(name.data());
    for (std::string& argument : arguments)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::dup2(output, STDOUT_FILENO);
    ::execv(name.c_str(), pointers.data());
    ::_exit(127);
}

}  // namespace

ServerProcess::ServerProcess(const std::filesystem::path& program,
                             const std::vector<std::filesystem::path>& plugin_folders) {
    std::string pattern = (std::filesystem::temp_directory_path() / "stele-conformance-XXXXXX");
    if (!::mkdtemp(pattern.data())) {
        problem_ = "no temporary folder can be made";
        return;
    }
    data_ = pattern;
    std::vector<std::string> arguments{"--data", data_.string()};
    for (const auto& folder : plugin_folders) {
        arguments.push_back("--plugins");
        arguments.push_back(folder.string());
    }
    if (prepare(program, arguments)) serve(program, arguments);
}

ServerProcess::~ServerProcess() {
    if (child_ > 0) {
        ::kill(child_, SIGTERM);
        ::waitpid(child_, nullptr, 0);
    }
    std::error_code ignored;
    if (!data_.empty()) std::filesystem::remove_all(data_, ignored);
}

bool ServerProcess::prepare(const std::filesystem::path& program,
                            std::vector<std::string> arguments) {
    const std::filesystem::path seed = data_ / "seed.json";
    std::ofstream(seed) << R"({"admin":{"password":")" << kAdminPassword
                        << R"("},"client":{"key":"conformance","secret":"conformance"}})";
    arguments.insert(arguments.begin(), "init");
    arguments.insert(arguments.end(), {"--seed", seed.string()});
    const pid_t child = start(program, arguments, STDERR_FILENO);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) problem_ = "stele init failed";
    return status == 0;
}

void ServerProcess::serve(const std::filesystem::path& program,
                          std::vector<std::string> arguments) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        problem_ = "no pipe can be made";
        return;
    }
    arguments.insert(arguments.begin(), "serve");
    arguments.insert(arguments.end(), {"--listen", "127.0.0.1:0"});
    child_ = start(program, arguments, ends[1]);
    ::close(ends[1]);
    read_port(ends[0]);
    ::close(ends[0]);
}

void ServerProcess::read_port(int output) {
    std::string text;
    char piece[512];
    while (text.find("serves on") == std::string::npos || text.back() != '\n') {
        const ssize_t size = ::read(output, piece, sizeof(piece));
        if (size <= 0) {
            problem_ = "stele serve ended at start";
            return;
        }
        text.append(piece, static_cast<std::size_t>(size));
    }
    const std::size_t colon = text.rfind(':');
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), port_);
}

}  // namespace stele::conformance

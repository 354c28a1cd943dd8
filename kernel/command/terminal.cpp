#include "kernel/command/terminal.hpp"

#include <termios.h>
#include <unistd.h>

#include <iostream>

namespace stele::kernel::command {

namespace {

/// Typed text is not shown while this lives.
class SilentTerminal {
public:
    SilentTerminal() {
        is_changed_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
        if (!is_changed_) return;
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    ~SilentTerminal() {
        if (is_changed_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    }
    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;

private:
    termios before_{};
    bool is_changed_ = false;
};

sdk::Error no_password(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "command.password_missing", problem);
}

std::string ask(const std::string& prompt) {
    std::cerr << prompt << std::flush;
    std::string text;
    {
        const SilentTerminal silent;
        std::getline(std::cin, text);
    }
    std::cerr << "\n";
    return text;
}

}  // namespace

sdk::Result<std::string> read_password(const std::string& prompt) {
    std::string password;
    if (::isatty(STDIN_FILENO)) {
        password = ask(prompt + ": ");
        if (ask("Again: ") != password) return no_password("the two passwords differ");
    } else {
        std::getline(std::cin, password);
        if (password.ends_with('\r')) password.pop_back();
    }
    if (password.empty()) return no_password("a password must not be empty");
    return password;
}

sdk::Result<std::string> ask_secret(const std::string& prompt) {
    if (!::isatty(STDIN_FILENO)) {
        return no_password(
            "there is no terminal to ask for a secret; name a file with it, or set it in the "
            "environment");
    }
    return ask(prompt);
}

}  // namespace stele::kernel::command

#include "kernel/command/plugin_new.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <stele/sdk/text.hpp>

#include "kernel/command/command_line.hpp"
#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::command {

namespace {

constexpr std::size_t kMaxNameLength = 40;
/// Names that are no namespace in C++ inside `stele`, as far as they fit the rules below.
constexpr std::string_view kTaken =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
    "char16_t char32_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto if inline int kernel long "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq plugin private "
    "protected public register reinterpret_cast requires return sdk short signed sizeof "
    "static static_assert static_cast std stele struct switch template this thread_local "
    "throw true try typedef typeid typename union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq ";

bool is_small_letter(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_in_word(char c) {
    return sdk::is_letter_or_digit(c) || c == '_';
}

/// What is wrong with the name of a plugin, which becomes its id, a namespace and file names; empty
/// when nothing is.
std::string problem_of_name(const std::string& name) {
    const bool is_well_formed =
        !name.empty() && name.size() <= kMaxNameLength && is_small_letter(name.front()) &&
        name.back() != '_' && name.find("__") == std::string::npos &&
        std::all_of(name.begin(), name.end(),
                    [](char c) { return is_small_letter(c) || sdk::is_digit(c) || c == '_'; });
    if (!is_well_formed) {
        return fmt::format(
            "'{}' is no name of a plugin: small letters, digits and single underscores, a letter "
            "first, at most {} characters",
            name, kMaxNameLength);
    }
    if (kTaken.find(" " + name + " ") != std::string_view::npos)
        return fmt::format("'{}' cannot be the name of a plugin: C++ or Stele uses it", name);
    return {};
}

/// The template's words in the plugin's own name.
class Renaming {
public:
    explicit Renaming(const std::string& name) : snake_(name) {
        bool is_start = true;
        for (const char c : name) {
            if (c != '_')
                pascal_ += is_start && is_small_letter(c) ? static_cast<char>(c - 'a' + 'A') : c;
            is_start = c == '_';
        }
        camel_ = pascal_;
        camel_.front() = name.front();
    }

    std::string text(std::string_view before) const {
        std::string after;
        while (!before.empty()) {
            const auto end = std::find_if_not(before.begin(), before.end(), is_in_word);
            const auto size = static_cast<std::size_t>(end - before.begin());
            if (size == 0) {
                after += before.front();
            } else {
                after += word(before.substr(0, size));
            }
            before.remove_prefix(std::max<std::size_t>(size, 1));
        }
        return after;
    }

private:
    std::string word(std::string_view word) const {
        if (word == "note") return snake_;
        if (word == "notes") return snake_ + "s";
        if (word == "Note") return pascal_;
        if (word == "noteId") return camel_ + "Id";
        return std::string(word);
    }

    std::string snake_;
    std::string pascal_;
    std::string camel_;
};

std::string readme_of(const std::string& name, const std::filesystem::path& prefix) {
    return fmt::format(R"(# {0}

A plugin for Stele, begun by `stele plugin new {0}`. It stores records at `/{0}s`; `{0}.cpp` says what they are.

```sh
cmake -S . -B build -G Ninja -D CMAKE_PREFIX_PATH={1}
cmake --build build
ctest --test-dir build
stele serve --data DATA --plugins build
```

`tests/documents.json` lists documents that a create accepts, and documents that it refuses together with the member that the
refusal names.
)",
                       name, prefix.string());
}

void write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
        throw std::filesystem::filesystem_error("cannot write", path,
                                                std::make_error_code(std::errc::io_error));
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (file.bad() || !file.is_open())
        throw std::filesystem::filesystem_error("cannot read", path,
                                                std::make_error_code(std::errc::io_error));
    return text;
}

/// Throws what the file system throws.
void copy_template(const std::filesystem::path& from, const std::filesystem::path& to,
                   const Renaming& renaming) {
    // Listed before anything is made: the new folder may lie inside the template's.
    const std::vector<std::filesystem::directory_entry> entries(
        std::filesystem::recursive_directory_iterator{from}, {});
    std::filesystem::create_directories(to);
    for (const auto& entry : entries) {
        const auto below = entry.path().lexically_relative(from);
        const auto target = to / renaming.text(below.string());
        if (entry.is_directory()) {
            std::filesystem::create_directories(target);
        } else {
            write_file(target, renaming.text(read_file(entry.path())));
        }
    }
}

}  // namespace

int begin_plugin(const instance::InstanceOptions& options, const std::string& name,
                 const std::filesystem::path& folder) {
    if (const std::string problem = problem_of_name(name); !problem.empty())
        return complain(problem);
    for (const auto& known : plugin::scan(options.plugin_folders).plugins) {
        if (known.id == name) return complain("there is a plugin " + name + " already");
    }
    // Beside the program's own plugins: prefix/lib/stele/plugins.
    const auto prefix = options.plugin_folders.front().parent_path().parent_path().parent_path();
    const auto from = prefix / "share/stele/_template";
    try {
        if (!std::filesystem::is_directory(from)) {
            return complain("there is no template in " + from.string() +
                            "; it comes with what plugins are built against (package stele-dev)");
        }
        if (std::filesystem::exists(folder) && !std::filesystem::is_empty(folder))
            return complain(folder.string() + " is there already");
        copy_template(from, folder, Renaming(name));
        write_file(folder / "README.md", readme_of(name, prefix));
    } catch (const std::filesystem::filesystem_error& problem) {
        return complain(std::string("the plugin cannot be begun: ") + problem.what());
    }
    std::cout << "Plugin " << name << " is in " << folder.string()
              << "; its README.md says how to build it\n";
    return 0;
}

}  // namespace stele::kernel::command

#include "kernel/storage/query/query_regex.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <re2/re2.h>

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kMaxPatternLength = 4096;
constexpr std::int64_t kMemory = 1 << 20;

/// RE2 has no option x: takes out white space and comments that are neither escaped nor in a class.
class SpaceStripper {
public:
    explicit SpaceStripper(std::string_view pattern) : rest_(pattern) {}

    std::string run() {
        while (!rest_.empty()) {
            if (rest_.front() == '\\') {
                escape();
            } else if (rest_.front() == '[') {
                character_class();
            } else if (rest_.front() == '#') {
                rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
            } else if (is_space(rest_.front())) {
                rest_.remove_prefix(1);
            } else {
                take(1);
            }
        }
        return std::move(out_);
    }

private:
    static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    void take(std::size_t size) {
        size = std::min(size, rest_.size());
        out_.append(rest_.substr(0, size));
        rest_.remove_prefix(size);
    }

    void escape() {
        if (!rest_.starts_with("\\Q")) return take(2);
        const std::size_t end = rest_.find("\\E");
        take(end == std::string_view::npos ? end : end + 2);
    }

    void character_class() {
        take(1);
        if (rest_.starts_with('^')) take(1);
        if (rest_.starts_with(']')) take(1);
        while (!rest_.empty() && rest_.front() != ']') {
            if (rest_.front() == '\\') {
                take(2);
            } else if (const auto end = rest_.find(":]");
                       rest_.starts_with("[:") && end != std::string_view::npos) {
                take(end + 2);
            } else {
                take(1);
            }
        }
        take(1);
    }

    std::string_view rest_;
    std::string out_;
};

}  // namespace

CompiledRegex compile_regex(std::string_view pattern, std::string_view options) {
    std::string flags;
    bool is_extended = false;
    for (const char option : options) {
        if (option == 'x') {
            is_extended = true;
        } else if (option == 'i' || option == 'm' || option == 's') {
            if (flags.find(option) == std::string::npos) flags.push_back(option);
        } else {
            return {nullptr, "knows the options i, m, s and x only"};
        }
    }
    if (pattern.size() > kMaxPatternLength) return {nullptr, "is longer than 4096 bytes"};

    std::string text = flags.empty() ? std::string() : "(?" + flags + ")";
    text += is_extended ? SpaceStripper(pattern).run() : std::string(pattern);
    RE2::Options settings;
    settings.set_log_errors(false);
    settings.set_max_mem(kMemory);
    auto expression = std::make_shared<const RE2>(text, settings);
    if (!expression->ok()) return {nullptr, "is no regular expression: " + expression->error()};
    return {std::move(expression), {}};
}

}  // namespace stele::kernel::storage

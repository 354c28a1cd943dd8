#include "program/task.hpp"

#include <charconv>

namespace stele::node_previews {

namespace {

constexpr std::size_t kArguments = 7;

template <class Number>
bool parse_number(const std::string& text, Number& number) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size() && number > 0;
}

}  // namespace

std::vector<std::string> to_arguments(const RenderTask& task) {
    return {std::to_string(task.width),
            std::to_string(task.height),
            task.suffix,
            std::to_string(task.limits.pixels),
            std::to_string(task.limits.memory_bytes),
            std::to_string(task.limits.output_bytes),
            std::to_string(task.limits.seconds)};
}

std::optional<RenderTask> parse_arguments(const std::vector<std::string>& arguments) {
    RenderTask task;
    if (arguments.size() != kArguments) return std::nullopt;
    task.suffix = arguments[2];
    const bool is_fine =
        parse_number(arguments[0], task.width) && parse_number(arguments[1], task.height) &&
        (task.suffix == ".jpg" || task.suffix == ".png" || task.suffix == ".webp") &&
        parse_number(arguments[3], task.limits.pixels) &&
        parse_number(arguments[4], task.limits.memory_bytes) &&
        parse_number(arguments[5], task.limits.output_bytes) &&
        parse_number(arguments[6], task.limits.seconds);
    if (!is_fine) return std::nullopt;
    return task;
}

}  // namespace stele::node_previews

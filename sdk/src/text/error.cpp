#include <stele/sdk/error.hpp>

#include <cassert>
#include <utility>

#include <stele/sdk/text.hpp>

namespace stele::sdk {

Error make_error(ErrorKind kind, std::string code, std::string message, std::string detail) {
    Error error;
    error.kind = kind;
    error.code = std::move(code);
    error.message = std::move(message);
    error.detail = std::move(detail);
    return error;
}

std::string shown_path(std::string_view path, std::size_t most) {
    static constexpr std::string_view kEllipsis = "\u2026";
    if (path.size() <= most) return std::string(path);
    return std::string(cut_to(path, most - kEllipsis.size())).append(kEllipsis);
}

bool is_refusal(const Error& error) {
    const bool is_of_moment =
        error.may_pass_soon || error.code == "engine.conflict" || error.code.starts_with("job.");
    if (is_of_moment) return false;
    return error.kind == ErrorKind::invalid || error.kind == ErrorKind::forbidden ||
           error.kind == ErrorKind::not_found || error.kind == ErrorKind::conflict ||
           error.kind == ErrorKind::locked;
}

Error make_error(Violations violations) {
    assert(!violations.empty());
    if (violations.size() > kMaxViolations) violations.resize(kMaxViolations);
    for (Violation& violation : violations) {
        violation.path = shown_path(violation.path);
        violation.message = shown_path(violation.message, kMaxViolationMessage);
    }
    const Violation& first = violations.front();
    Error error =
        make_error(ErrorKind::invalid, "request.input_invalid",
                   first.path.empty() ? first.message : first.path + ": " + first.message);
    error.violations = std::move(violations);
    return error;
}

Error invalid_parameter(std::string_view name, std::string_view problem) {
    constexpr const char* kCode = "request.parameter_invalid";
    std::string message = "'" + std::string(name) + "' " + std::string(problem);
    Error error = make_error(ErrorKind::invalid, kCode, message);
    error.violations.push_back({std::string(name), kCode, std::string(problem)});
    return error;
}

}  // namespace stele::sdk

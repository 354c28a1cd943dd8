#include <stele/sdk/error.hpp>

#include <cassert>
#include <utility>

namespace stele::sdk {

Error make_error(ErrorKind kind, std::string code, std::string message, std::string detail) {
    Error error;
    error.kind = kind;
    error.code = std::move(code);
    error.message = std::move(message);
    error.detail = std::move(detail);
    return error;
}

Error make_error(Violations violations) {
    assert(!violations.empty());
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

#include <stele/sdk/call.hpp>

#include <stele/sdk/letter_case.hpp>

namespace stele::sdk {

Call::~Call() = default;
Upload::~Upload() = default;

std::vector<std::string> Call::parameters(std::string_view name) const {
    std::vector<std::string> values;
    if (auto value = parameter(name)) values.push_back(*std::move(value));
    return values;
}

Result<std::string> Call::required_parameter(std::string_view name) const {
    std::optional<std::string> value = parameter(name);
    if (!value || value->empty()) return invalid_parameter(name, "is required");
    return *std::move(value);
}

Result<std::optional<bool>> Call::flag(std::string_view name) const {
    std::optional<std::string> value = parameter(name);
    if (!value) return std::optional<bool>{};
    // Some clients encode every value as JSON.
    if (value->size() >= 2 && value->front() == '"' && value->back() == '"')
        value = value->substr(1, value->size() - 2);
    if (*value == "1" || equals_ignoring_case(*value, "true")) return std::optional<bool>{true};
    if (*value == "0" || equals_ignoring_case(*value, "false")) return std::optional<bool>{false};
    return invalid_parameter(name, "must be true or false");
}

}  // namespace stele::sdk

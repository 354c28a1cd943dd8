#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stele/sdk/call.hpp>

#include "token_request.hpp"

namespace stele::identity {

/// Parameters of the form body, else of the query string (docs/specification/platform.md 2.1).
/// Valid during the handler only.
class FormParameters {
public:
    FormParameters(const sdk::Call& call, FormFields form) : call_(call), form_(std::move(form)) {}

    std::optional<std::string> find(std::string_view name) const {
        const auto field = form_.find(name);
        if (field != form_.end()) return field->second;
        return call_.parameter(name);
    }
    std::string text(std::string_view name) const { return find(name).value_or(std::string()); }

private:
    const sdk::Call& call_;
    FormFields form_;
};

}  // namespace stele::identity

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/multipart.hpp>

namespace stele::sdk {

Error malformed_form(std::string message);

/// The boundary of a `Content-Type` that is `multipart/form-data`; nothing when it is another type
/// or the boundary is none (RFC 2046, 5.1.1).
std::optional<std::string> form_boundary(std::string_view content_type);

/// `header` holds whole lines, each with its end.
Result<FormPart> parse_part_header(std::string_view header);

}  // namespace stele::sdk

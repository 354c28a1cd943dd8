#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// A JSON value. Members keep the order in which they were written, because the order of the keys
/// of a `sort` parameter has a meaning and documents come back the way they went in.
///
/// This header only declares the type. A source that looks inside a value includes
/// <nlohmann/json.hpp> itself; a header never needs to.
using Json = nlohmann::ordered_json;

/// Bounds of what is accepted as JSON from outside.
struct JsonLimits {
    /// Deepest nesting of arrays and objects.
    int depth = 100;
};

/// Reads one JSON text (UTF-8). Fails with `invalid` and code `json.malformed`, whose message says
/// what is wrong and at which byte: broken syntax, invalid UTF-8, a NUL character in a member name,
/// a number beyond the range of a double, deeper nesting than `limits`, a duplicate member.
/// An empty or blank text is `{}` (docs/specification/platform.md 1.1). Any thread.
[[nodiscard]] Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

/// Writes `value` compactly as UTF-8. Never fails: values only come from `parse_json` or from code.
std::string dump_json(const Json& value);
/// The same, behind what `out` holds.
void append_json(std::string& out, const Json& value);

/// Appends `text` to `out` as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

}  // namespace stele::sdk

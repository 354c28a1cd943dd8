#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// `invalid` (`attachment.id_malformed`) for an id that would not be one segment of a path.
Result<void> check_attachment_id(std::string_view id);
/// The same (`file.name_malformed`) for the name of a file of a repository.
Result<void> check_file_name(std::string_view name);
/// The last segment of a name as somebody sent it, without control characters; `fallback` when
/// nothing is left.
std::string safe_file_name(std::string_view name, std::string_view fallback);

/// What a sender says about bytes, made sure to be one media type; `application/octet-stream` for
/// nothing. `invalid` (`attachment.type_malformed`) for what is none.
Result<std::string> media_type(std::string_view content_type);
/// The type that the ending of a file's name stands for, for senders that say none;
/// `application/octet-stream` where it stands for nothing known.
std::string media_type_of_name(std::string_view file_name);
/// The type and subtype alone, in lower case.
std::string media_essence(std::string_view content_type);
/// The value of the parameter `charset`, unquoted.
std::optional<std::string> charset_of(std::string_view content_type);
/// The type with another charset.
std::string with_charset(std::string_view content_type, std::string_view charset);

/// Whether a browser might run such bytes, or look for something to run in them.
bool is_active_content(std::string_view content_type);
/// RFC 6266, with the name in ASCII and in UTF-8.
std::string content_disposition(bool is_file, std::string_view name);

}  // namespace stele::sdk

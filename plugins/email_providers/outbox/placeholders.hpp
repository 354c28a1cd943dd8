#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::email_providers {

/// What the text around a placeholder is.
enum class PlaceholderText {
    plain,
    html,         ///< values are escaped, so that they cannot add markup
    header_line,  ///< values with control characters are refused
};

/// Replaces each `${path}` by the model's member of that dotted path: a string, a number, a boolean
/// or null (nothing). `$${` stands for `${`. `invalid` naming `member` when the model has no such
/// member or an object or array there (`email_providers.placeholder_unknown`), or when a value may
/// not stand in a header line (`email_providers.header_malformed`), or when there are more than
/// `kMaxPlaceholders`; `too_large` (`email_providers.message_too_large`) when the text becomes
/// longer than `most` bytes.
sdk::Result<std::string> fill_in(std::string_view text, const sdk::Json& model,
                                 PlaceholderText kind, std::string_view member, std::size_t most);

inline constexpr std::size_t kMaxPlaceholders = 10'000;

}  // namespace stele::email_providers

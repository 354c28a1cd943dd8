#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

// Members of objects from outside, read leniently: a missing one, or one of another kind, is none.
// Declared fields are checked before a handler runs, so only open documents need this.

/// A string member; empty when it is missing or something else.
std::string text_member(const Json& object, std::string_view name);
/// A boolean member, also as text (`"false"`); `fallback` when it is missing or something else.
bool flag_member(const Json& object, std::string_view name, bool fallback);
/// A whole number, also as text; nothing when it is missing or something else.
std::optional<std::int64_t> integer_member(const Json& object, std::string_view name);
/// When something happened to a record by its `_system` (`created_on`, `modified_on`), epoch
/// milliseconds; 0 where it does not say.
std::int64_t system_ms(const Json& record, std::string_view event);
/// Whether a member is an array with the text in it, or the text itself.
bool lists_text(const Json& object, std::string_view name, std::string_view text);

/// `invalid` unless every entry of the array is an object with a text, none empty, in each of the
/// members; one violation for each that is missing, by its place (`checks.2.principalId`).
[[nodiscard]] Result<void> require_texts(const Json& entries, std::string_view name,
                                         std::initializer_list<const char*> members);

/// Makes room for so many members of an object, which are copied otherwise while it grows.
void reserve_members(Json& object, std::size_t count);

}  // namespace stele::sdk

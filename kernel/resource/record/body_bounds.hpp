#pragma once

#include <stele/sdk/descriptor.hpp>
#include <stele/sdk/json.hpp>

namespace stele::kernel::resource {

/// So many entries may all arrays together have that lie inside one member of a body: each has a
/// bound of its own, and many of them in one another would still be too much.
inline constexpr std::size_t kMaxInnerEntries = 10'000;

/// So many members may one object have that comes from outside, or is kept: names are looked for
/// one after another.
inline constexpr std::size_t kMaxMembers = 10'000;

/// Whether no object in a body, however deep, has more members than `kMaxMembers`; `invalid`
/// (`request.too_many_members`) naming the object otherwise.
sdk::Result<void> check_members(const sdk::Json& body);

/// How an object with more members is refused.
sdk::Violation too_many_members(std::string_view object);

/// So many bytes may the name of a member of a record have: differences, violations and rows of
/// searches repeat names, so a long one makes replies a thousand times as large as the record.
inline constexpr std::size_t kMaxNameBytes = 1024;

/// Whether no member of a record, however deep, has a longer name; `invalid`
/// (`field.name_too_long`) naming the member otherwise. What the server keeps itself is not looked
/// at.
sdk::Result<void> check_names(const sdk::Json& fields);

/// Whether the arrays of a body are as short as its operation declares (`sdk::Bounds`); `invalid`
/// (`request.too_many_entries`) naming the member otherwise. Arrays of records are what their
/// families' fields say.
sdk::Result<void> check_bounds(const sdk::Json& body, sdk::BodyUse use, const sdk::Bounds& bounds);

/// How an array with more entries than `most` is refused.
sdk::Violation too_many_entries(std::string_view member, std::size_t most);

}  // namespace stele::kernel::resource

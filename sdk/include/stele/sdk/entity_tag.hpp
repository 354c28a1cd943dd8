#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

class Call;

/// Whether `If-Match` names `present`: a star, or a list of quoted tags, compared strongly, so that
/// a weak one fits nothing (RFC 9110, 13.1.1). Anything else fits nothing either. Any thread.
[[nodiscard]] bool names_strong_tag(std::string_view if_match, std::string_view present);

/// The tag of a version of a record: what `If-Match` is compared with.
[[nodiscard]] std::string version_tag(std::string_view id, std::uint64_t version);

/// `precondition_failed` (`document.version_changed`) where the call has an `If-Match` that does
/// not name `present`. Of the record that a route addresses the kernel has asked before the handler
/// runs; for whatever else has a tag of its own.
[[nodiscard]] Result<void> check_if_match(const Call& call, std::string_view present);

}  // namespace stele::sdk

#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

namespace stele::node_rules {

/// What a node says and which attachments it has: all that its copy on another branch has, too.
/// Links to a node are the same whatever branch they name it on, and members in whatever order.
sdk::Json said_by(const sdk::Json& node);

std::uint64_t digest_of(const sdk::Json& said);

/// The part of its changeset's id that it has from the beginning: in the transaction that writes it
/// the changeset has no number yet.
std::string changeset_of(const sdk::Json& node);

/// When it was changed last, in epoch milliseconds; 0 where it does not say so.
std::uint64_t modified_ms(const sdk::Json& node);

/// Whether a rule may bring a node at all. Not associations, nor what other branches have by
/// themselves (root, persons, groups, tags), nor rules: whoever has one brought would answer for
/// it there.
bool is_brought(const sdk::Json& node);

}  // namespace stele::node_rules

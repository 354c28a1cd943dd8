#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>

#include "version/version_space.hpp"

namespace stele::nodes {

/// Of the random part of an id.
inline constexpr std::size_t kRandomPartSize = 20;

/// What clients call a changeset (docs/specification/nodes.md 2): its revision, counted from 0, and
/// a random part; the first one of a repository is `0:root`.
std::string changeset_id(Revision revision, std::string_view random_part);
/// The number in the id, as clients count revisions.
std::uint64_t revision_number(Revision revision);
/// The revision of an id; nothing when the text is none. The random part is not looked at.
std::optional<Revision> revision_of(std::string_view changeset_id);

/// What is kept about a changeset beside its revision and what it wrote.
struct ChangesetNote {
    std::string random_part;
    std::int64_t made_ms = 0;
    std::string user_name;
    std::string user_id;
    std::string user_domain_id;
    std::string summary;
    /// Revision of the changeset that was merged in; 0 for none.
    Revision merged = 0;

    void set_user(const sdk::Principal& user);

    std::string encode() const;
    /// `internal` (`nodes.changeset_note_broken`) when the bytes are no note.
    static sdk::Result<ChangesetNote> decode(std::string_view bytes);
};

/// Of whoever acts, now, with a new random part.
ChangesetNote new_note(const sdk::Principal& user);

}  // namespace stele::nodes

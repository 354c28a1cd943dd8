#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::note {

/// A short text that can be pinned.
///
/// The standard operations come from the descriptor; only `pin` is written by hand.
class Note final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;

    /// POST {note}/pin : sets `pinned` and answers the note.
    sdk::Result<sdk::Reply> pin(const sdk::Call& call);
};

}  // namespace stele::note

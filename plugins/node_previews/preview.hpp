#pragma once

#include <memory>
#include <string>

namespace stele::node_previews {

/// What became of an attempt to make a preview. The values stand in files of the cache.
enum class PreviewState : char {
    ready = 'R',
    /// The source is a picture, and broken.
    unreadable = 'B',
    /// It has more pixels than the server takes.
    too_large = 'L',
    /// Making it took more time, memory or bytes than it may.
    exhausted = 'X',
};

/// A preview, or that there is none.
struct Preview {
    PreviewState state = PreviewState::unreadable;
    /// The picture; empty unless `ready`.
    std::string bytes = {};
};

/// Shared by everybody who asked for the same one at the same time.
using PreviewPtr = std::shared_ptr<const Preview>;

}  // namespace stele::node_previews

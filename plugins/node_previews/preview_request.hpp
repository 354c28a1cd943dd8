#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/call.hpp>
#include <stele/sdk/result.hpp>

namespace stele::node_previews {

/// What a caller wants to see (docs/reference/node_previews.md).
struct PreviewRequest {
    std::string attachment;
    /// The box into which the picture has to fit.
    int width = 0;
    int height = 0;
    std::string content_type;
    bool is_forced = false;
    /// Where callers without a preview are sent; empty: an error tells them.
    std::string fallback;

    /// `invalid` naming the parameter; `unsupported` (`node_previews.type_unsupported`).
    static sdk::Result<PreviewRequest> read(const sdk::Call& call);

    /// The end of a file name that stands for the content type.
    std::string suffix() const;
    /// Names the preview of these bytes, everywhere and for ever.
    std::string key(std::string_view object_id) const;
};

/// Whether previews can have the content type.
bool is_target_type(std::string_view content_type);
/// Whether the beginning of a file is that of one that has previews.
bool is_picture(std::string_view head);
/// Bytes that `is_picture` looks at.
inline constexpr std::size_t kHeadBytes = 16;

}  // namespace stele::node_previews

#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// What a picture shall be: within a box, its proportions kept, never larger than its source.
struct PictureTask {
    static constexpr int kMaxSide = 4096;

    int width = kMaxSide;
    int height = kMaxSide;
    std::string content_type;
};

/// Makes pictures of the bytes of attachments. Published by the plugin of previews, which is opened
/// late: ask for it when it is needed. Waits for another process: for workers only. Any thread.
class PictureMaker {
public:
    virtual ~PictureMaker();

    /// The picture's bytes. `object_id` names those of the source, wherever they lie.
    /// `unimplemented` (`node_previews.type_unsupported`, `node_previews.source_unsupported`) where
    /// it makes no pictures of that type or of such bytes; `not_found` where this source has none,
    /// as it is broken or beyond a bound; `limited` (`node_previews.busy`).
    virtual Result<std::string> make_picture(std::string_view object_id, BlobStore::Reader& source,
                                             const PictureTask& task) = 0;
};

}  // namespace stele::sdk

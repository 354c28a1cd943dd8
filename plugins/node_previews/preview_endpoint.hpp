#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/services/picture_maker.hpp>

#include "preview_cache.hpp"
#include "preview_request.hpp"
#include "preview_source.hpp"
#include "render_queue.hpp"
#include "renderer.hpp"
#include "settings.hpp"

namespace stele::node_previews {

/// GET {N}/preview/{name}: an attachment as a small picture; and the same for other plugins. Any
/// thread.
class PreviewEndpoint final : public sdk::PictureMaker {
public:
    PreviewEndpoint(const PreviewSettings& settings, sdk::NodePaths& paths);

    /// Readies the folder of previews.
    sdk::Result<void> open() { return cache_.prepare(); }

    sdk::Result<sdk::Reply> run(const sdk::Call& call);
    sdk::Result<std::string> make_picture(std::string_view object_id,
                                          sdk::BlobStore::Reader& source,
                                          const sdk::PictureTask& task) override;

private:
    sdk::Result<PreviewPtr> preview(const sdk::Call& call, const sdk::Document& node,
                                    const PreviewRequest& request, const PreviewSource& source);
    /// Of bytes that are a picture: kept, or made now.
    sdk::Result<PreviewPtr> picture(const std::string& key, sdk::BlobStore::Reader& bytes,
                                    const PreviewRequest& request);
    sdk::Result<PreviewPtr> make(sdk::BlobStore::Reader& bytes, const PreviewRequest& request);

    const PreviewSettings settings_;
    sdk::NodePaths& paths_;
    PreviewCache cache_;
    RenderQueue queue_;
    Renderer renderer_;
};

void add_endpoints(sdk::Registrar& registrar, PreviewEndpoint& endpoint);

}  // namespace stele::node_previews

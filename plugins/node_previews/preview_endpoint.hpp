#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

#include "preview_cache.hpp"
#include "preview_request.hpp"
#include "preview_source.hpp"
#include "render_queue.hpp"
#include "renderer.hpp"
#include "settings.hpp"

namespace stele::node_previews {

/// GET {N}/preview/{name}: an attachment as a small picture. Any thread.
class PreviewEndpoint {
public:
    explicit PreviewEndpoint(const PreviewSettings& settings);

    /// Readies the folder of previews.
    sdk::Result<void> open() { return cache_.prepare(); }

    sdk::Result<sdk::Reply> run(const sdk::Call& call);

private:
    sdk::Result<PreviewPtr> preview(const sdk::Call& call, const sdk::Document& node,
                                    const PreviewRequest& request, const PreviewSource& source);
    sdk::Result<PreviewPtr> make(sdk::BlobStore::Reader& bytes, const PreviewRequest& request);

    const PreviewSettings settings_;
    PreviewCache cache_;
    RenderQueue queue_;
    Renderer renderer_;
};

void add_endpoints(sdk::Registrar& registrar, PreviewEndpoint& endpoint);

}  // namespace stele::node_previews

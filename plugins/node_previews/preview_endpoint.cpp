#include "preview_endpoint.hpp"

#include <fmt/format.h>

namespace stele::node_previews {

namespace {

/// Whatever the bytes are: no script, no form, no request, no origin.
constexpr char kInert[] = "default-src 'none'; sandbox";

constexpr char kSourceUnsupported[] = "node_previews.source_unsupported";

sdk::Error refusal(const char* code, const std::string& message) {
    return sdk::make_error(sdk::ErrorKind::not_found, code, message);
}

sdk::Error refusal(PreviewState state) {
    switch (state) {
        case PreviewState::too_large:
            return refusal("node_previews.source_too_large",
                           "there is no preview: the attachment has too many pixels");
        case PreviewState::exhausted:
            return refusal("node_previews.limit_exceeded",
                           "there is no preview: making it takes too much time or memory");
        default:
            return refusal("node_previews.source_unreadable",
                           "there is no preview: the attachment is broken");
    }
}

/// What a caller gets in place of a preview.
sdk::Result<sdk::Reply> without_preview(const PreviewRequest& request, const sdk::Error& reason) {
    if (request.fallback.empty() || !sdk::is_missing(reason)) return reason;
    return sdk::Reply::redirect(request.fallback);
}

}  // namespace

PreviewEndpoint::PreviewEndpoint(const PreviewSettings& settings, sdk::NodePaths& paths)
    : settings_(settings),
      paths_(paths),
      cache_(settings.folder, settings.cache),
      queue_(settings.concurrent, settings.waiting),
      renderer_(settings.program, cache_) {}

sdk::Result<sdk::Reply> PreviewEndpoint::run(const sdk::Call& call) {
    auto node = find_node(call, paths_);
    if (!node) return node.error();
    auto request = PreviewRequest::read(call);
    if (!request) return request.error();
    auto source = PreviewSource::find(*node, request->attachment);
    if (!source) return without_preview(*request, source.error());
    auto found = preview(call, *node, *request, *source);
    if (!found) return without_preview(*request, found.error());
    if ((*found)->state != PreviewState::ready)
        return without_preview(*request, refusal((*found)->state));
    sdk::Reply reply = sdk::Reply::text((*found)->bytes, request->content_type);
    reply.header("Content-Security-Policy", kInert);
    reply.etag('"' + request->key(source->object_id) + '"');
    return reply;
}

sdk::Result<PreviewPtr> PreviewEndpoint::preview(const sdk::Call& call, const sdk::Document& node,
                                                 const PreviewRequest& request,
                                                 const PreviewSource& source) {
    if (source.length > settings_.source_bytes) {
        return refusal("node_previews.source_too_large",
                       fmt::format("there is no preview: the attachment has more than {} bytes",
                                   settings_.source_bytes));
    }
    const std::string key = request.key(source.object_id);
    if (!request.is_forced) {
        if (auto kept = cache_.find(key)) return kept;
    }
    auto bytes = source.open(call.context(), node);
    if (!bytes) return bytes.error();
    return picture(key, **bytes, request);
}

sdk::Result<PreviewPtr> PreviewEndpoint::picture(const std::string& key,
                                                 sdk::BlobStore::Reader& bytes,
                                                 const PreviewRequest& request) {
    std::string head;
    if (auto read = bytes.read(0, kHeadBytes, head); !read) return read.error();
    if (!is_picture(head)) {
        return refusal(kSourceUnsupported,
                       "there is no preview: the attachment is none of JPEG, PNG, GIF, WebP, TIFF "
                       "and PDF");
    }
    return queue_.run(key, [&]() -> sdk::Result<PreviewPtr> {
        // Somebody may have made it since it was looked for.
        if (!request.is_forced) {
            if (auto kept = cache_.find(key)) return kept;
        }
        auto made = make(bytes, request);
        if (made) cache_.keep(key, **made);
        return made;
    });
}

sdk::Result<std::string> PreviewEndpoint::make_picture(std::string_view object_id,
                                                       sdk::BlobStore::Reader& source,
                                                       const sdk::PictureTask& task) {
    PreviewRequest request;
    request.width = task.width;
    request.height = task.height;
    request.content_type = task.content_type;
    if (!is_target_type(task.content_type)) {
        return sdk::make_error(sdk::ErrorKind::unimplemented, "node_previews.type_unsupported",
                               "pictures are image/jpeg, image/png or image/webp");
    }
    if (source.size() > settings_.source_bytes) return refusal(PreviewState::too_large);
    const std::string key = request.key(object_id);
    auto kept = cache_.find(key);
    if (!kept) {
        auto made = picture(key, source, request);
        if (!made && made.error().code == kSourceUnsupported) {
            sdk::Error error = made.error();
            error.kind = sdk::ErrorKind::unimplemented;
            return error;
        }
        if (!made) return made.error();
        kept = *made;
    }
    if (kept->state != PreviewState::ready) return refusal(kept->state);
    return kept->bytes;
}

sdk::Result<PreviewPtr> PreviewEndpoint::make(sdk::BlobStore::Reader& bytes,
                                              const PreviewRequest& request) {
    auto file = cache_.open_nameless();
    if (!file) return file.error();
    if (auto copied = copy_bytes(bytes, *file); !copied) return copied.error();
    return renderer_.render({.width = request.width,
                             .height = request.height,
                             .suffix = request.suffix(),
                             .limits = settings_.limits},
                            *file);
}

static std::vector<sdk::Parameter> preview_parameters() {
    using enum sdk::FieldKind;
    return {{"path"},
            {"attachment"},
            {"size", false, integer},
            {"width", false, integer},
            {"height", false, integer},
            {"mimetype", false, text, {"image/jpeg", "image/png", "image/webp"}},
            {"force", false, boolean},
            {"fallback"}};
}

void add_endpoints(sdk::Registrar& registrar, PreviewEndpoint& endpoint) {
    const auto path = [](const char* branches, const char* nodes) {
        return fmt::format(
            "/repositories/{{repositoryId}}/{}/{{branchId}}/{}/{{nodeId}}/"
            "preview/{{name}}",
            branches, nodes);
    };
    registrar.add(
        sdk::Endpoint{.method = "GET",
                      .path = path("branches", "nodes"),
                      .title = "preview an attachment",
                      .run = [&endpoint](const sdk::Call& call) { return endpoint.run(call); },
                      .parameters = preview_parameters(),
                      .slow = true,
                      .answers = sdk::shape::bytes("image/*"),
                      .path_aliases = {path("branches", "n"), path("b", "nodes"), path("b", "n")}});
}

}  // namespace stele::node_previews

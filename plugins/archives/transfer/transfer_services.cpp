#include "transfer/transfer_services.hpp"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

namespace stele::archives {

std::filesystem::path TransferServices::scratch_folder() const {
    return archives.scratch_folder();
}

bool is_out_of_sight(const sdk::Error& error) {
    return sdk::is_missing(error) || error.kind == sdk::ErrorKind::forbidden;
}

sdk::Result<std::vector<std::string>> references_to(sdk::Context& context,
                                                    const sdk::Families& families,
                                                    const sdk::RecordKey& key) {
    std::vector<std::string> inwards;
    std::optional<sdk::RecordKey> step = key;
    while (step) {
        auto reference = context.reference(*step);
        if (!reference) return reference.error();
        inwards.push_back(*std::move(reference));
        auto above = families.container_of(context, *step);
        if (!above) return above.error();
        step = *std::move(above);
    }
    std::reverse(inwards.begin(), inwards.end());
    return inwards;
}

sdk::Result<sdk::Json> json_of(sdk::Result<sdk::Reply> reply) {
    if (!reply) return reply.error();
    std::string text = reply->body();
    bool has_more = static_cast<bool>(reply->source());
    while (has_more) {
        auto pulled = reply->source()(text);
        if (!pulled) return pulled.error();
        has_more = *pulled;
    }
    return sdk::parse_json(text, {.depth = 200});
}

sdk::Result<sdk::PieceSource> pieces_of(sdk::Result<sdk::Reply> reply) {
    if (!reply) return reply.error();
    sdk::BodySource source = reply->ranges() ? reply->ranges()(0, reply->size()) : reply->source();
    if (!source) {
        return sdk::make_error(sdk::ErrorKind::internal, "archives.transfer_download_unfit",
                               "an attachment answers no bytes");
    }
    return sdk::PieceSource([source = std::move(source),
                             has_more = true](std::string& piece) mutable -> sdk::Result<void> {
        piece.clear();
        while (has_more && piece.empty()) {
            auto pulled = source(piece);
            if (!pulled) return pulled.error();
            has_more = *pulled;
        }
        return {};
    });
}

}  // namespace stele::archives

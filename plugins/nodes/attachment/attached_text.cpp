#include "attachment/attached_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/log.hpp>

#include <stele/sdk/attachment_names.hpp>
#include "attachment/attachments.hpp"
#include "attachment/binaries.hpp"
#include "attachment/text_recoder.hpp"

namespace stele::nodes {

namespace {

bool is_markup(std::string_view essence) {
    return essence == "text/html" || essence == "text/xml" || essence == "application/xml" ||
           essence.ends_with("+xml");
}

bool is_text(std::string_view essence) {
    return essence.starts_with("text/") || essence == "application/json" ||
           essence.ends_with("+json") || is_markup(essence);
}

/// Every tag becomes a space, so that the words around it stay apart.
std::string without_tags(std::string_view markup) {
    std::string text;
    while (!markup.empty()) {
        const std::size_t tag = std::min(markup.find('<'), markup.size());
        text.append(markup.substr(0, tag)).push_back(' ');
        const std::size_t end = markup.find('>', tag);
        markup.remove_prefix(end == std::string_view::npos ? markup.size() : end + 1);
    }
    return text;
}

sdk::Result<std::string> text_of(sdk::BlobStore& binaries, const Attachment& attachment,
                                 std::size_t limit) {
    auto bytes = first_bytes(binaries, attachment.object_id, limit);
    if (!bytes) return bytes;
    auto recoder = TextRecoder::open("UTF-8");
    if (!recoder) return recoder.error();
    std::string text;
    if (auto converted = recoder->convert(*bytes, true, text); !converted) return converted.error();
    return is_markup(sdk::media_essence(attachment.content_type)) ? without_tags(text) : text;
}

}  // namespace

sdk::Result<std::string> attached_text(Services& services, const sdk::Reader& reader,
                                       const sdk::ContentSpace& space,
                                       const sdk::ContentVersion& version, std::size_t limit) {
    auto attachments = attachments_in(version);
    if (!attachments) return attachments.error();
    std::string all;
    sdk::BlobStore* binaries = nullptr;
    for (const Attachment& attachment : *attachments) {
        if (!is_text(sdk::media_essence(attachment.content_type))) continue;
        if (all.size() >= limit) break;
        if (binaries == nullptr) {
            auto place = binaries_of(services, reader, space);
            if (!place) return place.error();
            // Nobody will search it; whoever follows the changes must get on with the others.
            if (*place == nullptr) return all;
            binaries = *place;
        }
        auto text = text_of(*binaries, attachment, limit - all.size());
        if (!text) {
            sdk::log(sdk::LogLevel::warning, "nodes",
                     fmt::format("attachment {} of node {} cannot be searched: {}", attachment.id,
                                 version.node, text.error().message));
            continue;
        }
        all.append(*text).push_back('\n');
    }
    return all;
}

}  // namespace stele::nodes

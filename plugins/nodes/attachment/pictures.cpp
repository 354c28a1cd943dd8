#include "attachment/pictures.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/services/picture_maker.hpp>

#include "attachment/attachment_writer.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kThumbnail[] = "thumbnail";
constexpr char kUsualType[] = "image/jpeg";
constexpr int kUsualSide = 256;
/// Pictures that one node asks for.
constexpr std::size_t kMaxPictures = 20;
/// Of an attachment that was made of another one: of which bytes, and how.
constexpr char kDerivedFrom[] = "derivedFrom";

int side_of(const sdk::Json& config, const char* name, int usual) {
    const auto side = sdk::integer_member(config, name).value_or(0);
    if (side < 1) return usual;
    return static_cast<int>(std::min<std::int64_t>(side, sdk::PictureTask::kMaxSide));
}

PictureOrder order_of(const sdk::Json& config, std::string target) {
    PictureOrder order;
    order.target = std::move(target);
    order.content_type = sdk::text_member(config, "mimetype");
    if (order.content_type.empty()) order.content_type = kUsualType;
    const std::string source = sdk::text_member(config, "source");
    if (!source.empty()) order.source = source;
    const bool has_box = sdk::integer_member(config, "width").value_or(0) > 0 ||
                         sdk::integer_member(config, "height").value_or(0) > 0;
    const int usual = has_box ? sdk::PictureTask::kMaxSide : kUsualSide;
    order.width = side_of(config, "width", usual);
    order.height = side_of(config, "height", usual);
    return order;
}

const sdk::Json* config_of(const sdk::Json& node, const char* feature) {
    if (!has_feature(node, feature)) return nullptr;
    const sdk::Json& config = node[member::kFeatures][feature];
    return config.is_object() ? &config : nullptr;
}

/// What both features ask for; at most so many.
std::vector<PictureOrder> orders_of(const sdk::Json& node) {
    std::vector<PictureOrder> orders;
    if (const sdk::Json* config = config_of(node, feature::kThumbnailable))
        orders.push_back(order_of(*config, kThumbnail));
    const sdk::Json* config = config_of(node, feature::kPreviewable);
    const auto previews = config ? config->find("previews") : sdk::Json::const_iterator();
    if (!config || previews == config->end() || !previews->is_object()) return orders;
    for (const auto& [key, preview] : previews->items()) {
        if (!preview.is_object() || orders.size() == kMaxPictures) continue;
        orders.push_back(order_of(preview, sdk::text_member(preview, "prefix") + key));
    }
    std::erase_if(orders, [](const PictureOrder& order) {
        return order.target == order.source || !sdk::check_attachment_id(order.target);
    });
    return orders;
}

std::string recipe_of(const PictureOrder& order, const std::string& object_id) {
    return fmt::format("{} {}x{} {}", object_id, order.width, order.height, order.content_type);
}

/// Whether a source simply has no such picture.
bool is_without_picture(const sdk::Error& error) {
    return sdk::is_missing(error) || error.kind == sdk::ErrorKind::unimplemented;
}

sdk::Result<void> derive(const BranchContent& content, const PictureOrder& order,
                         sdk::Json& attachments) {
    const auto present = attachments.find(order.target);
    // What somebody uploaded under that id is theirs.
    if (present != attachments.end() && !present->contains(kDerivedFrom)) return {};
    auto source = find_attachment(attachments, order.source);
    const std::string recipe = source ? recipe_of(order, source->object_id) : std::string();
    if (source && present != attachments.end() &&
        sdk::text_member(*present, kDerivedFrom) == recipe)
        return {};
    auto made = source ? make_picture(content, attachments, order)
                       : sdk::Result<Attachment>(source.error());
    if (!made && !is_without_picture(made.error())) return made.error();
    if (!made) {
        attachments.erase(order.target);
        return {};
    }
    sdk::Json kept = made->to_json();
    kept[kDerivedFrom] = recipe;
    attachments[order.target] = std::move(kept);
    return {};
}

}  // namespace

sdk::Result<Attachment> make_picture(const BranchContent& content, const sdk::Json& attachments,
                                     const PictureOrder& order) {
    auto source = find_attachment(attachments, order.source);
    if (!source) return source.error();
    // Whoever makes pictures is opened after this plugin.
    auto* const maker = content.services().registrar.find<sdk::PictureMaker>();
    if (maker == nullptr) {
        return sdk::make_error(sdk::ErrorKind::unimplemented, "nodes.transform_missing",
                               "no enabled plugin of this server makes pictures");
    }
    auto binaries = content.context().data_stores().binaries(content.branch());
    if (!binaries) return binaries.error();
    auto bytes = (*binaries)->open(source->object_id);
    if (!bytes) return bytes.error();
    auto picture = maker->make_picture(
        source->object_id, **bytes,
        {.width = order.width, .height = order.height, .content_type = order.content_type});
    if (!picture) return picture.error();
    const std::string subtype = order.content_type.substr(order.content_type.find('/') + 1);
    return store_attachment(content,
                            {.id = order.target,
                             .file_name = order.target + '.' + subtype,
                             .content_type = order.content_type},
                            [&picture](std::string& piece) -> sdk::Result<void> {
                                piece = std::move(*picture);
                                picture->clear();
                                return {};
                            });
}

sdk::Result<void> derive_pictures(const BranchContent& content, const sdk::Json& node,
                                  sdk::Json& attachments) {
    for (const PictureOrder& order : orders_of(node)) {
        if (auto derived = derive(content, order, attachments); !derived) return derived;
    }
    return {};
}

}  // namespace stele::nodes

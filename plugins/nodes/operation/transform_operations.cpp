#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/services/picture_maker.hpp>

#include "attachment/attachment_writer.hpp"
#include "attachment/pictures.hpp"
#include "branch/parameters.hpp"
#include "branch/protection.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

sdk::Result<int> side_parameter(const sdk::Call& call, const char* name) {
    const std::string text = text_parameter(call, name);
    if (text.empty()) return sdk::PictureTask::kMaxSide;
    int side = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), side);
    const bool is_whole = problem == std::errc() && end == text.data() + text.size();
    if (is_whole && side >= 1 && side <= sdk::PictureTask::kMaxSide) return side;
    return sdk::invalid_parameter(
        name, fmt::format("must be 1 to {} pixels", sdk::PictureTask::kMaxSide));
}

sdk::Result<PictureOrder> picture_order(const sdk::Call& call) {
    PictureOrder order;
    order.content_type = sdk::lower_case(text_parameter(call, "mimetype"));
    if (order.content_type.empty()) return sdk::invalid_parameter("mimetype", "is missing");
    auto type = sdk::media_type(order.content_type);
    if (!type) return type.error();
    const std::string source = text_parameter(call, "attachment");
    if (!source.empty()) order.source = source;
    order.target = text_parameter(call, "target");
    if (order.target.empty()) {
        order.target =
            order.source + '_' + order.content_type.substr(order.content_type.find('/') + 1);
    }
    if (auto fine = sdk::check_attachment_id(order.target); !fine) return fine.error();
    auto width = side_parameter(call, "width");
    if (!width) return width.error();
    auto height = side_parameter(call, "height");
    if (!height) return height.error();
    order.width = *width;
    order.height = *height;
    return order;
}

/// An attachment in another format, as another attachment.
sdk::Result<sdk::Reply> transform_attachment(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto writable = check_branch_writable(*content); !writable) return writable.error();
    if (auto free = check_unlocked(*content, call.record()); !free) return free.error();
    auto order = picture_order(call);
    if (!order) return order.error();
    sdk::Json attachments = kept_attachments(call.record().fields);
    auto made = make_picture(*content, attachments, *order);
    if (!made) return made.error();
    attachments[made->id] = made->to_json();
    auto changed = put_attachments(*content, call.record(), attachments);
    if (!changed) return changed.error();
    return sdk::Reply::status(changed->fields);
}

}  // namespace

sdk::Actions node_transform_actions() {
    return {{.name = "transform",
             .permission = sdk::Permission::update,
             .run = operation<&transform_attachment>(),
             .parameters = {{"mimetype", true}, {"attachment"}, {"target"}, {"width"}, {"height"}},
             .slow = true}};
}

}  // namespace stele::nodes

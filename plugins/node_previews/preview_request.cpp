#include "preview_request.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include <stele/sdk/letter_case.hpp>

namespace stele::node_previews {

namespace {

constexpr int kUsualSize = 256;
constexpr int kMaxSize = 4096;
constexpr char kFree[] = "-1";
constexpr std::size_t kMaxFallbackLength = 2048;
constexpr char kDefaultAttachment[] = "default";
constexpr char kDefaultType[] = "image/jpeg";
/// Grows when previews of the same bytes begin to look different.
constexpr int kEdition = 1;

struct TargetType {
    std::string_view content_type;
    std::string_view suffix;
};
constexpr std::array<TargetType, 3> kTargets{
    {{"image/jpeg", ".jpg"}, {"image/png", ".png"}, {"image/webp", ".webp"}}};

sdk::Result<std::optional<int>> read_size(const sdk::Call& call, std::string_view name) {
    const auto text = call.parameter(name);
    if (!text || *text == kFree) return std::optional<int>();
    int size = 0;
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), size);
    if (problem != std::errc() || end != text->data() + text->size() || size < 1 ||
        size > kMaxSize) {
        return sdk::invalid_parameter(name, fmt::format("must be 1 to {} pixels", kMaxSize));
    }
    return std::optional<int>(size);
}

sdk::Result<void> read_box(const sdk::Call& call, PreviewRequest& request) {
    auto size = read_size(call, "size");
    if (!size) return size.error();
    auto width = read_size(call, "width");
    if (!width) return width.error();
    auto height = read_size(call, "height");
    if (!height) return height.error();
    // A side that is left out is free beside one that is given.
    const int other = *width || *height ? kMaxSize : kUsualSize;
    request.width = width->value_or(size->value_or(other));
    request.height = height->value_or(size->value_or(other));
    return {};
}

sdk::Result<std::string> read_type(const sdk::Call& call) {
    const std::string wanted = sdk::lower_case(call.parameter("mimetype").value_or(kDefaultType));
    if (is_target_type(wanted)) return wanted;
    return sdk::make_error(sdk::ErrorKind::unsupported, "node_previews.type_unsupported",
                           "previews are image/jpeg, image/png or image/webp");
}

/// A place on this server: previews are no way to lead a browser to strangers.
sdk::Result<std::string> read_fallback(const sdk::Call& call) {
    const std::string fallback = call.parameter("fallback").value_or("");
    if (fallback.empty()) return fallback;
    const bool is_path =
        fallback.size() <= kMaxFallbackLength && fallback.front() == '/' &&
        fallback.substr(0, 2) != "//" && std::all_of(fallback.begin(), fallback.end(), [](char c) {
            return c > ' ' && c < 0x7f &&
                   std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
        });
    if (is_path) return fallback;
    return sdk::invalid_parameter(
        "fallback", "must be a path of this server: / and what may stand in an address, encoded");
}

}  // namespace

sdk::Result<PreviewRequest> PreviewRequest::read(const sdk::Call& call) {
    PreviewRequest request;
    request.attachment = call.parameter("attachment").value_or(kDefaultAttachment);
    if (auto fine = read_box(call, request); !fine) return fine.error();
    auto type = read_type(call);
    if (!type) return type.error();
    request.content_type = std::move(*type);
    auto is_forced = call.flag("force");
    if (!is_forced) return is_forced.error();
    request.is_forced = is_forced->value_or(false);
    auto fallback = read_fallback(call);
    if (!fallback) return fallback.error();
    request.fallback = std::move(*fallback);
    return request;
}

std::string PreviewRequest::suffix() const {
    const auto found =
        std::find_if(kTargets.begin(), kTargets.end(),
                     [this](const TargetType& type) { return type.content_type == content_type; });
    return std::string(found->suffix);
}

std::string PreviewRequest::key(std::string_view object_id) const {
    return fmt::format("{}-{}x{}-{}{}", object_id, width, height, kEdition, suffix());
}

bool is_target_type(std::string_view content_type) {
    return std::any_of(kTargets.begin(), kTargets.end(), [content_type](const TargetType& type) {
        return type.content_type == content_type;
    });
}

bool is_picture(std::string_view head) {
    using namespace std::string_view_literals;
    static constexpr std::array kBeginnings{"\xff\xd8\xff"sv, "\x89PNG\r\n\x1a\n"sv,
                                            "GIF87a"sv,       "GIF89a"sv,
                                            "II*\0"sv,        "MM\0*"sv,
                                            "II+\0"sv,        "MM\0+"sv,
                                            "%PDF-"sv};
    const bool is_webp =
        head.substr(0, 4) == "RIFF"sv && head.size() >= 12 && head.substr(8, 4) == "WEBP"sv;
    return is_webp ||
           std::any_of(kBeginnings.begin(), kBeginnings.end(), [head](std::string_view beginning) {
               return head.substr(0, beginning.size()) == beginning;
           });
}

}  // namespace stele::node_previews

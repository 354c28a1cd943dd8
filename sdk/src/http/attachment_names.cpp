#include <stele/sdk/attachment_names.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

namespace stele::sdk {

namespace {

constexpr std::size_t kMaxIdLength = 255;
constexpr std::size_t kMaxNameLength = 255;
constexpr std::size_t kMaxTypeLength = 255;
constexpr char kUnknownType[] = "application/octet-stream";
constexpr char kCharset[] = "charset=";

bool is_control_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

bool is_one_segment(std::string_view name) {
    return !name.empty() && name.size() <= kMaxIdLength && name != "." && name != ".." &&
           name.find_first_of("/\\") == std::string_view::npos &&
           std::none_of(name.begin(), name.end(), is_control_byte);
}

bool is_media_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

/// Where the parameter lies in a media type, its name included; both 0 when there is none.
struct CharsetPlace {
    std::size_t begin = 0;
    std::size_t end = 0;
};
CharsetPlace charset_place(std::string_view content_type) {
    bool is_quoted = false;
    for (std::size_t i = 0; i < content_type.size(); ++i) {
        if (content_type[i] == '"') is_quoted = !is_quoted;
        if (content_type[i] != ';' || is_quoted) continue;
        const std::size_t begin = content_type.find_first_not_of(" \t", i + 1);
        if (begin == std::string_view::npos) return {};
        const std::string_view rest = content_type.substr(begin);
        const std::string_view name(kCharset);
        if (!equals_ignoring_case(rest.substr(0, name.size()), name)) continue;
        const bool has_quote = rest.size() > name.size() && rest[name.size()] == '"';
        const std::size_t last =
            has_quote ? rest.find('"', name.size() + 1) : rest.find_first_of("; \t");
        if (last == std::string_view::npos) return {begin, content_type.size()};
        return {begin, begin + last + (has_quote ? 1 : 0)};
    }
    return {};
}

}  // namespace

Result<void> check_attachment_id(std::string_view id) {
    if (is_one_segment(id)) return {};
    return make_error({{"attachmentId", "attachment.id_malformed",
                        "an attachment id has 1 to 255 bytes, no slashes and no control "
                        "characters"}});
}

Result<void> check_file_name(std::string_view name) {
    if (is_one_segment(name)) return {};
    return make_error({{"filename", "file.name_malformed",
                        "a file name has 1 to 255 bytes, no slashes and no control "
                        "characters, and is neither . nor .."}});
}

std::string safe_file_name(std::string_view name, std::string_view fallback) {
    const std::size_t slash = name.find_last_of("/\\");
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    std::string safe;
    std::copy_if(name.begin(), name.end(), std::back_inserter(safe),
                 [](char c) { return !is_control_byte(c); });
    safe = cut_to(trimmed(safe), kMaxNameLength);
    if (safe.empty() || safe == "." || safe == "..") return std::string(fallback);
    return safe;
}

Result<std::string> media_type(std::string_view content_type) {
    content_type = trimmed(content_type);
    if (content_type.empty()) return std::string(kUnknownType);
    const std::string essence = media_essence(content_type);
    const std::size_t slash = essence.find('/');
    const bool is_printable = std::all_of(content_type.begin(), content_type.end(),
                                          [](char c) { return c >= ' ' && c <= '~'; });
    if (is_printable && content_type.size() <= kMaxTypeLength && slash != std::string::npos &&
        is_media_token(essence.substr(0, slash)) && is_media_token(essence.substr(slash + 1)))
        return std::string(content_type);
    return make_error({{"Content-Type", "attachment.type_malformed",
                        "the content type is no media type of at most 255 characters"}});
}

std::string media_type_of_name(std::string_view file_name) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 18> kTypes{{
        {".txt", "text/plain"},
        {".md", "text/markdown"},
        {".csv", "text/csv"},
        {".html", "text/html"},
        {".htm", "text/html"},
        {".css", "text/css"},
        {".js", "text/javascript"},
        {".json", "application/json"},
        {".xml", "application/xml"},
        {".pdf", "application/pdf"},
        {".zip", "application/zip"},
        {".png", "image/png"},
        {".jpg", "image/jpeg"},
        {".jpeg", "image/jpeg"},
        {".gif", "image/gif"},
        {".webp", "image/webp"},
        {".svg", "image/svg+xml"},
        {".mp4", "video/mp4"},
    }};
    const std::string name = lower_case(file_name);
    for (const auto& [ending, type] : kTypes) {
        if (name.ends_with(ending)) return type;
    }
    return kUnknownType;
}

std::string media_essence(std::string_view content_type) {
    return lower_case(trimmed(content_type.substr(0, content_type.find(';'))));
}

std::optional<std::string> charset_of(std::string_view content_type) {
    const CharsetPlace range = charset_place(content_type);
    if (range.end == 0) return std::nullopt;
    std::string value(content_type.substr(range.begin, range.end - range.begin));
    value.erase(0, std::string_view(kCharset).size());
    std::erase(value, '"');
    return value;
}

std::string with_charset(std::string_view content_type, std::string_view charset) {
    const CharsetPlace range = charset_place(content_type);
    std::string type(content_type);
    if (range.end == 0) return type.append("; ").append(kCharset).append(charset);
    return type.replace(range.begin, range.end - range.begin,
                        std::string(kCharset).append(charset));
}

bool is_active_content(std::string_view content_type) {
    static constexpr std::array<std::string_view, 10> kActive{
        "html", "xml", "svg", "xsl", "script", "flash", "java", "multipart/", "message/", "hta"};
    const std::string essence = media_essence(content_type);
    return std::any_of(kActive.begin(), kActive.end(), [&essence](std::string_view part) {
        return essence.find(part) != std::string::npos;
    });
}

std::string content_disposition(bool is_file, std::string_view name) {
    std::string plain;
    for (const char c : name) {
        const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '%';
        // One character in place of each that is not ASCII.
        if (!continues_character(c)) plain.push_back(is_plain ? c : '_');
    }
    return fmt::format("{}; filename=\"{}\"; filename*=UTF-8''{}",
                       is_file ? "attachment" : "inline", plain, percent_encoded(name));
}

}  // namespace stele::sdk

#include "multipart_header.hpp"

#include <algorithm>
#include <vector>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

namespace stele::sdk {

namespace {

constexpr std::string_view kCrLf = "\r\n";
constexpr std::size_t kMaxBoundaryLength = 70;

bool is_boundary_char(char c) {
    constexpr std::string_view kSigns = "'()+_,-./:=? ";
    return is_letter_or_digit(c) || kSigns.find(c) != std::string_view::npos;
}

/// UTF-8 without control characters.
bool is_plain_text(std::string_view text) {
    while (!text.empty()) {
        const auto byte = static_cast<unsigned char>(text.front());
        if (byte < 0x20 || byte == 0x7F) return false;
        const std::size_t size = byte < 0x80 ? 1 : utf8_sequence(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

struct HeaderParameter {
    std::string name;  ///< in lower case
    std::string value;
};

/// A header's value: a word and parameters (RFC 9110, 5.6.6).
struct HeaderValue {
    std::string word;  ///< in lower case
    std::vector<HeaderParameter> parameters;

    const std::string* find(std::string_view name) const {
        for (const HeaderParameter& parameter : parameters) {
            if (parameter.name == name) return &parameter.value;
        }
        return nullptr;
    }
};

/// Takes a quoted string from the front of `text`. A backslash is one unless it stands before a
/// quote or another one: browsers send file names of Windows so.
bool take_quoted(std::string_view& text, std::string& value) {
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') {
            text.remove_prefix(i + 1);
            return true;
        }
        const bool is_escape =
            text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
        if (is_escape) ++i;
        value += text[i];
    }
    return false;
}

std::string take_token(std::string_view& text) {
    const auto* const end = std::find_if_not(text.begin(), text.end(), is_token_character);
    std::string token(text.begin(), end);
    text.remove_prefix(token.size());
    return token;
}

std::optional<HeaderValue> parse_value(std::string_view text) {
    HeaderValue value;
    const std::size_t word_end = std::min(text.find(';'), text.size());
    value.word = lower_case(trimmed(text.substr(0, word_end)));
    text.remove_prefix(word_end);
    while (!text.empty()) {
        text = trimmed(text.substr(1));
        if (text.empty()) break;
        if (text.front() == ';') continue;
        HeaderParameter parameter;
        parameter.name = lower_case(take_token(text));
        text = trimmed(text);
        if (parameter.name.empty() || !text.starts_with('=')) return std::nullopt;
        text = trimmed(text.substr(1));
        if (text.starts_with('"')) {
            if (!take_quoted(text, parameter.value)) return std::nullopt;
        } else {
            parameter.value = take_token(text);
        }
        if (value.find(parameter.name)) return std::nullopt;
        value.parameters.push_back(std::move(parameter));
        text = trimmed(text);
        if (!text.empty() && text.front() != ';') return std::nullopt;
    }
    return value;
}

/// The value of `filename*` (RFC 8187): `UTF-8'language'percent-encoded`.
std::optional<std::string> decode_extended(std::string_view text) {
    const std::size_t charset_end = text.find('\'');
    if (charset_end == std::string_view::npos) return std::nullopt;
    const std::size_t language_end = text.find('\'', charset_end + 1);
    if (language_end == std::string_view::npos) return std::nullopt;
    if (!equals_ignoring_case(text.substr(0, charset_end), "UTF-8")) return std::nullopt;
    text.remove_prefix(language_end + 1);
    std::string decoded;
    if (!percent_decode(text, decoded)) return std::nullopt;
    return decoded;
}

Result<void> read_disposition(std::string_view text, FormPart& part) {
    const auto value = parse_value(text);
    if (!value || value->word != "form-data") {
        return malformed_form("a part's Content-Disposition is no sound form-data");
    }
    const std::string* name = value->find("name");
    if (!name) return malformed_form("a part has no name");
    part.name = *name;
    if (const std::string* file_name = value->find("filename")) part.file_name = *file_name;
    if (const std::string* extended = value->find("filename*")) {
        part.file_name = decode_extended(*extended);
        if (!part.file_name) return malformed_form("a part's filename* is no UTF-8''text");
    }
    if (part.file_name && !is_plain_text(*part.file_name)) {
        return malformed_form("a part's file name is no plain UTF-8 text");
    }
    return {};
}

}  // namespace

Error malformed_form(std::string message) {
    return make_error(ErrorKind::invalid, "http.multipart_malformed", std::move(message));
}

std::optional<std::string> form_boundary(std::string_view content_type) {
    const auto value = parse_value(content_type);
    if (!value || value->word != "multipart/form-data") return std::nullopt;
    const std::string* boundary = value->find("boundary");
    if (!boundary || boundary->empty() || boundary->size() > kMaxBoundaryLength)
        return std::nullopt;
    const bool is_sound = std::all_of(boundary->begin(), boundary->end(), is_boundary_char);
    if (!is_sound || boundary->back() == ' ') return std::nullopt;
    return *boundary;
}

Result<FormPart> parse_part_header(std::string_view header) {
    FormPart part;
    bool has_disposition = false;
    while (!header.empty()) {
        const std::size_t end = header.find(kCrLf);
        const std::string_view line = header.substr(0, end);
        header.remove_prefix(end + kCrLf.size());
        const std::size_t colon = std::min(line.find(':'), line.size());
        const std::string_view name = line.substr(0, colon);
        const bool is_named =
            !name.empty() && std::all_of(name.begin(), name.end(), is_token_character);
        if (colon == line.size() || !is_named) {
            return malformed_form("a line of a part's header is no header line");
        }
        const std::string_view value = trimmed(line.substr(colon + 1));
        if (!is_plain_text(value)) {
            return malformed_form("a part's header is no plain UTF-8 text");
        }
        if (equals_ignoring_case(name, "Content-Disposition")) {
            if (has_disposition) return malformed_form("a part has two Content-Dispositions");
            has_disposition = true;
            if (auto read = read_disposition(value, part); !read) return read.error();
        } else if (equals_ignoring_case(name, "Content-Type")) {
            part.content_type = value;
        }
    }
    if (!has_disposition) return malformed_form("a part has no Content-Disposition");
    return part;
}

}  // namespace stele::sdk

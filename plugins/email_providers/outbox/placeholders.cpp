#include "placeholders.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/html.hpp>

#include "mail/mail_address.hpp"

namespace stele::email_providers {

namespace {

constexpr std::string_view kOpening = "${";
/// Of a placeholder in a message to the caller.
constexpr std::size_t kShownLength = 60;

sdk::Error invalid(std::string_view member, const char* code, std::string_view path,
                   const std::string& problem) {
    return sdk::make_error({{std::string(member), code,
                             "the placeholder ${" + std::string(path.substr(0, kShownLength)) +
                                 "} in " + std::string(member) + " " + problem}});
}

sdk::Error too_long(std::string_view member, std::size_t most) {
    return sdk::make_error(sdk::ErrorKind::too_large, "email_providers.message_too_large",
                           std::string(member) + " becomes longer than the " +
                               std::to_string(most) + " bytes that a mail may have");
}

/// The member of a dotted path; null when there is none.
const sdk::Json* find_member(const sdk::Json& model, std::string_view path) {
    const sdk::Json* value = &model;
    while (true) {
        const std::size_t dot = path.find('.');
        if (!value->is_object()) return nullptr;
        const auto member = value->find(path.substr(0, dot));
        if (member == value->end()) return nullptr;
        value = &*member;
        if (dot == std::string_view::npos) return value;
        path.remove_prefix(dot + 1);
    }
}

sdk::Result<std::string> value_of(const sdk::Json& model, std::string_view path,
                                  PlaceholderText kind, std::string_view member) {
    const sdk::Json* value = find_member(model, path);
    if (!value) {
        return invalid(member, "email_providers.placeholder_unknown", path,
                       "has no value; the body of the request gives values, and $${ stands for ${");
    }
    if (value->is_structured()) {
        return invalid(member, "email_providers.placeholder_unknown", path,
                       "stands for an object or array");
    }
    if (value->is_null()) return std::string();
    std::string text = value->is_string() ? value->get<std::string>() : sdk::dump_json(*value);
    if (kind == PlaceholderText::header_line && has_control_character(text)) {
        return invalid(member, "email_providers.header_malformed", path,
                       "stands for a value with line breaks or other control characters");
    }
    return text;
}

}  // namespace

sdk::Result<std::string> fill_in(std::string_view text, const sdk::Json& model,
                                 PlaceholderText kind, std::string_view member, std::size_t most) {
    std::string filled;
    std::size_t count = 0;
    while (true) {
        if (filled.size() > most) return too_long(member, most);
        const std::size_t begin = text.find(kOpening);
        filled += text.substr(0, begin);
        if (begin == std::string_view::npos) return filled;
        text.remove_prefix(begin + kOpening.size());
        if (begin > 0 && filled.back() == '$') {
            filled += '{';
            continue;
        }
        const std::size_t end = text.find('}');
        if (end == std::string_view::npos) {
            return invalid(member, "email_providers.placeholder_unknown", text, "is never closed");
        }
        if (++count > kMaxPlaceholders) {
            return sdk::make_error({{std::string(member), "email_providers.placeholders_too_many",
                                     std::string(member) + " has more than " +
                                         std::to_string(kMaxPlaceholders) + " placeholders"}});
        }
        auto value = value_of(model, text.substr(0, end), kind, member);
        if (!value) return value;
        if (kind == PlaceholderText::html) {
            filled += sdk::html_escaped(*value);
        } else {
            filled += *value;
        }
        text.remove_prefix(end + 1);
    }
}

}  // namespace stele::email_providers

#include "archive_template.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::archives {

namespace {

constexpr char kTemplate[] = "template";

std::string nested_text(const sdk::Json* fields, const char* name) {
    if (fields == nullptr) return {};
    const auto nested = fields->find(kTemplate);
    if (nested == fields->end() || !nested->is_object()) return {};
    return sdk::text_member(*nested, name);
}

std::string told_text(const sdk::Json* fields, const char* name) {
    return fields == nullptr ? std::string() : sdk::text_member(*fields, name);
}

}  // namespace

void settle_template(const sdk::Json* before, sdk::Json& fields) {
    for (const char* name : {"templateType", "templateKey"}) {
        const std::string nested = nested_text(&fields, name);
        const std::string told = told_text(&fields, name);
        const bool is_nested_new = nested != nested_text(before, name);
        const bool is_told_new = !told.empty() && told != told_text(before, name);
        const std::string& counts =
            nested.empty() || (is_told_new && !is_nested_new) ? told : nested;
        if (counts.empty()) continue;
        fields[name] = counts;
        const auto present = fields.find(kTemplate);
        const bool has_room = present == fields.end() || present->is_null() || present->is_object();
        if (!has_room) continue;
        if (present != fields.end() && present->is_null()) fields[kTemplate] = sdk::Json::object();
        fields[kTemplate][name] = counts;
    }
}

}  // namespace stele::archives

#include <stele/sdk/members.hpp>

#include <charconv>

#include <nlohmann/json.hpp>

namespace stele::sdk {

namespace {

constexpr char kParameterInvalid[] = "request.parameter_invalid";

const Json* find_member(const Json& object, std::string_view name) {
    if (!object.is_object()) return nullptr;
    const auto member = object.find(name);
    return member == object.end() ? nullptr : &*member;
}

}  // namespace

std::string text_member(const Json& object, std::string_view name) {
    const Json* member = find_member(object, name);
    return member && member->is_string() ? member->get<std::string>() : std::string();
}

bool flag_member(const Json& object, std::string_view name, bool fallback) {
    const Json* member = find_member(object, name);
    if (!member) return fallback;
    if (member->is_boolean()) return member->get<bool>();
    if (*member == "true") return true;
    if (*member == "false") return false;
    return fallback;
}

std::optional<std::int64_t> integer_member(const Json& object, std::string_view name) {
    const Json* member = find_member(object, name);
    if (!member) return std::nullopt;
    if (member->is_number_integer()) return member->get<std::int64_t>();
    if (!member->is_string()) return std::nullopt;
    const std::string text = member->get<std::string>();
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::int64_t system_ms(const Json& record, std::string_view event) {
    const auto system = record.find("_system");
    if (system == record.end() || !system->is_object()) return 0;
    const auto time = system->find(std::string(event));
    return time == system->end() ? 0 : integer_member(*time, "ms").value_or(0);
}

bool lists_text(const Json& object, std::string_view name, std::string_view text) {
    const Json* member = find_member(object, name);
    if (!member) return false;
    if (member->is_string()) return member->get<std::string>() == text;
    if (!member->is_array()) return false;
    for (const Json& item : *member) {
        if (item.is_string() && item.get<std::string>() == text) return true;
    }
    return false;
}

Result<void> require_texts(const Json& entries, std::string_view name,
                           std::initializer_list<const char*> members) {
    Violations violations;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string place = std::string(name) + "." + std::to_string(i);
        if (!entries[i].is_object()) {
            violations.push_back({place, kParameterInvalid, place + " must be an object"});
            continue;
        }
        for (const char* member : members) {
            if (!text_member(entries[i], member).empty()) continue;
            const std::string path = place + "." + member;
            violations.push_back({path, kParameterInvalid, path + " is required"});
        }
    }
    if (!violations.empty()) return make_error(std::move(violations));
    return {};
}

void reserve_members(Json& object, std::size_t count) {
    object.get_ref<Json::object_t&>().reserve(count);
}

}  // namespace stele::sdk

#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "http_client.hpp"

namespace stele::conformance {

/// A member's text; empty when it is none.
inline std::string text_of(const sdk::Json& object, const char* name) {
    if (!object.is_object()) return {};
    const auto member = object.find(name);
    return member != object.end() && member->is_string() ? member->get<std::string>()
                                                         : std::string();
}

inline sdk::Json member_of(const sdk::Json& object, const char* name) {
    return object.is_object() ? object.value(name, sdk::Json()) : sdk::Json();
}

inline bool is_ok(const Answer& answer) {
    return answer.status == 200 && member_of(answer.json, "ok") == sdk::Json(true);
}

inline bool is_error(const Answer& answer, int status) {
    return answer.status == status && member_of(answer.json, "ok") == sdk::Json(false) &&
           !text_of(answer.json, "message").empty() && !text_of(answer.json, "code").empty();
}

/// Whether the server has the operation at all.
inline bool is_routed(const Answer& answer) {
    const std::string code = text_of(answer.json, "code");
    return code != "http.route_unknown" && code != "http.method_unknown";
}

/// The rows of a page; none of anything else.
inline sdk::Json rows_of(const Answer& answer) {
    const sdk::Json rows = member_of(answer.json, "rows");
    return answer.status == 200 && rows.is_array() ? rows : sdk::Json::array();
}

/// Whether every member of `sent` came back in `read`.
inline bool has_members_of(const sdk::Json& read, const sdk::Json& sent) {
    for (const auto& [name, value] : sent.items()) {
        if (!read.contains(name) || read[name] != value) return false;
    }
    return true;
}

}  // namespace stele::conformance

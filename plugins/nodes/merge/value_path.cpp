#include "merge/value_path.hpp"

#include <nlohmann/json.hpp>

namespace stele::nodes {

namespace {

/// A step of a JSON pointer as the name that it means.
std::string unescaped(std::string_view step) {
    std::string name;
    name.reserve(step.size());
    for (std::size_t i = 0; i < step.size(); ++i) {
        const bool is_escape = step[i] == '~' && i + 1 < step.size();
        name += is_escape ? (step[++i] == '1' ? '/' : '~') : step[i];
    }
    return name;
}

const sdk::Json* element_at(const sdk::Json& array, std::string_view step) {
    for (const char* const identity : kIdentities) {
        const std::string begin = std::string(identity) + '=';
        if (!step.starts_with(begin)) continue;
        const std::string_view id = step.substr(begin.size());
        for (const sdk::Json& element : array) {
            if (element.is_object() && identity_of(element, identity) == id) return &element;
        }
    }
    return nullptr;
}

}  // namespace

std::string identity_of(const sdk::Json& element, const char* identity) {
    const auto found = element.find(identity);
    if (found == element.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    return found->is_number_integer() ? found->dump() : std::string();
}

void ValuePath::append_step(std::string& path, std::string_view step) {
    path += '/';
    for (const char c : step) {
        if (c == '~') {
            path += "~0";
        } else if (c == '/') {
            path += "~1";
        } else {
            path += c;
        }
    }
}

const sdk::Json* find_value(const sdk::Json& value, std::string_view path) {
    const sdk::Json* at = &value;
    while (!path.empty() && at != nullptr) {
        path.remove_prefix(1);
        const std::size_t end = path.find('/');
        const std::string step = unescaped(path.substr(0, end));
        path.remove_prefix(end == std::string_view::npos ? path.size() : end);
        if (at->is_array()) {
            at = element_at(*at, step);
        } else {
            const auto found = at->is_object() ? at->find(step) : at->end();
            at = found == at->end() ? nullptr : &*found;
        }
    }
    return at;
}

}  // namespace stele::nodes

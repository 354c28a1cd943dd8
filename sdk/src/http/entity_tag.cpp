#include <stele/sdk/entity_tag.hpp>

#include <stele/sdk/call.hpp>
#include <stele/sdk/text.hpp>

namespace stele::sdk {

namespace {

/// Takes one quoted tag with its quotes and its sign of weakness off the front; empty when there is
/// none. A tag may hold commas.
std::string_view take_tag(std::string_view& text) {
    const std::size_t quote = text.starts_with("W/") ? 2 : 0;
    if (text.size() <= quote || text[quote] != '"') return {};
    const std::size_t end = text.find('"', quote + 1);
    if (end == std::string_view::npos) return {};
    const std::string_view tag = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    return tag;
}

}  // namespace

bool names_strong_tag(std::string_view if_match, std::string_view present) {
    if_match = trimmed(if_match);
    if (if_match == "*") return true;
    bool is_found = false;
    while (!if_match.empty()) {
        // Lists may have empty elements (RFC 9110, 5.6.1).
        if (if_match.front() != ',') {
            const std::string_view tag = take_tag(if_match);
            if (tag.empty()) return false;
            is_found = is_found || tag == present;
            if_match = trimmed(if_match);
            if (!if_match.empty() && if_match.front() != ',') return false;
        }
        if (!if_match.empty()) if_match.remove_prefix(1);
        if_match = trimmed(if_match);
    }
    return is_found && !present.starts_with("W/");
}

std::string version_tag(std::string_view id, std::uint64_t version) {
    const std::string number = std::to_string(version);
    std::string tag;
    tag.reserve(id.size() + number.size() + 3);
    tag.append(1, '"').append(id).append(1, '-').append(number).append(1, '"');
    return tag;
}

Result<void> check_if_match(const Call& call, std::string_view present) {
    const auto wanted = call.header("If-Match");
    if (!wanted || names_strong_tag(*wanted, present)) return {};
    Error error = make_error(ErrorKind::precondition_failed, "document.version_changed",
                             "the record has changed since the version in If-Match");
    error.present_etag = present;
    return error;
}

}  // namespace stele::sdk

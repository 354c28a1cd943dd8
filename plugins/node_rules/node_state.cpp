#include "node_state.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include <stele/sdk/members.hpp>

#include "vocabulary.hpp"

namespace stele::node_rules {

namespace {

using sdk::Json;

constexpr char kNodeReference[] = "node://";

/// References lose their places (`node://P/R/B/N` becomes `N`), and members their order: it is that
/// of whoever wrote last.
Json plain(const Json& value) {
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        return text.starts_with(kNodeReference) ? Json(text.substr(text.rfind('/') + 1)) : value;
    }
    if (value.is_array()) {
        Json entries = Json::array();
        for (const Json& inner : value)
            entries.push_back(plain(inner));
        return entries;
    }
    if (!value.is_object()) return value;
    std::map<std::string, Json> members;
    for (const auto& [name, inner] : value.items())
        members.emplace(name, plain(inner));
    return Json(members);
}

}  // namespace

Json said_by(const Json& node) {
    Json said = node;
    for (const char* name : {"_doc", kSystem, "_statistics", "_paths", "_search", "ok"})
        said.erase(name);
    Json attachments = Json::object();
    const auto system = node.find(kSystem);
    if (system != node.end() && system->is_object() && system->contains("attachments"))
        attachments = (*system)["attachments"];
    return Json{{"said", plain(said)}, {"attachments", plain(attachments)}};
}

std::uint64_t digest_of(const Json& said) {
    // FNV-1a. It tells states apart that nobody has made to look alike: whoever could, writes both.
    std::uint64_t digest = 0xcbf29ce484222325;
    for (const char byte : sdk::dump_json(said)) {
        digest ^= static_cast<unsigned char>(byte);
        digest *= 0x100000001b3;
    }
    return digest;
}

std::string changeset_of(const Json& node) {
    const auto system = node.find(kSystem);
    if (system == node.end() || !system->is_object()) return {};
    const std::string id = sdk::text_member(*system, "changeset");
    return id.substr(id.find(':') + 1);
}

std::uint64_t modified_ms(const Json& node) {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(sdk::system_ms(node, "modified_on"), 0));
}

bool is_brought(const Json& node) {
    static constexpr std::array<std::string_view, 5> kOwn{"n:root", "n:person", "n:group", "n:tag",
                                                          kRuleType};
    const std::string type = sdk::text_member(node, kType);
    return !sdk::flag_member(node, kIsAssociation, false) &&
           std::find(kOwn.begin(), kOwn.end(), type) == kOwn.end() &&
           !sdk::text_member(node, kQName).starts_with("r:");
}

}  // namespace stele::node_rules

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

/// Ids begin with 48 bits of milliseconds, so these bits are free for thousands of years.
constexpr unsigned char kHasRoleBit = 0x80;
constexpr unsigned char kCreatedBit = 0x40;
constexpr unsigned char kLockBits = kHasRoleBit | kCreatedBit;

}  // namespace

std::string name_of(const sdk::Json& node) {
    const auto features = node.find(member::kFeatures);
    if (features != node.end() && features->is_object()) {
        const auto config = features->find(feature::kFilename);
        if (config != features->end() && config->is_object()) {
            std::string name = sdk::text_member(*config, "filename");
            if (!name.empty()) return name;
        }
    }
    std::string title = sdk::text_member(node, "title");
    return title.empty() ? sdk::text_member(node, "_doc") : title;
}

std::vector<std::string> split_path(std::string_view path) {
    std::vector<std::string> segments;
    while (!path.empty()) {
        const std::size_t end = path.find('/');
        const std::string_view segment = path.substr(0, end);
        if (!segment.empty()) segments.emplace_back(segment);
        path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
    }
    return segments;
}

bool is_qname(std::string_view text) {
    const std::size_t colon = text.find(':');
    return colon != 0 && colon != std::string_view::npos && colon + 1 < text.size() &&
           text.find_first_of("/?#&% \t\r\n", 0) == std::string_view::npos;
}

bool has_feature(const sdk::Json& node, std::string_view feature) {
    const auto features = node.find(member::kFeatures);
    return features != node.end() && features->is_object() && features->contains(feature);
}

bool is_association(const sdk::Json& node) {
    return sdk::flag_member(node, member::kIsAssociation, false);
}

AssociationEnds ends_of(const sdk::Document& association) {
    const sdk::Json& fields = association.fields;
    return {.association = association.id,
            .type = sdk::text_member(fields, member::kType),
            .source = sdk::text_member(fields, member::kSource),
            .target = sdk::text_member(fields, member::kTarget),
            .is_undirected = sdk::text_member(fields, member::kDirectionality) == kUndirected};
}

Creator creator_of(const sdk::Json& node) {
    const auto system = node.find(member::kSystem);
    if (system == node.end()) return {};
    return {sdk::text_member(*system, "created_by_principal_id"),
            sdk::text_member(*system, "created_by_principal_domain_id")};
}

std::string implicit_id(std::string_view node, std::string_view type) {
    std::string bytes = id_bytes(node);
    if (bytes.empty()) return {};
    const unsigned char bits = type == association::kCreated   ? kCreatedBit
                               : type == association::kHasLock ? kLockBits
                                                               : kHasRoleBit;
    bytes.front() = static_cast<char>(static_cast<unsigned char>(bytes.front()) | bits);
    return id_text(bytes);
}

std::optional<ImplicitAssociation> find_implicit(std::string_view id) {
    std::string bytes = id_bytes(id);
    if (bytes.empty()) return std::nullopt;
    const auto first = static_cast<unsigned char>(bytes.front());
    const unsigned char bits = first & kLockBits;
    if (bits == 0) return std::nullopt;
    bytes.front() = static_cast<char>(first & ~bits);
    return ImplicitAssociation{id_text(bytes), bits == kCreatedBit ? association::kCreated
                                               : bits == kLockBits ? association::kHasLock
                                                                   : association::kHasRole};
}

}  // namespace stele::nodes

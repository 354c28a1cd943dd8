#include "branch/folder_names.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/text.hpp>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

/// Beyond, a dot is a full stop and no ending of a file.
constexpr std::size_t kMaxEndingLength = 10;

/// Where the ending of a file's name begins; the name's end where it has none.
std::size_t ending_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return name.size();
    const std::string_view ending = name.substr(dot + 1);
    const bool is_ending = !ending.empty() && ending.size() <= kMaxEndingLength &&
                           std::all_of(ending.begin(), ending.end(), sdk::is_letter_or_digit);
    return is_ending ? dot : name.size();
}

std::string numbered(std::string name, std::uint64_t number) {
    name.insert(ending_of(name), fmt::format(" ({})", number));
    return name;
}

/// One that is free where the one before it is taken. Found by halves: a folder may have thousands
/// of copies of one thing.
sdk::Result<std::string> free_name(const std::string& name, const IsClaimed& is_name_taken) {
    const auto is_taken = [&](std::uint64_t number) {
        return is_name_taken(numbered(name, number));
    };
    std::uint64_t taken = 1;
    std::uint64_t free = 2;
    for (auto is = is_taken(free); !is || *is; is = is_taken(free)) {
        if (!is) return is.error();
        taken = free;
        free *= 2;
    }
    while (free - taken > 1) {
        const std::uint64_t middle = taken + (free - taken) / 2;
        auto is = is_taken(middle);
        if (!is) return is.error();
        (*is ? taken : free) = middle;
    }
    return numbered(name, free);
}

sdk::Result<bool> may_share_name(const BranchContent& content, const std::string& folder,
                                 const sdk::Document& node) {
    const std::string type = sdk::text_member(node.fields, member::kType);
    if (type != type::kPerson && type != type::kGroup) return false;
    auto users = content.node(kUsersQName);
    if (!users) return sdk::is_missing(users.error()) ? sdk::Result<bool>(false) : users.error();
    return users->id == folder;
}

}  // namespace

sdk::Error name_taken(const std::string& name) {
    return sdk::make_error(sdk::ErrorKind::conflict, "nodes.name_taken",
                           fmt::format("the folder has another {}", name));
}

sdk::Result<bool> is_name_taken(const BranchContent& content, const std::string& folder,
                                const sdk::Document& node) {
    auto found = content.graph().namesakes(folder, name_of(node.fields), node.id);
    if (!found) return found.error();
    if (!found->has_other) return false;
    auto may_share = may_share_name(content, folder, node);
    if (!may_share) return may_share;
    return !*may_share;
}

sdk::Result<void> check_name_free(const BranchContent& content, const std::string& folder,
                                  const sdk::Document& node) {
    auto is_taken = is_name_taken(content, folder, node);
    if (!is_taken) return is_taken.error();
    return *is_taken ? name_taken(name_of(node.fields)) : sdk::Result<void>();
}

sdk::Result<void> note_new_name(const BranchContent& content, const std::string& folder,
                                const sdk::Document& node) {
    auto may_share = may_share_name(content, folder, node);
    if (!may_share) return may_share.error();
    if (*may_share) return {};
    return content.changes().note_name(content.context(), content.branch(),
                                       {folder, name_of(node.fields), node.id});
}

sdk::Result<bool> number_name(const BranchContent& content, const std::string& folder,
                              std::string_view node, sdk::Json& fields,
                              const IsClaimed& is_claimed) {
    const std::string name = name_of(fields);
    if (name.empty()) return false;
    const Graph graph = content.graph();
    const auto is_taken = [&](const std::string& wanted) -> sdk::Result<bool> {
        auto found = graph.namesakes(folder, wanted, node);
        if (!found) return found.error();
        if (found->has_other || !is_claimed) return found->has_other;
        return is_claimed(wanted);
    };
    auto is_name_taken = is_taken(name);
    if (!is_name_taken || !*is_name_taken) return is_name_taken;
    auto free = free_name(name, is_taken);
    if (!free) return free.error();
    sdk::Json& features = fields[member::kFeatures];
    if (!features.is_object()) features = sdk::Json::object();
    sdk::Json& config = features[feature::kFilename];
    if (!config.is_object()) config = sdk::Json::object();
    config["filename"] = std::move(*free);
    return true;
}

}  // namespace stele::nodes

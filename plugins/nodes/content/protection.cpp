#include "content/protection.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "content/vocabulary.hpp"

namespace stele::nodes {

namespace {

sdk::Error refused(const char* code, const char* message) {
    return sdk::make_error(sdk::ErrorKind::forbidden, code, message);
}

}  // namespace

sdk::Result<void> check_branch_writable(const BranchContent& content) {
    if (content.changes().is_unprotected()) return {};
    auto branch = content.context().documents().read(content.branch());
    if (!branch) return branch.error();
    const auto has = [&](const char* name) {
        return sdk::flag_member(branch->fields, name, false);
    };
    if (has("readonly") || has("snapshot"))
        return refused("branch.readonly", "the branch is read-only");
    if (has("frozen")) return refused("branch.frozen", "the branch is frozen");
    if (has("blockDirectCommits")) {
        return refused("branch.direct_commits_blocked",
                       "the branch takes changes from other branches only");
    }
    return {};
}

sdk::Result<void> check_unlocked(const BranchContent& content, const sdk::Document& node) {
    if (content.context().session().is_system) return {};
    auto locks = content.edges(node.id, Direction::outgoing, association::kHasLock);
    if (!locks) return locks.error();
    for (const Edge& edge : *locks) {
        auto lock = content.association(edge);
        if (!lock) return lock.error();
        const std::string holder = sdk::text_member(lock->fields, "principal-id");
        if (holder == content.context().principal().id) continue;
        return sdk::make_error(sdk::ErrorKind::conflict, "node.locked",
                               fmt::format("node {} is locked by {}", node.id,
                                           sdk::text_member(lock->fields, "principal-name")));
    }
    return {};
}

}  // namespace stele::nodes

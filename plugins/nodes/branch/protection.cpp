#include "branch/protection.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "branch/pace.hpp"

namespace stele::nodes {

namespace {

constexpr char kLockTag = 'L';
/// Owners hold it, too (docs/specification/semantics.md 2.7).
constexpr char kLockBreakingRole[] = "manager";

std::string lock_row(std::string_view node) {
    return std::string{kGraphSlot, kLockTag} + id_bytes(node);
}

NodeLock read_lock_row(std::string_view row) {
    sdk::KeyReader reader(row);
    NodeLock lock;
    lock.since_ms = static_cast<std::int64_t>(reader.integer().value_or(0));
    lock.domain_id = reader.text().value_or(std::string());
    lock.principal_id = reader.text().value_or(std::string());
    lock.principal_name = reader.text().value_or(std::string());
    return lock;
}

sdk::Error refused(const char* code, const char* message) {
    return sdk::make_error(sdk::ErrorKind::forbidden, code, message);
}

}  // namespace

sdk::Result<void> check_branch_writable(const BranchContent& content) {
    return check_branch_writable(content.changes(), content.context(), content.branch());
}

sdk::Result<void> check_branch_writable(Changes& changes, sdk::Context& context,
                                        const sdk::RecordKey& branch) {
    if (changes.is_unprotected(branch)) return {};
    auto rules = changes.rules(context, branch);
    if (!rules) return rules.error();
    if (rules->is_archived) return refused("nodes.branch_archived", "the branch is archived");
    if (rules->is_readonly) return refused("nodes.branch_readonly", "the branch is read-only");
    if (rules->is_frozen) return refused("nodes.branch_frozen", "the branch is frozen");
    if (rules->blocks_direct_commits) {
        return refused("nodes.branch_direct_commits_blocked",
                       "the branch takes changes from other branches only");
    }
    return {};
}

sdk::Result<std::optional<NodeLock>> lock_of(const BranchContent& content, std::string_view node) {
    auto row = content.view().get(lock_row(node));
    if (!row) return row.error();
    if (!*row) return std::optional<NodeLock>();
    return std::optional<NodeLock>(read_lock_row(**row));
}

sdk::Result<std::vector<std::string>> locks_held_by(const BranchContent& content,
                                                    std::string_view domain_id,
                                                    std::string_view principal_id,
                                                    std::size_t limit) {
    std::vector<std::string> found;
    const std::string prefix{kGraphSlot, kLockTag};
    Pace pace(content.context());
    const auto cursor =
        content.view().scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid() && found.size() < limit; cursor->next()) {
        if (auto may_go_on = pace.step(); !may_go_on) return may_go_on.error();
        const NodeLock lock = read_lock_row(cursor->value());
        if (lock.domain_id == domain_id && lock.principal_id == principal_id)
            found.push_back(id_text(cursor->key().substr(prefix.size())));
    }
    if (auto status = cursor->status(); !status) return status.error();
    return found;
}

sdk::Result<void> put_lock(const BranchContent& content, std::string_view node,
                           const NodeLock& lock) {
    if (auto writable = check_branch_writable(content); !writable) return writable;
    auto writer = content.changes().writer(content.context(), content.branch());
    if (!writer) return writer.error();
    (*writer)->put(lock_row(node), sdk::KeyWriter()
                                       .integer(static_cast<std::uint64_t>(lock.since_ms))
                                       .text(lock.domain_id)
                                       .text(lock.principal_id)
                                       .text(lock.principal_name)
                                       .key());
    return {};
}

sdk::Result<void> remove_lock(const BranchContent& content, std::string_view node) {
    if (auto writable = check_branch_writable(content); !writable) return writable;
    auto writer = content.changes().writer(content.context(), content.branch());
    if (!writer) return writer.error();
    (*writer)->remove(lock_row(node));
    return {};
}

sdk::Result<void> forget_lock(const BranchContent& content, std::string_view node) {
    auto lock = lock_of(content, node);
    if (!lock) return lock.error();
    return *lock ? remove_lock(content, node) : sdk::Result<void>();
}

sdk::Error locked_error(std::string_view node, const NodeLock& lock) {
    return sdk::make_error(
        sdk::ErrorKind::locked, "nodes.locked",
        fmt::format("node {} is locked by {} since {}", node, lock.principal_name,
                    sdk::text_member(sdk::time_value(lock.since_ms), "iso_8601")));
}

sdk::Result<void> check_unlocked(const BranchContent& content, const sdk::Document& node) {
    if (content.changes().is_server_alone(content.context())) return {};
    auto lock = lock_of(content, node.id);
    if (!lock) return lock.error();
    const sdk::Principal& principal = content.principal();
    if (!*lock || (*lock)->is_held_by(principal)) return {};
    auto may_break =
        content.context().authorities().has_role(principal.key, node.key, kLockBreakingRole);
    if (!may_break) return may_break.error();
    if (*may_break) return {};
    return locked_error(node.id, **lock);
}

}  // namespace stele::nodes

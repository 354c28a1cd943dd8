#include "history/purge.hpp"

#include <nlohmann/json.hpp>

#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"
#include "history/history.hpp"

namespace stele::nodes {

namespace {

/// Ids that are listed at once.
constexpr std::size_t kListedAtOnce = 1'000;

}  // namespace

sdk::Result<BranchContent> open_for(Services& services, sdk::Context& context,
                                    const sdk::Principal& principal, std::string_view branch) {
    Changes::of(context, services.branches).act_for(principal);
    auto key = context.find_reference(branch);
    if (!key) return key.error();
    return BranchContent::open(services, context, *key);
}

sdk::Result<std::vector<std::string>> PurgeList::next(
    std::size_t most, const std::function<sdk::Result<void>()>& go_on) {
    std::vector<std::string> found;
    while (!is_at_end_ && found.size() < most) {
        const auto look = [&](sdk::Context& context) -> sdk::Result<void> {
            auto content = open_for(services_, context, principal_, branch_);
            if (!content) return content.error();
            auto ids = ids_after(*content, kDeletionSlot, last_, kListedAtOnce);
            if (!ids) return ids.error();
            is_at_end_ = ids->size() < kListedAtOnce;
            for (const std::string& id : *ids) {
                if (found.size() >= most) {
                    is_at_end_ = false;
                    break;
                }
                if (auto more = go_on(); !more) return more;
                if (auto looked = look_at(*content, id, found); !looked) return looked;
                last_ = id;
            }
            return {};
        };
        // Nothing is written, so it is never repeated.
        if (auto done = services_.registrar.run_as_system(platform_, look); !done)
            return done.error();
    }
    return found;
}

sdk::Result<void> PurgeList::look_at(const BranchContent& content, const std::string& id,
                                     std::vector<std::string>& found) {
    auto deletion = content.context().documents().read(deletions_of(content), id);
    if (!deletion) return deletion.error();
    if (revision_of_deletion(deletion->fields).value_or(0) > until_) return {};
    auto may = content.may(deletion->key, sdk::Permission::remove);
    if (!may) return may.error();
    if (*may) {
        found.push_back(id);
        return {};
    }
    auto is_readable = content.may(deletion->key, sdk::Permission::read);
    if (!is_readable) return is_readable.error();
    if (*is_readable) ++kept_;
    return {};
}

sdk::Result<std::size_t> purge_deletions(const BranchContent& content, Revision until,
                                         std::span<const std::string> ids) {
    std::size_t purged = 0;
    for (const std::string& id : ids) {
        auto deletion = content.context().documents().read(deletions_of(content), id);
        if (!deletion && sdk::is_missing(deletion.error())) continue;
        if (!deletion) return deletion.error();
        if (revision_of_deletion(deletion->fields).value_or(0) > until) continue;
        auto may = content.may(deletion->key, sdk::Permission::remove);
        if (!may) return may.error();
        if (!*may) continue;
        if (!is_association(deletion->fields)) {
            auto along = purge_associations(content, id);
            if (!along) return along.error();
            purged += *along;
        }
        // As the server, for whom the family does not look for associations again.
        auto gone = content.context().as_system().documents().remove(deletions_of(content), id);
        if (!gone) return gone.error();
        ++purged;
    }
    return purged;
}

}  // namespace stele::nodes

#include "transfer/import_state.hpp"

#include <stdexcept>

#include <fmt/format.h>

namespace stele::nodes {

sdk::Result<void> ImportState::drop_link(const std::string& item, std::string_view to) {
    std::string text = fmt::format("{} leads to {}, which neither comes nor is here",
                                   sdk::shown_path(item), sdk::shown_path(to));
    auto is_refused = refused.contains(std::string(to));
    if (!is_refused) return is_refused.error();
    if (target.requires_all && !*is_refused)
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.import_link_missing",
                               std::move(text));
    note(std::move(text));
    return {};
}

sdk::Result<void> ImportState::tried(const std::string& item, sdk::Result<void> done) {
    if (done || !target.tells_refusals || !sdk::is_refusal(done.error())) return done;
    ++report.refused;
    if (report.refusals.size() < kMaxRefusals) report.refusals.push_back({item, done.error()});
    auto planned = plan.items.at(item);
    if (!planned) return planned.error();
    planned->comes = false;
    if (auto noted = plan.items.put(item, *planned); !noted) return noted;
    if (auto noted = refused.put(item, {}); !noted) return noted;
    return report.ids.erase(item);
}

sdk::Result<void> ImportState::require_create() {
    if (may_create_) return {};
    auto may = content.require_create();
    may_create_ = may.has_value();
    return may;
}

sdk::Result<void> ImportState::require_update(const sdk::Document& node) const {
    auto is_own = made.contains(node.id);
    if (!is_own) return is_own.error();
    return *is_own ? sdk::Result<void>() : content.require(node, sdk::Permission::update);
}

sdk::Result<void> ImportState::know_ids() {
    return plan.items.for_each(
        [this](const std::string& id, const PlannedItem& planned) -> sdk::Result<void> {
            auto may = step();
            if (!may || !planned.comes) return may;
            if (!planned.match.empty()) return report.ids.put(id, planned.match);
            return is_clone() ? report.ids.put(id, id) : sdk::Result<void>();
        });
}

sdk::Result<std::string> ImportState::id_here(const std::string& item) const {
    auto id = report.ids.find(item);
    if (!id) return id.error();
    if (!*id) throw std::logic_error("an item was not brought");
    return std::move(**id);
}

const std::string& ImportState::substituted(const std::string& text) const {
    const auto found = target.substitutions.find(text);
    return found == target.substitutions.end() ? text : found->second;
}

sdk::Result<bool> ImportState::is_present(const std::string& id) {
    const auto known = presence_.find(id);
    if (known != presence_.end()) return known->second;
    auto found = content.readable_node(id);
    if (!found && !sdk::is_missing(found.error())) return found.error();
    // By its id, and no other name.
    const bool is_there = found && found->id == id;
    if (presence_.size() == kMaxPresences) presence_.clear();
    presence_.emplace(id, is_there);
    return is_there;
}

sdk::Result<ImportState::Resolved> ImportState::resolve(const std::string& id) {
    auto planned = plan.find(id);
    if (!planned) return planned.error();
    if (*planned) {
        auto known = report.ids.find(id);
        if (!known) return known.error();
        return *known ? Resolved{std::move(**known), false} : Resolved{{}, true};
    }
    // What its refusal has left in the transaction is not there.
    auto is_refused = refused.contains(id);
    if (!is_refused) return is_refused.error();
    if (*is_refused) return Resolved{};
    auto is_there = is_present(id);
    if (!is_there) return is_there.error();
    return *is_there ? Resolved{id, false} : Resolved{};
}

}  // namespace stele::nodes

#include "stack_stores.hpp"

#include <algorithm>

#include <stele/sdk/key_tuple.hpp>

namespace stele::platform {

namespace {

constexpr char kByStack = 's';
constexpr char kByStore = 'd';
constexpr char kProjectSpace[] = "platform.project";

std::string prefix_of(const std::string& space, char tag, const sdk::RecordKey& record) {
    return sdk::KeyWriter(space).tag(tag).text(record).key();
}

}  // namespace

StackStores::StackStores(sdk::Context& context)
    : context_(context), space_(context.key_space("platform.stack")) {}

std::string StackStores::row(const sdk::RecordKey& stack, std::string_view key) const {
    return sdk::KeyWriter(prefix_of(space_, kByStack, stack)).text(key).key();
}

std::string StackStores::reverse_row(const sdk::RecordKey& store, const sdk::RecordKey& stack,
                                     std::string_view key) const {
    return sdk::KeyWriter(prefix_of(space_, kByStore, store)).text(stack).text(key).key();
}

sdk::Result<void> StackStores::assign(const sdk::RecordKey& stack, std::string_view key,
                                      const sdk::RecordKey& store) {
    auto before = find(stack, key);
    if (!before) return before.error();
    if (*before == store) return {};
    if (*before) {
        if (auto gone = forget({{std::string(key), **before}}, stack); !gone) return gone;
    }
    context_.transaction().put(row(stack, key), store);
    context_.transaction().put(reverse_row(store, stack, key), {});
    return context_.authorities().inherit(store, stack);
}

sdk::Result<void> StackStores::unassign(const sdk::RecordKey& stack, std::string_view key) {
    auto store = find(stack, key);
    if (!store) return store.error();
    if (!*store) {
        return sdk::make_error(sdk::ErrorKind::not_found, "platform.stack_key_unknown",
                               "the stack has no data store with the key " + std::string(key));
    }
    return forget({{std::string(key), **store}}, stack);
}

sdk::Result<void> StackStores::forget(const std::vector<StackStore>& stores,
                                      const sdk::RecordKey& stack) {
    for (const StackStore& one : stores) {
        context_.transaction().remove(row(stack, one.key));
        context_.transaction().remove(reverse_row(one.store, stack, one.key));
        // It may lie in the stack under another key as well.
        auto stacks = stacks_of(one.store);
        if (!stacks) return stacks.error();
        if (std::find(stacks->begin(), stacks->end(), stack) != stacks->end()) continue;
        if (auto covered = require_ending(one.store, stack); !covered) return covered;
        auto ended = context_.authorities().disinherit(one.store, stack);
        if (!ended) return ended;
    }
    return {};
}

/// Custom roles of the stack end for the store, and may mean more from then on; what policies take
/// in its projects comes back.
sdk::Result<void> StackStores::require_ending(const sdk::RecordKey& store,
                                              const sdk::RecordKey& stack) {
    if (context_.session().is_system) return {};
    auto covered =
        context_.authorities().covers_disinheritance(context_.principal().key, store, stack);
    if (!covered) return covered.error();
    if (*covered) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "platform.stack_roles_above_own",
                           "custom roles of the stack, or what policies of its projects take "
                           "away, would end for a data store, whose owners only can take it out");
}

sdk::Result<std::optional<sdk::RecordKey>> StackStores::find(const sdk::RecordKey& stack,
                                                             std::string_view key) const {
    return context_.transaction().get(row(stack, key));
}

sdk::Result<std::vector<StackStore>> StackStores::list(const sdk::RecordKey& stack) const {
    const std::string prefix = prefix_of(space_, kByStack, stack);
    const auto rows =
        context_.transaction().scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    std::vector<StackStore> stores;
    for (; rows->is_valid(); rows->next()) {
        auto key = sdk::KeyReader(rows->key().substr(prefix.size())).text();
        if (key) stores.push_back({*std::move(key), sdk::RecordKey(rows->value())});
    }
    if (auto status = rows->status(); !status) return status.error();
    return stores;
}

sdk::Result<std::vector<sdk::RecordKey>> StackStores::stacks_of(const sdk::RecordKey& store) const {
    const std::string prefix = prefix_of(space_, kByStore, store);
    const auto rows =
        context_.transaction().scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    std::vector<sdk::RecordKey> stacks;
    for (; rows->is_valid(); rows->next()) {
        auto stack = sdk::KeyReader(rows->key().substr(prefix.size())).text();
        if (stack && std::find(stacks.begin(), stacks.end(), *stack) == stacks.end()) {
            stacks.push_back(*std::move(stack));
        }
    }
    if (auto status = rows->status(); !status) return status.error();
    return stacks;
}

std::string project_rows(const sdk::RecordKey& stack) {
    const std::uint64_t platform = sdk::KeyReader(stack).integer().value_or(0);
    return sdk::KeyWriter(sdk::plugin_key_space(platform, kProjectSpace)).text(stack).key();
}

sdk::Result<std::vector<sdk::RecordKey>> projects_of_stack(const sdk::Reader& reader,
                                                           const sdk::RecordKey& stack) {
    const std::string rows = project_rows(stack);
    const auto cursor = reader.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    std::vector<sdk::RecordKey> projects;
    for (; cursor->is_valid(); cursor->next())
        projects.emplace_back(cursor->key().substr(rows.size()));
    if (auto status = cursor->status(); !status) return status.error();
    return projects;
}

}  // namespace stele::platform

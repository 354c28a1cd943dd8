#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>

namespace stele::platform {

/// A data store in a stack, under the key that the stack knows it by.
struct StackStore {
    std::string key;
    sdk::RecordKey store;
};

/// Which data stores lie in which stacks (docs/specification/platform.md 8.1), inside the
/// transaction of a context. Rows of stores that were removed since are left out.
class StackStores {
public:
    explicit StackStores(sdk::Context& context);

    /// A key that is taken gets the new store.
    sdk::Result<void> assign(const sdk::RecordKey& stack, std::string_view key,
                             const sdk::RecordKey& store);
    /// `not_found` (`platform.stack_key_unknown`) when the stack knows no such key.
    sdk::Result<void> unassign(const sdk::RecordKey& stack, std::string_view key);
    sdk::Result<void> forget(const std::vector<StackStore>& stores, const sdk::RecordKey& stack);

    sdk::Result<std::optional<sdk::RecordKey>> find(const sdk::RecordKey& stack,
                                                    std::string_view key) const;
    /// By key.
    sdk::Result<std::vector<StackStore>> list(const sdk::RecordKey& stack) const;
    /// The stacks that hold the store, in no particular order.
    sdk::Result<std::vector<sdk::RecordKey>> stacks_of(const sdk::RecordKey& store) const;

private:
    sdk::Result<void> require_ending(const sdk::RecordKey& store, const sdk::RecordKey& stack);
    std::string row(const sdk::RecordKey& stack, std::string_view key) const;
    std::string reverse_row(const sdk::RecordKey& store, const sdk::RecordKey& stack,
                            std::string_view key) const;

    sdk::Context& context_;
    std::string space_;
};

/// Prefix of the rows of a stack's projects, which end in the project's key.
std::string project_rows(const sdk::RecordKey& stack);
/// The projects that use a stack.
sdk::Result<std::vector<sdk::RecordKey>> projects_of_stack(const sdk::Reader& reader,
                                                           const sdk::RecordKey& stack);

}  // namespace stele::platform

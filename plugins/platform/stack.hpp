#pragma once

#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/row_query.hpp>

namespace stele::platform {

class LogOperations;

/// Data stores that belong together, each under a key of its own
/// (docs/specification/platform.md 8.1).
class Stack final : public sdk::Resource {
public:
    /// Both must outlive it.
    Stack(sdk::RowQuery& rows, const LogOperations& logs) : rows_(rows), logs_(logs) {}

    sdk::ResourceDescriptor describe() const override;
    /// A stack that a project uses stays.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    /// The projects that use it.
    /// Its data stores, by their keys.
    sdk::Result<std::vector<sdk::Companion>> companions(sdk::Context& context,
                                                        const sdk::Document& stack) override;
    /// Puts a data store into the stack, as `datastores/assign` does.
    sdk::Result<void> accompany(sdk::Context& context, const sdk::Document& stack,
                                const sdk::Companion& companion) override;
    sdk::Result<std::vector<sdk::RecordKey>> bounded_by(const sdk::Reader& store,
                                                        const sdk::RecordKey& record) override;

    sdk::Result<sdk::Reply> assign(const sdk::Call& call);
    sdk::Result<sdk::Reply> unassign(const sdk::Call& call);
    sdk::Result<sdk::Reply> list_stores(const sdk::Call& call);
    sdk::Result<sdk::Reply> read_store(const sdk::Call& call);
    sdk::Result<sdk::Reply> exists(const sdk::Call& call);
    /// The stack that holds a store.
    sdk::Result<sdk::Reply> find(const sdk::Call& call);
    sdk::Result<sdk::Reply> query_logs(const sdk::Call& call);
    sdk::Result<sdk::Reply> read_log_file(const sdk::Call& call);
    sdk::Result<sdk::Reply> read_log_entry(const sdk::Call& call);

private:
    sdk::RowQuery& rows_;
    const LogOperations& logs_;
};

}  // namespace stele::platform

#include "kernel/resource/data_store/data_store_records.hpp"

#include <nlohmann/json.hpp>

#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/record_rights.hpp"

namespace stele::kernel::resource {

sdk::Result<std::optional<sdk::RecordKey>> data_store_of(const Records& records,
                                                         const sdk::Reader& reader,
                                                         const sdk::RecordKey& record) {
    std::optional<sdk::RecordKey> step = record;
    while (step) {
        auto resource = records.resource_of(reader, *step);
        if (!resource) return resource.error();
        if (*resource && (*resource)->descriptor.capabilities.data_store) return step;
        auto container = records.container_of(reader, *step);
        if (!container) return container.error();
        step = std::move(*container);
    }
    return step;
}

sdk::Result<sdk::PermissionSet> RecordRights::open_permissions(const sdk::Reader& reader,
                                                               const sdk::RecordKey& record) {
    using enum sdk::Permission;
    auto store = data_store_of(records_, reader, record);
    if (!store) return store.error();
    if (!*store) return sdk::PermissionSet();
    auto is_open = is_open_store(reader, **store);
    if (!is_open) return is_open.error();
    if (!*is_open) return sdk::PermissionSet();
    // The store itself, and who has rights in it, stay its owners' matter.
    if (**store == record) return sdk::PermissionSet{connect, read, create_subobjects};
    return sdk::PermissionSet{connect, read, create_subobjects, update, remove};
}

sdk::Result<void> set_store_members(Records& records, sdk::Transaction& transaction,
                                    const sdk::RecordKey& store, const sdk::Json& members) {
    storage::Record record;
    if (auto found = records.read(transaction, store, record); !found) return found;
    auto resource = records.resource_of(transaction, store);
    if (!resource) return resource.error();
    auto document = document_of(record, sdk::Json::object());
    if (!document) return document.error();
    for (const auto& [name, value] : members.items()) {
        if (value.is_null()) {
            document->fields.erase(name);
        } else {
            document->fields[name] = value;
        }
    }
    auto stored = records.documents().replace(transaction, (*resource)->rules, record,
                                              document->fields, record.sealed());
    if (!stored) return stored.error();
    return {};
}

}  // namespace stele::kernel::resource

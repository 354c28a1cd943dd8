#include "kernel/resource/operations/record_path.hpp"

#include <stele/sdk/members.hpp>

namespace stele::kernel::resource {

namespace {

/// What the path says of a record before its id, where a family's path names a part of it.
sdk::Result<void> add_part(WorkContext& context, const RegisteredResource& family,
                           const sdk::RecordKey& key, std::vector<std::string>& values) {
    if (family.part_members.empty()) return {};
    storage::Record record;
    const Records& records = context.services().records;
    if (auto found = records.read(context.transaction(), key, record); !found) return found;
    auto document = records.open(record);
    if (!document) return document.error();
    for (const std::string& member : family.part_members)
        values.insert(values.end() - 1, sdk::text_member(document->fields, member));
    return {};
}

}  // namespace

std::string RecordPath::pattern(std::string_view below) const {
    if (family) return family->instance_path + std::string(below);
    return below.empty() ? "/" : std::string(below);
}

sdk::Result<RecordPath> record_path(WorkContext& context, const sdk::RecordKey& record) {
    if (record == context.platform().root) return RecordPath();
    // word://platform/id of a container/id
    auto reference = context.reference(record);
    if (!reference) return reference.error();
    const std::size_t separator = reference->find("://");
    const RegisteredResource* const family =
        context.services().registry.find_reference_type(reference->substr(0, separator));
    if (!family) return unknown_record("record", *reference);
    RecordPath found{family, {}};
    std::size_t at = reference->find('/', separator + 3);
    while (at != std::string::npos) {
        const std::size_t next = reference->find('/', at + 1);
        found.values.push_back(reference->substr(at + 1, next - at - 1));
        at = next;
    }
    if (auto added = add_part(context, *family, record, found.values); !added) return added.error();
    return found;
}

}  // namespace stele::kernel::resource

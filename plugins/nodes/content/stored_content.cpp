#include "content/stored_content.hpp"

#include <nlohmann/json.hpp>

#include "content/branch_content.hpp"
#include "content/history.hpp"

namespace stele::nodes {

sdk::Result<StoredContent> StoredContent::of(const Services& services, const sdk::Reader& store,
                                             const sdk::RecordKey& branch) {
    auto present = services.branches.present(store, branch);
    if (!present) return present.error();
    return StoredContent(store, (*present)->space, (*present)->view);
}

sdk::Result<bool> StoredContent::is_creator(std::string_view node,
                                            const sdk::RecordKey& principal) const {
    const auto person = graph().find_person(principal);
    if (!person) return person.error();
    if (!*person) return false;
    std::string stored;
    auto found = view_->get_into(node_record_key(node), stored);
    if (!found) return found.error();
    const auto record = *found ? sdk::StoredRecord::read(stored) : std::nullopt;
    if (!record) return false;
    auto fields = sdk::parse_json(record->text, {.depth = 200});
    if (!fields) return fields.error();
    const Creator creator = creator_of(*fields);
    auto maker = graph().find_person(creator.domain_id, creator.id);
    if (!maker) return maker.error();
    return *maker == *person;
}

}  // namespace stele::nodes

#include "note.hpp"

namespace stele::note {

sdk::ResourceDescriptor Note::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "title", .kind = text, .required = true},
        {.name = "body", .kind = text},
        {.name = "pinned", .kind = boolean, .default_json = "false"},
    };
    const sdk::Actions actions{
        {.name = "pin",
         .permission = sdk::Permission::update,
         .run = sdk::action<&Note::pin>(),
         .answers = sdk::shape::record("note")},
    };
    return {.type = "note",
            .path = "notes",
            .placeholder = "noteId",
            .fields = fields,
            .actions = actions};
}

sdk::Result<sdk::Reply> Note::pin(const sdk::Call& call) {
    auto pinned =
        call.context().documents().patch(call.collection(), call.record().id, {{"pinned", true}});
    if (!pinned) return pinned.error();
    return sdk::Reply::json(pinned->fields);
}

}  // namespace stele::note

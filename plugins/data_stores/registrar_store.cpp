#include "registrar_store.hpp"

#include <nlohmann/json.hpp>

namespace stele::data_stores {

namespace {

constexpr char kType[] = "registrar";
constexpr char kDefault[] = "default";
constexpr char kPrimary[] = "primary";

bool is_missing(const sdk::Error& error) {
    return error.kind == sdk::ErrorKind::not_found;
}

}  // namespace

sdk::ResourceDescriptor RegistrarStore::describe() const {
    return {.type = kType,
            .path = "registrars",
            .placeholder = "registrarId",
            .capabilities = {.data_store = true},
            .title = "registrars"};
}

sdk::Result<void> RegistrarStore::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) return {};
    auto primary = context.documents().read(change.collection, kPrimary);
    if (!primary) return is_missing(primary.error()) ? sdk::Result<void>() : primary.error();
    if (primary->id != change.before->id) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "store.primary_required",
                           "the primary registrar cannot be removed");
}

sdk::Result<void> install_registrar(sdk::Context& context, const sdk::Json&) {
    const sdk::CollectionName registrars{kType, ""};
    auto existing = context.documents().read(registrars, kPrimary);
    if (existing || !is_missing(existing.error())) {
        return existing ? sdk::Result<void>() : existing.error();
    }
    auto made = context.documents().create(registrars,
                                           {{"_doc", kDefault}, {"title", "Primary registrar"}});
    if (!made) return made.error();
    return context.documents().set_alias(registrars, kPrimary, made->id);
}

}  // namespace stele::data_stores

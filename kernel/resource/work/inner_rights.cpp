#include "kernel/resource/work/inner_rights.hpp"

#include <nlohmann/json.hpp>

#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

sdk::Result<sdk::PermissionSet> InnerRights::inner_permissions(sdk::Context& context,
                                                               const sdk::Principal& principal,
                                                               std::string_view reference) {
    WorkContext& work = WorkContext::of(context);
    auto session = std::make_shared<sdk::Session>();
    session->platform = context.platform();
    session->principal = principal;
    WorkContext named(work.services(), std::move(session), work.work());
    const auto found = named.read_reference(reference);
    if (found) return sdk::PermissionSet{sdk::Permission::connect, sdk::Permission::read};
    const sdk::ErrorKind kind = found.error().kind;
    const bool leads_nowhere = kind == sdk::ErrorKind::not_found || kind == sdk::ErrorKind::invalid;
    if (leads_nowhere) return sdk::PermissionSet();
    return found.error();
}

}  // namespace stele::kernel::resource

#include "install.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

#include "collections.hpp"

namespace stele::platform {

namespace {

sdk::Result<void> ensure(sdk::Context& context, const sdk::CollectionName& collection,
                         std::string_view id, sdk::Json fields) {
    auto present = context.documents().read(collection, id);
    if (present) return {};
    if (!sdk::is_missing(present.error())) return present.error();
    auto made = context.documents().create(collection, std::move(fields));
    if (!made) return made.error();
    return {};
}

}  // namespace

sdk::Result<void> install_applications(sdk::Registrar& registrar, sdk::Context& context) {
    const sdk::CollectionName applications{"application", ""};
    if (context.platform().number == registrar.root_platform().number) {
        return ensure(context, applications, "default",
                      {{"_doc", "default"}, {"key", "default"}, {"title", "Default application"}});
    }
    auto stack = ensure(context, kStacks, "default",
                        {{"_doc", "default"}, {"key", "default"}, {"title", "Primary stack"}});
    if (!stack) return stack;
    auto console = ensure(context, applications, "console",
                          {{"key", "console"}, {"title", "Console"}, {"isTenantDefault", true}});
    if (!console) return console;
    return ensure(context, applications, "ui",
                  {{"key", "ui"}, {"title", "User interface"}, {"isTenantDefault", true}});
}

}  // namespace stele::platform

#include "ui_config.hpp"

namespace stele::ui_configs {

sdk::ResourceDescriptor UiConfig::describe() const {
    using enum sdk::FieldKind;
    // The specification shows no fields. These are the ones that clients send; `config` is opaque.
    const sdk::Fields fields{
        {.name = "title", .kind = text},      {.name = "description", .kind = text},
        {.name = "key", .kind = text},        {.name = "projectId", .kind = text},
        {.name = "enabled", .kind = boolean}, {.name = "config", .kind = object},
    };
    sdk::ResourceDescriptor descriptor;
    descriptor.type = "uiconfig";
    descriptor.path = "uiconfigs";
    descriptor.placeholder = "uiConfigId";
    descriptor.title = "ui configs";
    descriptor.fields = fields;
    descriptor.composite_indexes = {{"projectId", "title"}};
    return descriptor;
}

}  // namespace stele::ui_configs

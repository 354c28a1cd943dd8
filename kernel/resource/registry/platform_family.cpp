#include "kernel/resource/registry/platform_family.hpp"

#include "kernel/resource/registry/registry.hpp"

namespace stele::kernel::resource {

sdk::ResourceDescriptor PlatformFamily::describe() const {
    using enum sdk::FieldKind;
    sdk::ResourceDescriptor descriptor;
    descriptor.type = kPlatformType;
    descriptor.path = kPlatformType;
    descriptor.placeholder = "platformId";
    descriptor.fields = {
        {.name = "title", .kind = text},
        {.name = "description", .kind = text},
        {.name = "ownerRegistrarId", .kind = text, .read_only = true},
        {.name = "ownerTenantId", .kind = text, .read_only = true},
    };
    descriptor.operations = {.create = false,
                             .list = false,
                             .query = false,
                             .read = false,
                             .update = false,
                             .remove = false,
                             .permissions = false};
    return descriptor;
}

}  // namespace stele::kernel::resource

#pragma once

#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/permission.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Rights on what lies in a record and is none itself: a changeset, a node as it was. Published by
/// the kernel. Any thread.
class InnerRights {
public:
    virtual ~InnerRights();

    /// CONNECT and READ where `principal` may read what the reference names
    /// (`Context::read_reference`), none otherwise: such things are never changed. As the
    /// transaction of the context sees it, whoever acts in it.
    virtual Result<PermissionSet> inner_permissions(Context& context, const Principal& principal,
                                                    std::string_view reference) = 0;
};

}  // namespace stele::sdk

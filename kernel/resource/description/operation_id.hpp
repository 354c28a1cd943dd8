#pragma once

#include <set>
#include <string>

#include "kernel/resource/registry/route.hpp"

namespace stele::kernel::resource {

/// The name by which the description tells families' operations apart in `tags` and `operationId`.
std::string family_title(const Route& route);

/// Names for the operations of a description, in the order of the routes: `domains.readAcl`,
/// `nodes.getAttachments`. Where one is taken, the placeholders of the path follow, then the
/// method. The same routes have the same names; a family's do not depend on other plugins.
class OperationIds {
public:
    std::string take(const Route& route);

private:
    std::set<std::string> taken_;
};

}  // namespace stele::kernel::resource

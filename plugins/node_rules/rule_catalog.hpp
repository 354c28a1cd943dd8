#pragma once

#include <stele/sdk/registrar.hpp>

namespace stele::node_rules {

/// `GET /rule/actions`, `/rule/conditions` and one of each (docs/specification/platform.md 16):
/// what rules can be made of here. While the plugin is opened.
void add_rule_catalog(sdk::Registrar& registrar);

}  // namespace stele::node_rules

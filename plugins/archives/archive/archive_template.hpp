#pragma once

#include <stele/sdk/json.hpp>

namespace stele::archives {

/// `templateType` and `templateKey` stand in `template`, as the specification has them
/// (docs/specification/interface.md 3.7), and beside it, as a client has them
/// (docs/specification/merge_and_transfer.md 4.5): whichever a write says, the other form says it,
/// too. Where both do, and differ, the one counts that is new against `before`, the nested one
/// first. A `template` that is no object stays as it came. `before` is null on create.
void settle_template(const sdk::Json* before, sdk::Json& fields);

}  // namespace stele::archives

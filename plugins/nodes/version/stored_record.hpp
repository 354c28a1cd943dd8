#pragma once

#include <string>

#include "link.hpp"

namespace stele::nodes {

/// Gives a stored record what only its commit knew: the revision as its version, and in the text,
/// which ends with `"changeset":"<20 hexadecimal digits>"}}`, the number of the changeset before
/// the digits: one less than the revision. The changeset of revision 1 is `0:root`. Anything else
/// at the end is left as it is; false when the bytes are no record.
bool complete_record(std::string& stored, Revision revision);

}  // namespace stele::nodes

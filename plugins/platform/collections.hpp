#pragma once

#include <stele/sdk/documents.hpp>

namespace stele::platform {

inline const sdk::CollectionName kProjects{"project", ""};
inline const sdk::CollectionName kStacks{"stack", ""};

}  // namespace stele::platform

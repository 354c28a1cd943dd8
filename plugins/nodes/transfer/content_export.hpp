#pragma once

#include <memory>

#include <stele/sdk/services/content_transfer.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// `sdk::ContentTransfer::open`.
sdk::Result<std::unique_ptr<sdk::ContentSource>> open_export(Services& services,
                                                             sdk::Context& context,
                                                             const sdk::ContentSelection& selection,
                                                             sdk::ContentOmissions& omissions);

}  // namespace stele::nodes

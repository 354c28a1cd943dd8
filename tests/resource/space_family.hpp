#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <stele/sdk/resource.hpp>

/// Families of which one lies in a space:
///
///     /branches/{branchId}/nodes/{nodeId}      in short /b/{branchId}/n/{nodeId}
///
/// The space is the collection's keys below another prefix. A node's member `author` names who owns
/// it, its member `folder` the node that it lies in.
namespace stele::kernel::resource::testing {

/// Where the test's space keeps its keys on the platform.
std::string space_prefix();

std::vector<std::unique_ptr<sdk::Resource>> space_families();

}  // namespace stele::kernel::resource::testing

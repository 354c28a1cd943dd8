#pragma once

#include <stele/sdk/context.hpp>
#include <stele/sdk/permission.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/jobs.hpp>

namespace stele::sdk {

/// A job acts with the rights that its starter has when it runs: `forbidden`
/// (`authority.permission_missing`) when the starter holds the permission on the record no more.
/// For jobs that work as the server.
[[nodiscard]] Result<void> require_of_starter(Context& context, const Job& job,
                                              const RecordKey& record, Permission permission);

}  // namespace stele::sdk

#pragma once

#include <stele/sdk/services/jobs.hpp>

#include "transfer/transfer_services.hpp"

/// What the jobs of transfers do; their inputs are made by `TransferJobs`.
namespace stele::archives {

sdk::Result<sdk::Json> run_export(const TransferServices& services, sdk::Job& job);
sdk::Result<sdk::Json> run_import(const TransferServices& services, sdk::Job& job);
sdk::Result<sdk::Json> run_copy(const TransferServices& services, sdk::Job& job);

}  // namespace stele::archives

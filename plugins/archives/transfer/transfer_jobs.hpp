#pragma once

#include <string>
#include <vector>

#include <stele/sdk/services/record_transfer.hpp>

#include "transfer/transfer_services.hpp"

namespace stele::archives {

inline constexpr char kExportJob[] = "export";
inline constexpr char kImportJob[] = "import";
/// Shown as `copy`, like the copies of nodes.
inline constexpr char kCopyJob[] = "copy-records";
/// They share one bound.
inline constexpr char kTransferLane[] = "transfers";

/// Exports, imports and copies: operations that start them, and the jobs
/// (docs/reference/transfer.md). Any thread; the services outlive it.
class TransferJobs final : public sdk::RecordTransfer {
public:
    explicit TransferJobs(const TransferServices& services) : services_(services) {}

    /// The job types and the operations at paths of their own. Once, while the plugin is opened.
    void add_to(sdk::Registrar& registrar) const;

    sdk::Result<sdk::Reply> start_export(const sdk::Call& call,
                                         const sdk::RecordKey& record) override;
    sdk::Result<sdk::Reply> start_import(const sdk::Call& call,
                                         const sdk::RecordKey& record) override;

private:
    /// POST /transfer/export : body `sources`, references, and the configuration.
    sdk::Result<sdk::Reply> export_references(const sdk::Call& call) const;
    /// POST /transfer/import?target= : a reference.
    sdk::Result<sdk::Reply> import_into_reference(const sdk::Call& call) const;
    /// POST /tools/copy : body `sources` and `targets`, chains.
    sdk::Result<sdk::Reply> copy_chains(const sdk::Call& call) const;

    sdk::Result<void> check_importable(sdk::Context& context, const sdk::Document& archive) const;
    sdk::Result<sdk::Reply> start_export_of(const sdk::Call& call,
                                            const std::vector<std::string>& references) const;
    sdk::Result<sdk::Reply> start_import_into(const sdk::Call& call,
                                              const sdk::RecordKey& target) const;

    const TransferServices& services_;
};

}  // namespace stele::archives

#pragma once

#include <cstdint>
#include <string>

#include <stele/sdk/registrar.hpp>

#include "documents/package_room.hpp"
#include "transfer/transfer_services.hpp"

namespace stele::archives {

inline constexpr char kDocumentExportJob[] = "export-documents";
inline constexpr char kDocumentMailJob[] = "mail-documents";

/// Exports of documents by reference: what people take away to read, no archive that could come
/// back (docs/reference/document_exports.md). A job looks whether and how many files there are;
/// the files themselves are read when they are asked for, with the rights of that moment. Any
/// thread; the services outlive it.
class DocumentExports {
public:
    /// Packages that are being made or downloaded take up so many bytes for each person.
    DocumentExports(const TransferServices& services, std::uint64_t package_bytes)
        : services_(services), room_(package_bytes) {}

    /// The job type and the operations. Once, while the plugin is opened.
    void add_to(sdk::Registrar& registrar) const;

private:
    /// POST /ref/exports/start : body `references`, `package` and what else it is told.
    sdk::Result<sdk::Reply> start(const sdk::Call& call) const;
    /// GET /ref/exports/{exportId}/status : `state`, `fileCount`.
    sdk::Result<sdk::Reply> status(const sdk::Call& call) const;
    /// GET /ref/exports/{exportId}/download : the package; with /{index} one of its files.
    sdk::Result<sdk::Reply> download(const sdk::Call& call) const;
    /// POST /ref/exports/{exportId}/generate : makes a node with the package as its attachment.
    sdk::Result<sdk::Reply> generate(const sdk::Call& call) const;

    /// POST /ref/exports/{exportId}/email : sends the package by an email provider.
    sdk::Result<sdk::Reply> send(const sdk::Call& call) const;

    /// The job, for whoever started it: to others there is none.
    sdk::Result<sdk::Json> job_of(const sdk::Call& call) const;
    /// `conflict` while it has not ended well.
    sdk::Result<sdk::Json> finished_job_of(const sdk::Call& call) const;

    const TransferServices& services_;
    mutable PackageRoom room_;
};

}  // namespace stele::archives

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/unnamed_file.hpp>

#include "transfer/transfer_services.hpp"

namespace stele::archives {

/// What an export of documents is told (docs/reference/document_exports.md).
struct PackageSettings {
    std::vector<std::string> references;
    bool is_pdf = false;
    /// Of a zip: entries that are PDF where a document can be one.
    bool has_pdf_entries = false;
    bool merges_pdfs = false;
    bool has_metadata = false;
    bool has_attachments = false;

    /// `invalid` with a violation for each member of the wrong kind, and for missing references.
    static sdk::Result<PackageSettings> read(const sdk::Json& body);
    /// What `read` understands.
    sdk::Json to_json() const;
};

/// A file of a package.
struct PackageFile {
    std::string name;
    std::string content_type;
    /// Opened once, in the context that it was found in.
    std::function<sdk::Result<sdk::PieceSource>()> open;
};

/// A name that files of a zip may have and none has had yet; `taken` gets it.
std::string package_name(std::string_view wanted, std::vector<std::string>& taken);

/// The files of a package as they are now, as far as whoever acts in the context may read them,
/// which outlives them. `not_found` for a document that is not there, `unimplemented`
/// (`archives.pdf_unavailable`) for one that is no PDF where it has to be.
sdk::Result<std::vector<PackageFile>> package_files(const TransferServices& services,
                                                    sdk::Context& context,
                                                    const PackageSettings& settings);

/// Bytes in a file without a name: of the first file alone, or of a zip of all.
sdk::Result<sdk::UnnamedFile> write_package(const TransferServices& services, bool is_single,
                                            const std::vector<PackageFile>& files);

}  // namespace stele::archives

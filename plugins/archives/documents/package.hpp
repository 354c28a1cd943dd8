#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/unnamed_file.hpp>

#include "documents/package_room.hpp"
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

/// Names of the files of one zip. One thread.
class PackageNames {
public:
    /// A name that files of a zip may have and none has had yet. As quick for a name that many
    /// wanted.
    std::string take(std::string_view wanted);

private:
    std::unordered_set<std::string> taken_;
    /// Below which all are taken, by the name that was wanted.
    std::unordered_map<std::string, std::size_t> numbers_;
};

/// Bytes of a package in a file without a name, which goes with the object, and so does its share
/// of the room. One thread.
class PackageBytes {
public:
    static sdk::Result<PackageBytes> open(const std::filesystem::path& folder,
                                          PackageRoom::Share share);

    /// Fails like `PackageRoom::Share::take` and `sdk::UnnamedFile`.
    sdk::Result<void> append(std::string_view bytes);
    std::uint64_t size() const { return file_.size(); }
    /// Replaces `piece` with bytes from `offset`; empty at the end.
    sdk::Result<void> read(std::uint64_t offset, std::string& piece) const {
        return file_.read(offset, piece);
    }
    /// An ETag by all that was appended. Once, at the end.
    std::string take_tag();

private:
    PackageBytes(sdk::UnnamedFile file, PackageRoom::Share share)
        : file_(std::move(file)), share_(std::move(share)) {}

    sdk::UnnamedFile file_;
    PackageRoom::Share share_;
    sdk::Sha256 digest_;
};

/// The files of a package as they are now, as far as whoever acts in the context may read them,
/// which outlives them. `not_found` for a document that is not there, `unimplemented`
/// (`archives.pdf_unavailable`) for one that is no PDF where it has to be, `too_large`
/// (`archives.package_too_large`) for more than 10,000 files.
sdk::Result<std::vector<PackageFile>> package_files(const TransferServices& services,
                                                    sdk::Context& context,
                                                    const PackageSettings& settings);

/// The first file alone, or a zip of all.
sdk::Result<PackageBytes> write_package(const TransferServices& services, sdk::Context& context,
                                        PackageRoom::Share share, bool is_single,
                                        const std::vector<PackageFile>& files);

}  // namespace stele::archives

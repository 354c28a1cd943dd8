#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/content_transfer.hpp>
#include <stele/sdk/services/families.hpp>
#include <stele/sdk/services/inner_operations.hpp>
#include <stele/sdk/services/jobs.hpp>
#include <stele/sdk/services/principal_directory.hpp>
#include <stele/sdk/services/teams.hpp>

#include "archive/archive_store.hpp"

namespace stele::archives {

/// What exports, imports and copies work with. Lives until the process ends.
struct TransferServices {
    sdk::Registrar& registrar;
    sdk::Families& families;
    sdk::InnerOperations& operations;
    sdk::Jobs& jobs;
    sdk::Teams& teams;
    sdk::PrincipalDirectory& principals;
    const ArchiveStore& archives;
    /// Exports, imports and copies that run at the same time on this server.
    std::size_t most_running = 2;

    /// Null where no enabled plugin keeps nodes. Not before all plugins are opened.
    sdk::ContentTransfer* content() const { return registrar.find<sdk::ContentTransfer>(); }
    /// For files without names; made when it is missing.
    std::filesystem::path scratch_folder() const;
};

/// Whether an operation was refused to somebody who may not know of the record, or not enough.
bool is_out_of_sight(const sdk::Error& error);

/// References of a record and of what it lies in, outermost first.
sdk::Result<std::vector<std::string>> references_to(sdk::Context& context,
                                                    const sdk::Families& families,
                                                    const sdk::RecordKey& key);

/// What an inner operation answers, as JSON, also where it answers a stream.
sdk::Result<sdk::Json> json_of(sdk::Result<sdk::Reply> reply);

/// The bytes of an attachment, as its download answers them.
sdk::Result<sdk::PieceSource> pieces_of(sdk::Result<sdk::Reply> reply);

}  // namespace stele::archives

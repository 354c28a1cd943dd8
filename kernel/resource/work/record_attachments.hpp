#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::resource {

class WorkContext;

/// What records have attached: an object by id, in order of upload, each with what
/// `sdk::Attachment` keeps. It stands in a row of its own, and once more in `_system.attachments`
/// of the record, for readers and queries. The bytes lie in the binaries of the data store that the
/// record is or lies in, else in the default ones. Not for records in spaces.
sdk::Result<sdk::Json> read_attachments(const sdk::Reader& reader, const sdk::RecordKey& record);

/// Gives a record these attachments in place of `before`, as a new version of it without its
/// family's hooks, and counts the difference in its data store: `storage_full` or `locked` where
/// that refuses.
sdk::Result<void> replace_attachments(WorkContext& context, const sdk::RecordKey& record,
                                      const sdk::Json& before, const sdk::Json& after);

/// The content of a record (`sdk::RecordBinaries`), which stands in the same row; nothing where it
/// has none.
sdk::Result<std::optional<sdk::Attachment>> read_content(const sdk::Reader& reader,
                                                         const sdk::RecordKey& record);

/// Gives a record this content, and counts the difference: fails like `replace_attachments`.
sdk::Result<void> replace_content(WorkContext& context, const sdk::RecordKey& record,
                                  const sdk::Attachment& content);

/// What an update of a record keeps: the attachments that `before`, its `_system`, tells.
void keep_told_attachments(const sdk::Json& before, sdk::Json& system);

/// All attachments of a record that goes, and its content.
sdk::Result<void> forget_attachments(WorkContext& context, const sdk::RecordKey& record);

/// How many they are, and their bytes.
sdk::DataStoreSize size_of_attachments(const sdk::Json& attachments);

/// Every record of a platform that has attachments or content; `visit` gets all of its binaries.
sdk::Result<void> for_each_attached(
    const sdk::Reader& reader, std::uint64_t platform,
    const std::function<sdk::Result<void>(const sdk::RecordKey& record, const sdk::Json&)>& visit);

}  // namespace stele::kernel::resource

#pragma once

#include <optional>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/context.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// The bytes of records that lie in no space: what they have attached, and their content, which
/// makes out the record itself, like the zip of an archive. Content is no attachment: no list has
/// it and no path of the kernel leads to it; the family says who gets it. Otherwise it is kept like
/// one: it counts in the data store in which the record lies, is never collected as unused, is
/// looked at by `stele check`, and goes with the record. Published by the kernel. Rights are the
/// caller's matter. Everything joins the context's transaction. Any thread.
class RecordBinaries {
public:
    virtual ~RecordBinaries();

    /// The content of a record; nothing where it has none.
    virtual Result<std::optional<Attachment>> content(Context& context,
                                                      const RecordKey& record) = 0;
    /// Gives a record this content in place of what it had. The bytes lie in the binaries of its
    /// data store already (`DataStores::binaries`, `store_bytes`). `locked` and `storage_full` as
    /// `DataStores::count`. The record's version stays.
    virtual Result<void> set_content(Context& context, const RecordKey& record,
                                     const Attachment& content) = 0;
    /// Gives `to`, which has neither, the attachments and the content of `from`. Where the two lie
    /// in different places, the bytes are stored again: that takes as long as it takes. `locked`
    /// and `storage_full` as `set_content`.
    virtual Result<void> copy(Context& context, const RecordKey& from, const RecordKey& to) = 0;
};

}  // namespace stele::sdk

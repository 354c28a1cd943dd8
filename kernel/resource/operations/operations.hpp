#pragma once

#include <nlohmann/json.hpp>

#include <stele/sdk/reply.hpp>

#include "kernel/resource/operations/routed_call.hpp"

namespace stele::kernel::resource {

/// The answer to a write: `ok` and `_doc`, and the record's other members unless the caller asked
/// for less (docs/specification/rulings.md). `stored` is the record as the write has left it.
sdk::Result<sdk::Reply> written_reply(const RoutedCall& call, const storage::Record& stored);
/// The record's text in such an answer: what the caller may know of it, presented where the family
/// wants every reply to be.
sdk::Result<std::string> written_text(const RoutedCall& call, const storage::Record& stored);

/// Everything of an operation that lies inside its transaction: finds the record, authorizes,
/// decodes and runs the handler, whose reply it leaves in `answer`. The caller commits.
sdk::Result<void> execute(RoutedCall& call, std::optional<sdk::Reply>& answer);
/// The same up to the handler's reply, for a call inside of another one, which does the rest.
sdk::Result<sdk::Reply> run_operation(RoutedCall& call);
/// Name of the part of a context that says that its write is in the audit log already.
inline constexpr char kNotedPart[] = "kernel.noted";
/// Before a large body comes: whether the caller may send it, and as many bytes could find room.
sdk::Result<void> admit_upload(RoutedCall& call, std::uint64_t bytes);

// What standard_operations() names; each is called after the stages before it.
sdk::Result<sdk::Reply> create_record(RoutedCall& call);
sdk::Result<sdk::Reply> read_record(RoutedCall& call);
sdk::Result<sdk::Reply> update_record(RoutedCall& call);
sdk::Result<sdk::Reply> remove_record(RoutedCall& call);
sdk::Result<sdk::Reply> list_records(RoutedCall& call);
sdk::Result<sdk::Reply> query_records(RoutedCall& call);
sdk::Result<sdk::Reply> query_records_by_get(RoutedCall& call);

/// Which rows a page shows.
struct Listing {
    const CollectionPlace& place;
    sdk::Json condition;
    /// Rows pass through `Resource::present`.
    bool is_presented = false;
    /// The condition says already what the caller wants left out of rows (`ReplyParts`).
    bool is_trimmed = false;
};
/// The page that the call asks for.
sdk::Result<sdk::Reply> list_rows(const RoutedCall& call, const Listing& listing);

sdk::Result<sdk::Reply> check_permission(RoutedCall& call);
sdk::Result<sdk::Reply> check_authority(RoutedCall& call);
sdk::Result<sdk::Reply> check_permissions(RoutedCall& call);
sdk::Result<sdk::Reply> check_authorities(RoutedCall& call);
sdk::Result<sdk::Reply> grant_authority(RoutedCall& call);
sdk::Result<sdk::Reply> revoke_authority(RoutedCall& call);
sdk::Result<sdk::Reply> read_acl(RoutedCall& call);
sdk::Result<sdk::Reply> read_acl_of_principal(RoutedCall& call);
sdk::Result<sdk::Reply> read_report(RoutedCall& call);
// Routed only where a plugin publishes `sdk::RecordTransfer`.
sdk::Result<sdk::Reply> export_record(RoutedCall& call);
sdk::Result<sdk::Reply> import_record(RoutedCall& call);

/// Whether replies with records of this call pass through `Resource::present`.
bool is_presented(const RoutedCall& call);
/// Whether a parameter of the call asks for it.
bool asks_for_presentation(const RoutedCall& call);
/// One record's text as it goes out: as stored, or presented.
sdk::Result<std::string> presented_text(const RoutedCall& call, std::string_view text);

}  // namespace stele::kernel::resource

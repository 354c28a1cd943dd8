#pragma once

#include <array>
#include <string>

namespace stele::storage_postgres {

/// The statements that every connection prepares. Their parameters are told with their texts.
enum class Statement {
    read,
    read_many,
    scan_forward,
    scan_backward,
    read_log,
    begin,
    rollback,
    commit,
    lock_state,
    read_counters,
    read_keys,
    keep_past,
    write,
    remove,
    write_log,
    write_at_once,
    advance,
    find_batch,
    fence,
    touch,
    read_version,
    estimate_size,
    report_server,
    forget_server,
    forget_silent_servers,
    count_servers,
    raise_horizon,
    trim_past,
    trim_log,
    begin_blob,
    write_blob_piece,
    finish_blob,
    date_blob,
    find_blob,
    read_blob_piece,
    list_blobs,
    remove_blob,
    give_up_upload,
    give_up_old_uploads,
    clear_pieces,
    clear_any_pieces,
};
inline constexpr std::size_t kStatements =
    static_cast<std::size_t>(Statement::clear_any_pieces) + 1;

struct StatementText {
    Statement statement;
    const char* text;
};
const std::array<StatementText, kStatements>& statement_texts();
/// Under which a connection has it.
std::string statement_name(Statement statement);

/// Makes the tables of an empty schema; README.md tells what they hold.
extern const char* const kCreateTables;
/// Adds those for binaries, also to a schema of an earlier version.
extern const char* const kCreateBlobTables;
/// The layout that this code knows; `stele_state` has it.
inline constexpr int kFormat = 1;

/// Rows of the change log that are read, and rows that are trimmed, at a time.
inline constexpr int kLogPage = 256;
inline constexpr int kTrimPage = 5000;
/// Pieces of a binary that are deleted at a time; each has more than a hundred rows behind it.
inline constexpr int kPiecePage = 64;

}  // namespace stele::storage_postgres

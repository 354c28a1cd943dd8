#include "statements.hpp"

namespace stele::storage_postgres {

const char* const kCreateTables = R"(
create table stele_state (
    id integer primary key check (id = 1),
    format integer not null,
    version bigint not null
);
create table stele_horizon (
    id integer primary key check (id = 1),
    version bigint not null
);
create table stele_entry (
    key bytea primary key,
    version bigint not null,
    value bytea not null
) with (fillfactor = 90);
create table stele_past (
    key bytea not null,
    until bigint not null,
    version bigint not null,
    value bytea not null,
    primary key (key, until)
);
create index stele_past_until on stele_past (until);
create table stele_log (
    version bigint primary key,
    batch bytea not null,
    at timestamptz not null default clock_timestamp(),
    keys bytea not null
);
create table stele_server (
    id bytea primary key,
    oldest bigint not null,
    seen timestamptz not null
);
create function stele_estimate(first bytea, beyond bytea) returns bigint
language plpgsql stable as $$
declare
    part json;
    whole json;
begin
    execute format('explain (format json) select 1 from stele_entry where key >= %L and key < %L',
                   first, beyond) into part;
    execute 'explain (format json) select 1 from stele_entry' into whole;
    return pg_total_relation_size('stele_entry') * (part->0->'Plan'->>'Plan Rows')::float8
           / greatest((whole->0->'Plan'->>'Plan Rows')::float8, 1);
end
$$;
insert into stele_state values (1, 1, 0);
insert into stele_horizon values (1, 0);
)";

const char* const kCreateBlobTables = R"(
create table if not exists stele_upload (
    id bytea primary key,
    begun timestamptz not null default clock_timestamp()
);
create table if not exists stele_blob (
    name bytea primary key,
    pieces bytea not null,
    size bigint not null,
    written timestamptz not null default clock_timestamp()
);
create table if not exists stele_blob_piece (
    pieces bytea not null,
    number bigint not null,
    bytes bytea not null,
    primary key (pieces, number)
);
alter table stele_blob_piece alter column bytes set storage external;
)";

namespace {

// Present entries that are not newer than the reader, and former ones that it still sees. Summed up
// to a bound of bytes, so that large values do not come by the thousand.
#define STELE_SCAN(direction)                                                    \
    "select h.version, c.key, c.value from stele_horizon h left join lateral ("  \
    " select key, value from ("                                                  \
    "  select key, value, sum(octet_length(value))"                              \
    "   over (order by key " direction                                           \
    " rows between unbounded preceding and 1 preceding) before"                  \
    "  from ((select key, value from stele_entry"                                \
    "    where key >= $1 and key < $2 and version <= $3 order by key " direction \
    " limit $4)"                                                                 \
    "   union all"                                                               \
    "   (select key, value from stele_past"                                      \
    "    where key >= $1 and key < $2 and version <= $3 and until > $3"          \
    "    order by key " direction                                                \
    " limit $4)"                                                                 \
    "   order by key " direction                                                 \
    " limit $4) found) counted"                                                  \
    " where before is null or before < $5) c on true where h.id = 1"

// key, version
constexpr char kRead[] = R"(
select h.version, e.value from stele_horizon h left join lateral (
  select value from stele_entry where key = $1 and version <= $2
  union all
  select value from stele_past where key = $1 and version <= $2 and until > $2
) e on true where h.id = 1)";

// keys, version: for each key its number and value
constexpr char kReadMany[] = R"(
select h.version, k.number, e.value
from stele_horizon h cross join unnest($1::bytea[]) with ordinality k(key, number)
left join lateral (
  select value from stele_entry where key = k.key and version <= $2
  union all
  select value from stele_past where key = k.key and version <= $2 and until > $2
) e on true where h.id = 1)";

// known version, rows: that of the known version first, so that a store with another past shows
constexpr char kReadLog[] = R"(
select s.version, l.version, l.batch, l.keys from stele_state s left join lateral (
  select version, batch, case when version > $1 then keys end as keys
  from stele_log where version >= $1 order by version limit $2
) l on true where s.id = 1)";

// keys, new version
constexpr char kKeepPast[] = R"(
insert into stele_past (key, until, version, value)
select key, $2, version, value from stele_entry where key = any($1))";

// keys, values, new version
constexpr char kWrite[] = R"(
insert into stele_entry (key, value, version)
select unnest($1::bytea[]), unnest($2::bytea[]), $3
on conflict (key) do update set value = excluded.value, version = excluded.version)";

// new version, batch of the version before, batch, keys for the log, keys, keys and values to put,
// keys to remove: a row when the store was at the version before. Who finds another commit under
// way waits for it, and then finds the store at another version. All parts see the state before the
// statement.
constexpr char kWriteAtOnce[] = R"(
with next as (
  update stele_state set version = $1::bigint where id = 1 and version = $1::bigint - 1
   and exists (select 1 from stele_log where version = $1::bigint - 1 and batch = $2)
  returning 1),
past as (
  insert into stele_past (key, until, version, value)
  select key, $1::bigint, version, value from stele_entry
  where key = any($5) and exists (select 1 from next)),
put as (
  insert into stele_entry (key, value, version)
  select unnest($6::bytea[]), unnest($7::bytea[]), $1::bigint where exists (select 1 from next)
  on conflict (key) do update set value = excluded.value, version = excluded.version),
removed as (
  delete from stele_entry where key = any($8) and exists (select 1 from next)),
logged as (
  insert into stele_log (version, batch, keys) select $1::bigint, $3, $4 from next)
select 1 from next)";

constexpr char kFence[] = R"(
with next as (
  update stele_state set version = $1::bigint where id = 1 and version = $1::bigint - 1
  returning 1)
insert into stele_log (version, batch, keys) select $1::bigint, $2, $3 from next)";

// server, oldest version that it reads
constexpr char kReportServer[] = R"(
insert into stele_server (id, oldest, seen) values ($1, $2, now())
on conflict (id) do update set oldest = excluded.oldest, seen = now())";

// milliseconds
constexpr char kForgetSilent[] = R"(
delete from stele_server where seen < now() - $1::bigint * interval '1 millisecond')";

// server that does not count, milliseconds
constexpr char kCountServers[] = R"(
select count(*) from stele_server
where id <> $1 and seen >= now() - $2::bigint * interval '1 millisecond')";

constexpr char kRaiseHorizon[] = R"(
update stele_horizon h set version = s.oldest
from (select min(oldest) as oldest from stele_server) s
where h.id = 1 and s.oldest > h.version)";

// rows
constexpr char kTrimPast[] = R"(
delete from stele_past where ctid = any(array(
  select p.ctid from stele_past p, stele_horizon h
  where h.id = 1 and p.until <= h.version limit $1)))";

// rows, milliseconds
constexpr char kTrimLog[] = R"(
delete from stele_log where version = any(array(
  select l.version from stele_log l, stele_horizon h, stele_state s
  where h.id = 1 and s.id = 1 and l.version <= h.version and l.version < s.version
  order by l.version limit $1)) and at < now() - $2::bigint * interval '1 millisecond')";

// Who writes pieces or names a blob locks the row of the upload; pieces are deleted only after that
// row was given up (`begun` is '-infinity') in a statement of its own, which waits for that lock. A
// snapshot that shows it given up therefore shows every piece, and no blob is made of them.

// pieces, number, bytes: nothing when the upload was given up
constexpr char kWriteBlobPiece[] = R"(
with living as (
  select id from stele_upload where id = $1 and begun > '-infinity' for no key update),
written as (
  insert into stele_blob_piece (pieces, number, bytes) select $1, $2, $3 from living
  on conflict (pieces, number) do nothing),
renewed as (
  update stele_upload u set begun = clock_timestamp() from living l
  where u.id = l.id and u.begun < clock_timestamp() - interval '1 minute')
select 1 from living)";

#define STELE_BYTES_OF(id) \
    "(select coalesce(sum(octet_length(bytes)), 0) from stele_blob_piece where pieces = " id ")"

// name, pieces, size: 1 when the blob is made of these pieces, 0 of those that were there before
// and are as many bytes; nothing when pieces are missing. A blob that was named since the snapshot
// keeps its pieces, which its own writer has just counted.
constexpr char kFinishBlob[] =
    "with living as ("
    " select id from stele_upload where id = $2 and begun > '-infinity' for update),"
    "former as (select pieces from stele_blob where name = $1 for update),"
    "kept as ("
    " insert into stele_blob as b (name, pieces, size)"
    " select $1::bytea, $2::bytea, $3::bigint from living"
    " where " STELE_BYTES_OF("$2") " = $3::bigint"
    " on conflict (name) do update set written = clock_timestamp(), pieces = case"
    "  when b.pieces in (select pieces from former) and " STELE_BYTES_OF("(b.pieces)") " <> b.size"
    "  then excluded.pieces else b.pieces end"
    " returning pieces),"
    "done as (delete from stele_upload u using kept k where u.id = k.pieces),"
    "replaced as ("
    " insert into stele_upload (id, begun)"
    " select f.pieces, '-infinity' from former f, kept k where k.pieces = $2 and f.pieces <> $2"
    " on conflict (id) do update set begun = '-infinity')"
    "select (pieces = $2)::integer from kept";

// name: nothing when it has not all of its bytes
constexpr char kDateBlob[] =
    "update stele_blob b set written = clock_timestamp() where name = $1"
    " and " STELE_BYTES_OF("(b.pieces)") " = b.size returning pieces";

// name, milliseconds
constexpr char kRemoveBlob[] = R"(
with gone as (
  delete from stele_blob where name = $1 and written < to_timestamp($2::bigint / 1000.0)
  returning pieces, size),
given_up as (
  insert into stele_upload (id, begun) select pieces, '-infinity' from gone
  on conflict (id) do update set begun = '-infinity')
select size, pieces from gone)";

// name before, milliseconds, rows
constexpr char kListBlobs[] = R"(
select name from stele_blob
where name > $1 and written < to_timestamp($2::bigint / 1000.0) order by name limit $3)";

// milliseconds
constexpr char kGiveUpOldUploads[] = R"(
update stele_upload set begun = '-infinity'
where begun > '-infinity' and begun < now() - $1::bigint * interval '1 millisecond')";

// rows first: 1 when there were pieces to clear away
#define STELE_CLEAR_PIECES(which)                                               \
    "with given_up as ("                                                        \
    " select id from stele_upload where begun = '-infinity' " which             \
    "),"                                                                        \
    "cleared as ("                                                              \
    " delete from stele_blob_piece where ctid = any(array("                     \
    "  select p.ctid from stele_blob_piece p, given_up g where p.pieces = g.id" \
    "  limit $1)) returning 1),"                                                \
    "done as ("                                                                 \
    " delete from stele_upload u using given_up g"                              \
    " where u.id = g.id and (select count(*) from cleared) < $1)"               \
    "select 1 from given_up"

constexpr StatementText kStatementTexts[] = {
    {Statement::read, kRead},
    {Statement::read_many, kReadMany},
    // begin, end, version, rows, bytes
    {Statement::scan_forward, STELE_SCAN("asc")},
    {Statement::scan_backward, STELE_SCAN("desc")},
    {Statement::read_log, kReadLog},
    {Statement::begin, "begin isolation level read committed"},
    {Statement::rollback, "rollback"},
    {Statement::commit, "commit"},
    {Statement::lock_state, "select version from stele_state where id = 1 for update"},
    // keys
    {Statement::read_counters, "select key, value from stele_entry where key = any($1)"},
    // begin, end
    {Statement::read_keys, "select key from stele_entry where key >= $1 and key < $2"},
    {Statement::keep_past, kKeepPast},
    {Statement::write, kWrite},
    // keys
    {Statement::remove, "delete from stele_entry where key = any($1)"},
    // version, batch, keys
    {Statement::write_log, "insert into stele_log (version, batch, keys) values ($1, $2, $3)"},
    {Statement::write_at_once, kWriteAtOnce},
    // version
    {Statement::advance, "update stele_state set version = $1 where id = 1"},
    // version, batch
    {Statement::find_batch, "select 1 from stele_log where version = $1 and batch = $2"},
    // version, batch, keys: takes the version where nobody has
    {Statement::fence, kFence},
    {Statement::touch, "update stele_state set version = version where id = 1"},
    {Statement::read_version, "select version from stele_state where id = 1"},
    // begin, end
    {Statement::estimate_size, "select stele_estimate($1, $2)"},
    {Statement::report_server, kReportServer},
    // server
    {Statement::forget_server, "delete from stele_server where id = $1"},
    {Statement::forget_silent_servers, kForgetSilent},
    {Statement::count_servers, kCountServers},
    {Statement::raise_horizon, kRaiseHorizon},
    {Statement::trim_past, kTrimPast},
    {Statement::trim_log, kTrimLog},
    // pieces
    {Statement::begin_blob,
     "insert into stele_upload (id) values ($1) on conflict (id) do nothing"},
    {Statement::write_blob_piece, kWriteBlobPiece},
    {Statement::finish_blob, kFinishBlob},
    {Statement::date_blob, kDateBlob},
    // name
    {Statement::find_blob, "select pieces, size from stele_blob where name = $1"},
    // pieces, number, first byte, bytes
    {Statement::read_blob_piece,
     "select substring(bytes from $3::bigint::integer for "
     "$4::bigint::integer) from stele_blob_piece "
     "where pieces = $1 and number = $2"},
    {Statement::list_blobs, kListBlobs},
    {Statement::remove_blob, kRemoveBlob},
    // pieces
    {Statement::give_up_upload,
     "update stele_upload set begun = '-infinity' where id = $1 and begun > '-infinity'"},
    {Statement::give_up_old_uploads, kGiveUpOldUploads},
    // rows, pieces
    {Statement::clear_pieces, STELE_CLEAR_PIECES("and id = $2 for update")},
    // rows: of pieces that no other server is at; any, so that those that fail hold up no others
    {Statement::clear_any_pieces,
     STELE_CLEAR_PIECES("order by random() limit 1 for update skip locked")},
};

}  // namespace

const std::array<StatementText, kStatements>& statement_texts() {
    static constexpr std::array<StatementText, kStatements> kAll = std::to_array(kStatementTexts);
    return kAll;
}

std::string statement_name(Statement statement) {
    return "s" + std::to_string(static_cast<int>(statement));
}

}  // namespace stele::storage_postgres

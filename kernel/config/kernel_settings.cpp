#include "kernel/config/kernel_settings.hpp"

namespace stele::kernel::config {

namespace {

using enum SettingKind;

constexpr std::int64_t kMany = 1'000'000;

std::vector<SettingInfo> server_settings() {
    return {
        {.key = "server.host",
         .default_value = "127.0.0.1",
         .description = "Address to listen on; 0.0.0.0 or :: for all of the machine's."},
        {.key = "server.port",
         .default_value = "8080",
         .description = "TCP port to listen on; 0 takes any free one and logs it.",
         .kind = integer,
         .maximum = 65'535},
        {.key = "server.threads",
         .default_value = "0",
         .description = "Threads that serve connections; 0 means one per processor core.",
         .kind = integer,
         .maximum = 1024},
        {.key = "server.tls_certificate_file",
         .default_value = "",
         .description = "PEM file with the certificate chain; empty serves without TLS."},
        {.key = "server.tls_key_file",
         .default_value = "",
         .description = "PEM file with the private key that belongs to the certificate."},
        {.key = "server.hsts_time",
         .default_value = "365d",
         .description = "How long browsers that came by TLS are to use nothing else "
                        "(Strict-Transport-Security); 0: they are not told.",
         .kind = milliseconds},
        {.key = "server.cors_origins",
         .default_value = "",
         .description = "Origins of web pages that may call the server from a browser, separated "
                        "by commas; * allows all, empty none."},
        {.key = "server.trusted_proxies",
         .default_value = "",
         .description = "Addresses of proxies in front of the server, separated by commas: what "
                        "they say in X-Forwarded-For counts as the caller's address."}};
}

std::vector<SettingInfo> connection_settings() {
    return {
        {.key = "server.connections",
         .default_value = "4096",
         .description = "Connections open at the same time; further ones are answered with 503.",
         .kind = integer,
         .minimum = 1,
         .maximum = kMany},
        {.key = "server.connections_per_address",
         .default_value = "0",
         .description = "Connections that one address may have open at the same time (IPv6: one "
                        "network of 64 bits); further ones are answered with 503. Addresses of "
                        "server.trusted_proxies are not counted. 0: half of server.connections.",
         .kind = integer,
         .maximum = kMany},
        {.key = "server.body_memory",
         .default_value = "256MiB",
         .description = "Memory that request bodies of more than 64 KiB may take together; further "
                        "ones are not read until there is room, for as long as server.busy_wait.",
         .kind = bytes,
         .minimum = 1024 * 1024},
        {.key = "server.body_memory_per_address",
         .default_value = "0",
         .description = "The share of server.body_memory for the clients of one address (IPv6: one "
                        "network of 64 bits). 0: half of it.",
         .kind = bytes},
    };
}

// Times and sizes of limits below one would refuse every request.
std::vector<SettingInfo> request_settings() {
    return {
        {.key = "server.header_bytes",
         .default_value = "64KiB",
         .description = "Largest request line with all header lines.",
         .kind = bytes,
         .minimum = 1024},
        {.key = "server.body_bytes",
         .default_value = "16MiB",
         .description = "Largest request body that is not a streamed upload; beyond: 413.",
         .kind = bytes,
         .minimum = 1024},
        {.key = "server.upload_bytes",
         .default_value = "16GiB",
         .description = "Largest streamed upload; beyond: 413.",
         .kind = bytes},
        {.key = "server.upload_rate",
         .default_value = "4KiB",
         .description = "Bytes a second that a streamed upload must arrive with at least, when "
                        "seen over server.body_time; slower: 408. 0: 64 KiB in that time.",
         .kind = bytes},
        {.key = "server.header_time",
         .default_value = "15s",
         .description = "Time for all header lines, from the first byte of a request.",
         .kind = milliseconds,
         .minimum = 1},
        {.key = "server.body_time",
         .default_value = "120s",
         .description = "Time for a whole request body to arrive, or for 64 KiB of a streamed "
                        "upload.",
         .kind = milliseconds,
         .minimum = 1},
        {.key = "server.idle_time",
         .default_value = "75s",
         .description = "Time that a connection may stay open between two requests.",
         .kind = milliseconds,
         .minimum = 1},
        {.key = "server.write_time",
         .default_value = "120s",
         .description = "Time after which a caller that does not read its answer is cut off.",
         .kind = milliseconds,
         .minimum = 1},
        {.key = "server.busy_wait",
         .default_value = "20s",
         .description =
             "Time for which what waits for its turn is repeated (a preview while others are made; "
             "beyond: 429) or kept waiting (a large body; beyond: 503).",
         .kind = milliseconds},
        {.key = "server.request_time",
         .default_value = "120s",
         .description = "Time that one request may be worked on; beyond: 503. Streamed uploads "
                        "take as long as they take.",
         .kind = milliseconds,
         .minimum = 1},
        {.key = "server.query_time",
         .default_value = "10s",
         .description = "Time that one query or list of a request may be worked on until the next "
                        "piece of its answer; beyond: 503. What its reader takes does not count.",
         .kind = milliseconds,
         .minimum = 1},
        {.key = "server.drain_time",
         .default_value = "30s",
         .description = "Time that running requests get to finish when the server stops.",
         .kind = milliseconds},
    };
}

std::vector<SettingInfo> storage_settings() {
    return {
        {.key = "storage.engine",
         .default_value = "leveldb",
         .description =
             "Engine that holds the store: leveldb, embedded, in the data folder, or the "
             "one that a plugin offers under this name (stele plugins)."},
        {.key = "storage.binaries",
         .default_value = "",
         .description = "Place for the binaries of data stores that name none: fs, files in the "
                        "data folder, or what a plugin offers; without a value the engine's own "
                        "place, and fs where it has none."},
        {.key = "storage.blob_verify_rate",
         .default_value = "64MiB",
         .description = "Bytes of binaries a second that are compared with their digests before "
                        "the first of them is sent; larger ones only while they are read as a "
                        "whole; 0 leaves it at that for all.",
         .kind = bytes},
        {.key = "storage.cache",
         .default_value = "64MiB",
         .description = "Memory for recently read blocks of the embedded store.",
         .kind = bytes,
         .minimum = 1024 * 1024},
        {.key = "storage.collection_period",
         .default_value = "24h",
         .description = "Time after which binaries that nothing refers to any more are looked for "
                        "and removed again.",
         .kind = milliseconds,
         .minimum = 100},
        {.key = "storage.row_cache",
         .default_value = "32MiB",
         .description = "Memory for recently read rows of the embedded store, beside that for "
                        "blocks; 0 for none.",
         .kind = bytes},
        {.key = "storage.write_buffer",
         .default_value = "16MiB",
         .description = "Memory that collects writes before the embedded store sorts them into a "
                        "file; larger is faster for mass writes and slower to recover; at most a "
                        "thirty-second of the disk.",
         .kind = bytes,
         .minimum = 64 * 1024},
        {.key = "storage.reserve",
         .default_value = "128MiB",
         .description = "Room left on the disk below which writes are refused with 507; at most a "
                        "quarter of the disk.",
         .kind = bytes},
    };
}

std::vector<SettingInfo> limit_settings() {
    return {
        {.key = "limits.requests_per_second",
         .default_value = "0",
         .description = "Requests that a caller (a user, or an address before it is known who "
                        "asks) may make in the long run; beyond: 429. 0 for no limit.",
         .kind = integer,
         .maximum = kMany},
        {.key = "limits.request_burst",
         .default_value = "100",
         .description = "Requests that a caller may make at once after a quiet time.",
         .kind = integer,
         .minimum = 1,
         .maximum = kMany},
        {.key = "limits.login_failures_per_minute",
         .default_value = "60",
         .description = "Failed logins from one address in the long run; beyond, each attempt is "
                        "answered with 429. 0 for no limit.",
         .kind = integer,
         .maximum = kMany},
        {.key = "limits.login_failure_burst",
         .default_value = "300",
         .description = "Failed logins from one address at once after a quiet time.",
         .kind = integer,
         .minimum = 1,
         .maximum = kMany},
        {.key = "limits.callers",
         .default_value = "65536",
         .description = "Callers that the limits tell apart at the same time; 16 bytes of memory "
                        "for each.",
         .kind = integer,
         .minimum = 1,
         .maximum = 16'777'216},
    };
}

std::vector<SettingInfo> data_store_settings() {
    return {
        {.key = "stores.lock_wait",
         .default_value = "5s",
         .description = "Time for which a write waits for a locked data store; beyond: 423.",
         .kind = milliseconds},
        {.key = "stores.lock_waiters",
         .default_value = "1000",
         .description = "Writes that wait for locked data stores at the same time; further ones "
                        "are answered with 423 at once.",
         .kind = integer,
         .maximum = kMany},
        {.key = "usage.enabled",
         .default_value = "true",
         .description = "Whether what platforms send and store is counted, for meters.",
         .kind = boolean},
        {.key = "usage.write_interval",
         .default_value = "30s",
         .description = "Time after which what was sent for a platform is written down; a crash "
                        "loses at most that much of it.",
         .kind = milliseconds,
         .minimum = 100},
        {.key = "usage.look_interval",
         .default_value = "15min",
         .description = "Time after which what a platform stores is looked at again.",
         .kind = milliseconds,
         .minimum = 100},
        {.key = "stores.statistics_period",
         .default_value = "60s",
         .description = "Time after which size and objectcount of a data store that was written "
                        "into are taken again.",
         .kind = milliseconds,
         .minimum = 100},
    };
}

std::vector<SettingInfo> audit_settings() {
    return {
        {.key = "audit.enabled",
         .default_value = "true",
         .description = "Whether every write is noted in the audit log. Otherwise only those into "
                        "data stores with enableAuditing.",
         .kind = boolean},
        {.key = "audit.retention",
         .default_value = "90d",
         .description = "Time for which the audit log is kept; 0s for ever.",
         .kind = milliseconds},
    };
}

std::vector<SettingInfo> other_settings() {
    return {
        {.key = "pagination.sort_numbers",
         .default_value = "string",
         .description = "How a sort compares numbers: string compares their text (10 before 9), "
                        "numeric their value.",
         .one_of = {"string", "numeric"}},
        {.key = "pagination.default_limit",
         .default_value = "1000",
         .description = "Rows of a list or query that names no limit.",
         .kind = integer,
         .minimum = 1,
         .maximum = kMany},
        {.key = "secrets.key",
         .default_value = "",
         .description = "Key that seals stored secrets: 64 hexadecimal digits. Empty: a key file "
                        "in the data folder, made at the first start. Servers that share a store "
                        "need the same key."},
        {.key = "log.level",
         .default_value = "info",
         .description = "Least important lines that are logged.",
         .one_of = {"debug", "info", "warning", "error"}},
        {.key = "log.kept_lines",
         .default_value = "1000",
         .description = "Last lines of the log that stay in memory, for those who read /logs.",
         .kind = integer,
         .maximum = 100'000},
        {.key = "log.access",
         .default_value = "",
         .description = "File that gets a line for every request, as JSON; - for standard output, "
                        "empty for none. It may be moved away while the server runs."},
        {.key = "log.access_buffer",
         .default_value = "1MiB",
         .description = "Memory of each I/O thread for lines of the access log that wait to be "
                        "written; beyond, lines are dropped and counted.",
         .kind = bytes,
         .minimum = 4096},
        {.key = "workers.threads",
         .default_value = "16",
         .description = "Threads for work that waits or computes long: password checks, writes, "
                        "mail servers, remote stores. Over the embedded store more than there are "
                        "processors run only while those wait.",
         .kind = integer,
         .minimum = 1,
         .maximum = 1024},
        {.key = "workers.queue",
         .default_value = "10000",
         .description = "Pieces of work that may wait for a worker; beyond: 503.",
         .kind = integer,
         .minimum = 1,
         .maximum = kMany},
    };
}

std::vector<SettingInfo> job_settings() {
    return {
        {.key = "jobs.threads",
         .default_value = "3",
         .description = "Jobs (exports, imports, merges, copies) that run at the same time.",
         .kind = integer,
         .minimum = 1,
         .maximum = 256},
        {.key = "jobs.nice",
         .default_value = "5",
         .description =
             "What is added to the nice value of the threads of jobs, so that they give "
             "way to requests; 0 on a machine where other programs keep processors busy.",
         .kind = integer,
         .maximum = 19},
        {.key = "jobs.lease",
         .default_value = "30s",
         .description = "Time without a sign of life after which the jobs of a server count as "
                        "orphaned and are taken over.",
         .kind = milliseconds,
         .minimum = 3000},
        {.key = "jobs.retention",
         .default_value = "30d",
         .description = "Time for which jobs that have ended can still be read.",
         .kind = milliseconds,
         .minimum = 60'000},
    };
}

}  // namespace

std::vector<SettingInfo> kernel_settings() {
    std::vector<SettingInfo> all = server_settings();
    for (auto* more : {&connection_settings, &request_settings, &storage_settings, &limit_settings,
                       &data_store_settings, &audit_settings, &other_settings, &job_settings}) {
        for (SettingInfo& info : more())
            all.push_back(std::move(info));
    }
    return all;
}

}  // namespace stele::kernel::config

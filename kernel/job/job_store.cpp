#include "kernel/job/job_store.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/log.hpp>

#include "kernel/job/job_keys.hpp"
#include "kernel/job/job_record.hpp"

namespace stele::kernel::job {

namespace {

using sdk::JobLogLevel;
using sdk::JobState;
using sdk::Result;

constexpr std::size_t kMaxAtOnce = 100;

char state_tag(JobState state) {
    return static_cast<char>('a' + static_cast<int>(state));
}

bool is_queued(JobState state) {
    return state == JobState::none || state == JobState::waiting || state == JobState::awaiting;
}

sdk::Error unknown(std::string_view id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "job.unknown",
                           "There is no job '" + std::string(id) + "'.");
}

std::string platform_bytes(std::uint64_t platform) {
    return sdk::KeyWriter().integer(platform).key();
}

/// Everything but the record itself that lies in the store because the job is as it is. Leases
/// and owners are not among it: only claiming knows their values.
std::map<std::string, std::string> index_entries(const JobRecord& record) {
    std::map<std::string, std::string> entries;
    const std::uint64_t platform = record.platform.number;
    entries[state_path(platform, state_tag(record.state), record.id)] = "";
    if (is_queued(record.state)) {
        if (record.is_resting) {
            entries[resting_path(platform, record.id)] = platform_bytes(platform);
        } else {
            entries[queue_path(record.lane, record.run_as.key, record.due_ms, record.id)] =
                sdk::KeyWriter().integer(platform).text(record.type).key();
        }
    }
    if (record.has_ended()) {
        entries[ended_path(record.stopped_ms, record.id)] = platform_bytes(platform);
    }
    return entries;
}

void stop(JobRecord& record, JobState state, std::int64_t now) {
    record.state = state;
    record.stopped_ms = now;
    record.sealed_secret.clear();
}

void wait_or_fail(JobRecord& record, std::string_view message, JobState waiting, std::int64_t due,
                  std::int64_t now) {
    if (record.used_attempts() < record.most_attempts) {
        record.add_log(now, JobLogLevel::status, std::string(message) + "; it is tried again");
        record.state = waiting;
        record.due_ms = due;
    } else {
        record.add_log(now, JobLogLevel::error, message);
        stop(record, JobState::error, now);
    }
}

// One record that cannot be read must not keep the others from being run.
bool is_gone(const sdk::Error& error) {
    return error.code == "job.unknown" || error.code == "job.record_broken";
}

void forget_entry(sdk::Transaction& transaction, std::string_view key, const sdk::Error& error) {
    sdk::log(sdk::LogLevel::error, "job",
             "job " + std::string(id_of(key)) + " is given up: " + error.code + " " + error.detail);
    transaction.remove(key);
}

/// Entries of a range whose value begins with a platform and whose rest `is_wanted`. They are
/// collected first because the transaction is going to change them.
template <class IsWanted>
Result<std::vector<std::pair<std::string, std::uint64_t>>> entries_of(const sdk::Reader& reader,
                                                                      const sdk::KeyRange& range,
                                                                      std::size_t most,
                                                                      const IsWanted& is_wanted) {
    std::vector<std::pair<std::string, std::uint64_t>> entries;
    const auto cursor = reader.scan(range, sdk::ScanDirection::forward);
    for (; cursor->is_valid() && entries.size() < most; cursor->next()) {
        sdk::KeyReader value(cursor->value());
        const auto platform = value.integer();
        if (platform && is_wanted(value)) entries.emplace_back(cursor->key(), *platform);
    }
    if (auto scanned = cursor->status(); !scanned) return scanned.error();
    return entries;
}

}  // namespace

Result<bool> JobStore::may_run(const sdk::Reader& reader, std::uint64_t platform) const {
    return may_run_ ? may_run_(reader, platform) : Result<bool>(true);
}

Result<void> JobStore::insert(sdk::Transaction& transaction, JobRecord& record, std::int64_t now) {
    record.state = record.due_ms > now ? JobState::none : JobState::waiting;
    if (record.due_ms <= 0) record.due_ms = now;
    record.submitted_ms = now;
    write(transaction, nullptr, record, now);
    return {};
}

Result<JobRecord> JobStore::read(const sdk::Reader& reader, std::uint64_t platform,
                                 std::string_view id) const {
    const auto bytes = reader.get(record_path(platform, id));
    if (!bytes) return bytes.error();
    if (!*bytes) return unknown(id);
    auto record = decode_job(**bytes);
    if (!record) return record;
    if (auto read = read_progress(reader, *record); !read) return read.error();
    return record;
}

Result<void> JobStore::read_progress(const sdk::Reader& reader, JobRecord& record) {
    if (record.state != JobState::running) return {};
    const auto bytes = reader.peek(progress_path(record.platform.number, record.id));
    if (!bytes) return bytes.error();
    if (!*bytes) return {};
    sdk::KeyReader stored(**bytes);
    const auto done = stored.integer();
    const auto total = stored.integer();
    if (!done || !total) return {};
    // Older servers wrote no more than these.
    const auto read = stored.integer();
    const auto to_read = stored.integer();
    const auto remaining_ms = stored.integer();
    record.progress = {.done = *done,
                       .total = *total,
                       .bytes = read.value_or(0),
                       .total_bytes = to_read.value_or(0)};
    record.remaining_ms = remaining_ms.value_or(0);
    return {};
}

Result<void> JobStore::save_progress(sdk::Transaction& transaction, const JobClaim& claim,
                                     const sdk::JobProgress& progress, std::uint64_t remaining_ms) {
    if (auto held = check_owner(transaction, claim); !held) return held;
    transaction.put(progress_path(claim.platform, claim.id), sdk::KeyWriter()
                                                                 .integer(progress.done)
                                                                 .integer(progress.total)
                                                                 .integer(progress.bytes)
                                                                 .integer(progress.total_bytes)
                                                                 .integer(remaining_ms)
                                                                 .key());
    return {};
}

Result<void> JobStore::for_each(const sdk::Reader& reader, std::uint64_t platform,
                                const std::vector<JobState>& states,
                                const std::function<bool(const JobRecord&)>& visit) const {
    if (states.empty()) {
        const auto cursor = reader.scan(record_range(platform), sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            auto record = decode_job(cursor->value());
            if (!record) return record.error();
            if (auto read = read_progress(reader, *record); !read) return read;
            if (!visit(*record)) return {};
        }
        return cursor->status();
    }
    // Ids grow with time, so sorting them merges the states in order of creation.
    std::map<std::string, bool> ids;
    for (JobState state : states) {
        const auto cursor =
            reader.scan(state_range(platform, state_tag(state)), sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next())
            ids.emplace(id_of(cursor->key()), true);
        if (auto scanned = cursor->status(); !scanned) return scanned;
    }
    for (const auto& [id, found] : ids) {
        const auto record = read(reader, platform, id);
        if (!record) return record.error();
        if (!visit(*record)) return {};
    }
    return {};
}

Result<void> JobStore::kill(sdk::Transaction& transaction, std::uint64_t platform,
                            std::string_view id, std::string_view by, std::int64_t now) {
    auto record = read(transaction, platform, id);
    if (!record) return record.error();
    if (record->has_ended()) return {};
    const JobRecord before = *record;
    record->add_log(now, JobLogLevel::error,
                    by.empty() ? "killed" : "killed by " + std::string(by));
    stop(*record, JobState::error, now);
    write(transaction, &before, *record, now);
    return {};
}

Result<std::optional<JobClaim>> JobStore::claim(sdk::Transaction& transaction,
                                                const std::string& server, const JobWishes& wishes,
                                                std::int64_t now, std::int64_t lease_end) {
    std::map<std::uint64_t, bool> open;
    std::vector<std::pair<std::string, std::uint64_t>> resting;
    const auto choose = [&](const QueuedJob& job) -> Result<JobChoice> {
        if (!open.contains(job.platform)) {
            const auto runs = may_run(transaction, job.platform);
            if (!runs) return runs.error();
            open[job.platform] = *runs;
        }
        if (open[job.platform]) return JobChoice::take;
        if (resting.size() == kMaxAtOnce) return JobChoice::stop;
        resting.emplace_back(job.key, job.platform);
        return JobChoice::skip;
    };
    const auto begin = [&](JobRecord& record) {
        record.state = JobState::running;
        record.attempts += 1;
        record.server = server;
        if (record.started_ms == 0) record.started_ms = now;
    };
    std::optional<JobClaim> claim;
    while (!claim) {
        const auto next = next_job(transaction, wishes, now, choose);
        if (!next) return next.error();
        if (!*next) break;
        const auto begun = edit_queued(transaction, (*next)->key, (*next)->platform, begin, now);
        if (!begun) return begun.error();
        if (!*begun) continue;
        const std::string& id = (*begun)->id;
        claim =
            JobClaim{(*next)->platform, id,
                     server + "#" + std::to_string((*begun)->attempts) + "#" + std::to_string(now),
                     (*next)->lane, (*next)->starter};
        transaction.put(owner_path(id), claim->token);
        transaction.put(lease_path(id), sdk::KeyWriter()
                                            .integer(claim->platform)
                                            .integer(static_cast<std::uint64_t>(lease_end))
                                            .key());
    }
    if (auto rested = rest(transaction, resting, now); !rested) return rested.error();
    return claim;
}

Result<void> JobStore::rest(sdk::Transaction& transaction,
                            const std::vector<std::pair<std::string, std::uint64_t>>& entries,
                            std::int64_t now) {
    for (const auto& [key, platform] : entries) {
        const auto rested = edit_queued(
            transaction, key, platform, [](JobRecord& record) { record.is_resting = true; }, now);
        if (!rested) return rested.error();
    }
    return {};
}

Result<int> JobStore::wake(sdk::Transaction& transaction, std::int64_t now) {
    std::vector<std::pair<std::string, std::uint64_t>> entries;
    const auto cursor = transaction.scan(resting_range(), sdk::ScanDirection::forward);
    while (cursor->is_valid() && entries.size() < kMaxAtOnce) {
        const auto platform = sdk::KeyReader(cursor->value()).integer();
        if (!platform) {
            return sdk::make_error(sdk::ErrorKind::internal, "job.record_broken",
                                   "A job cannot be read.", "an entry of one that rests");
        }
        const auto runs = may_run(transaction, *platform);
        if (!runs) return runs.error();
        const std::string end = resting_range(*platform).end;
        if (!*runs) {
            cursor->seek(end);
            continue;
        }
        for (; cursor->is_valid() && cursor->key() < end && entries.size() < kMaxAtOnce;
             cursor->next()) {
            entries.emplace_back(cursor->key(), *platform);
        }
    }
    if (auto scanned = cursor->status(); !scanned) return scanned.error();
    for (const auto& [key, platform] : entries) {
        const auto woken = edit_queued(
            transaction, key, platform, [](JobRecord& record) { record.is_resting = false; }, now);
        if (!woken) return woken.error();
    }
    return static_cast<int>(entries.size());
}

Result<std::optional<JobRecord>> JobStore::edit_queued(
    sdk::Transaction& transaction, std::string_view key, std::uint64_t platform,
    const std::function<void(JobRecord&)>& change, std::int64_t now) {
    auto record = read(transaction, platform, id_of(key));
    if (!record) {
        if (!is_gone(record.error())) return record.error();
        forget_entry(transaction, key, record.error());
        return std::optional<JobRecord>();
    }
    const JobRecord before = *record;
    change(*record);
    write(transaction, &before, *record, now);
    return std::optional<JobRecord>(*std::move(record));
}

Result<void> JobStore::confirm(const sdk::Reader& reader, const JobClaim& claim) const {
    if (auto held = check_owner(reader, claim); !held) return held;
    const auto runs = may_run(reader, claim.platform);
    if (!runs) return runs.error();
    if (*runs) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "job.lost",
                           "The platform of the job was closed or removed.");
}

Result<void> JobStore::check_owner(const sdk::Reader& reader, const JobClaim& claim) const {
    const auto owner = reader.get(owner_path(claim.id));
    if (!owner) return owner.error();
    if (*owner == claim.token) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "job.lost",
                           "The job was killed or taken over.");
}

Result<void> JobStore::renew(sdk::Transaction& transaction, const JobClaim& claim,
                             std::int64_t lease_end) {
    if (auto held = check_owner(transaction, claim); !held) return held;
    transaction.put(lease_path(claim.id), sdk::KeyWriter()
                                              .integer(claim.platform)
                                              .integer(static_cast<std::uint64_t>(lease_end))
                                              .key());
    return {};
}

Result<void> JobStore::edit(sdk::Transaction& transaction, const JobClaim& claim,
                            const std::function<void(JobRecord&)>& change, std::int64_t now) {
    auto record = read_held(transaction, claim);
    if (!record) return record.error();
    const JobRecord before = *record;
    change(*record);
    write(transaction, &before, *record, now);
    return {};
}

Result<void> JobStore::finish(sdk::Transaction& transaction, const JobClaim& claim,
                              const sdk::Json& result, const std::vector<std::string>& log,
                              std::int64_t now) {
    return edit(
        transaction, claim,
        [&](JobRecord& record) {
            record.result = result.is_object() ? result : sdk::Json{{"value", result}};
            sdk::JobProgress& progress = record.progress;
            progress.done = std::max(progress.done, progress.total);
            progress.bytes = std::max(progress.bytes, progress.total_bytes);
            for (const std::string& line : log)
                record.add_log(now, JobLogLevel::status, line);
            stop(record, JobState::finished, now);
        },
        now);
}

Result<void> JobStore::fail(sdk::Transaction& transaction, const JobClaim& claim,
                            std::string_view message, std::int64_t now) {
    return edit(
        transaction, claim,
        [&](JobRecord& record) {
            record.add_log(now, JobLogLevel::error, message);
            stop(record, JobState::error, now);
        },
        now);
}

Result<void> JobStore::repeat(sdk::Transaction& transaction, const JobClaim& claim,
                              std::string_view message, std::int64_t due, std::int64_t now) {
    return edit(
        transaction, claim,
        [&](JobRecord& record) { wait_or_fail(record, message, JobState::awaiting, due, now); },
        now);
}

Result<void> JobStore::give_back(sdk::Transaction& transaction, const JobClaim& claim,
                                 std::string_view message, std::int64_t now) {
    return edit(
        transaction, claim,
        [&](JobRecord& record) {
            if (record.most_attempts > 1) record.given_back += 1;
            wait_or_fail(record, message, JobState::waiting, now, now);
        },
        now);
}

Result<int> JobStore::recover(sdk::Transaction& transaction, std::int64_t now) {
    const auto expired = entries_of(transaction, lease_range(), kMaxAtOnce, [now](auto& lease) {
        const auto lease_end = lease.integer();
        return lease_end && static_cast<std::int64_t>(*lease_end) <= now;
    });
    if (!expired) return expired.error();
    for (const auto& [key, platform] : *expired) {
        auto record = read(transaction, platform, id_of(key));
        if (!record) {
            if (!is_gone(record.error())) return record.error();
            forget_entry(transaction, key, record.error());
            continue;
        }
        const JobRecord before = *record;
        wait_or_fail(*record, "the server " + record->server + " died", JobState::waiting, now,
                     now);
        write(transaction, &before, *record, now);
    }
    return static_cast<int>(expired->size());
}

Result<int> JobStore::forget_ended(sdk::Transaction& transaction, std::int64_t ms, int most) {
    const auto ended = entries_of(transaction, ended_range(ms), static_cast<std::size_t>(most),
                                  [](auto&) { return true; });
    if (!ended) return ended.error();
    for (const auto& [key, platform] : *ended) {
        const auto record = read(transaction, platform, id_of(key));
        if (!record) {
            if (!is_gone(record.error())) return record.error();
            forget_entry(transaction, key, record.error());
            continue;
        }
        for (const auto& [entry, value] : index_entries(*record))
            transaction.remove(entry);
        transaction.remove(record_path(platform, record->id));
    }
    return static_cast<int>(ended->size());
}

Result<int> JobStore::forget_platform(sdk::Transaction& transaction, std::uint64_t platform,
                                      int most) {
    std::vector<std::string> keys;
    int forgotten = 0;
    const auto cursor = transaction.scan(record_range(platform), sdk::ScanDirection::forward);
    for (; cursor->is_valid() && forgotten < most; cursor->next(), ++forgotten) {
        keys.emplace_back(cursor->key());
        keys.push_back(resting_path(platform, id_of(cursor->key())));
        const auto record = decode_job(cursor->value());
        // Whatever else leads to a record that cannot be read is dropped where it is met.
        if (!record) continue;
        for (const auto& [entry, value] : index_entries(*record))
            keys.push_back(entry);
        keys.push_back(owner_path(record->id));
        keys.push_back(lease_path(record->id));
        keys.push_back(progress_path(platform, record->id));
    }
    if (auto scanned = cursor->status(); !scanned) return scanned.error();
    for (const std::string& key : keys)
        transaction.remove(key);
    return forgotten;
}

Result<JobRecord> JobStore::read_held(const sdk::Reader& reader, const JobClaim& claim) const {
    if (auto held = check_owner(reader, claim); !held) return held.error();
    return read(reader, claim.platform, claim.id);
}

void JobStore::write(sdk::Transaction& transaction, const JobRecord* before, JobRecord& after,
                     std::int64_t now) {
    after.changed_ms = now;
    const auto entries = index_entries(after);
    if (before != nullptr) {
        for (const auto& [key, value] : index_entries(*before)) {
            if (!entries.contains(key)) transaction.remove(key);
        }
        if (before->state == JobState::running && after.state != JobState::running) {
            transaction.remove(owner_path(after.id));
            transaction.remove(lease_path(after.id));
            transaction.remove(progress_path(after.platform.number, after.id));
        }
    }
    for (const auto& [key, value] : entries)
        transaction.put(key, value);
    transaction.put(record_path(after.platform.number, after.id), encode_job(after));
}

}  // namespace stele::kernel::job

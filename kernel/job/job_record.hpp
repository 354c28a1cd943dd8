#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/services/jobs.hpp>

namespace stele::kernel::job {

/// A job as it lies in the store. Times are epoch milliseconds, 0 while they have not come.
struct JobRecord {
    /// More log entries than these are dropped, and the job says so.
    static constexpr std::size_t kMaxLogEntries = 1000;

    std::string id;
    std::string type;
    /// `sdk::JobType::lane` of its type when it was started.
    std::string lane = {};
    sdk::PlatformScope platform;
    sdk::Principal run_as;
    sdk::JobState state = sdk::JobState::waiting;
    int priority = 0;
    /// How often it was begun.
    int attempts = 0;
    /// How many of those do not count against `most_attempts`.
    int given_back = 0;
    int most_attempts = 1;
    /// Queued, but found while its platform was closed: out of the way until that is open again.
    bool is_resting = false;
    std::int64_t submitted_ms = 0;
    std::int64_t changed_ms = 0;
    std::int64_t due_ms = 0;
    std::int64_t started_ms = 0;
    std::int64_t stopped_ms = 0;
    /// The server that runs it, or ran it last.
    std::string server;
    sdk::JobProgress progress;
    /// While it runs, by its rate; 0: nobody knows.
    std::uint64_t remaining_ms = 0;
    sdk::Json input = sdk::Json::object();
    sdk::Json hidden = sdk::Json::object();
    /// As `sdk::Sealer` has sealed it; empty: none, or the job has ended.
    std::string sealed_secret;
    /// Its type, as clients are told; empty: `type`.
    std::string shown_as;
    sdk::Json result = sdk::Json::object();
    sdk::Json log_entries = sdk::Json::array();
    bool is_log_truncated = false;

    bool has_ended() const {
        return state == sdk::JobState::finished || state == sdk::JobState::error;
    }
    int used_attempts() const { return attempts - given_back; }
    void add_log(std::int64_t now_ms, sdk::JobLogLevel level, std::string_view message);
};

std::string encode_job(const JobRecord& record);
/// `internal` (`job.record_broken`) when the bytes are none of `encode_job`.
sdk::Result<JobRecord> decode_job(std::string_view bytes);

/// What clients see: both sets of names, the result also among the members
/// (docs/specification/platform.md 14.1, docs/specification/semantics.md 12).
sdk::Json job_json(const JobRecord& record);

/// A new id: 20 hexadecimal digits that grow with time.
std::string new_job_id(std::int64_t now_ms);

}  // namespace stele::kernel::job

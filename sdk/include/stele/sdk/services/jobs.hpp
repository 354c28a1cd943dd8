#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// States of a job; the wire names are the same in upper case
/// (docs/specification/platform.md 14.1).
enum class JobState : std::uint8_t {
    none,     ///< its start lies in the future
    waiting,  ///< will run as soon as a server has a free thread
    running,
    paused,
    awaiting,  ///< failed for a reason that may pass; will be tried again
    finished,
    error,
};

std::string_view job_state_name(JobState state);

enum class JobLogLevel { status, error };

/// How far a job is: in what a person would count, such as records and nodes, and in bytes that it
/// reads or writes. A total of 0: nobody knows it; one may grow while more of the work shows.
struct JobProgress {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::uint64_t bytes = 0;
    std::uint64_t total_bytes = 0;
};

/// A running job as its runner sees it. One thread.
class Job {
public:
    virtual ~Job();

    virtual const std::string& id() const = 0;
    virtual const PlatformScope& platform() const = 0;
    /// Who started it.
    virtual const Principal& run_as() const = 0;
    /// What it was started with (`_data`).
    virtual const Json& input() const = 0;
    /// What it was started with beside that, which nobody is shown.
    virtual const Json& hidden() const = 0;
    /// The secret that it was started with; empty: none. Never put it into a log or a result.
    virtual const std::string& secret() const = 0;
    /// How often the job was begun, this time included. Beyond 1 it may have done something before.
    virtual int attempt() const = 0;

    /// The job was killed, whoever started it is disabled, another server has taken it over, or
    /// this one is about to stop: return soon, with any failure. Cheap enough to ask between two
    /// records; a context that the runner works with asks by itself (`Context::go_on`).
    virtual bool must_stop() const = 0;
    /// Ties a transaction to the job: `conflict` (`job.lost`) when the job is no longer this
    /// runner's, `forbidden` (`job.starter_disabled`) when whoever started it is disabled, and a
    /// conflict at commit when that happens until then. Every transaction in which a runner writes
    /// should ask, so that a killed or repeated job leaves nothing behind.
    virtual Result<void> confirm(Transaction& transaction) const = 0;
    /// Ends the job as FINISHED with the transaction, so that work which is one transaction is done
    /// exactly once, whenever a server stops or dies. Once it is committed, what `run` answers
    /// counts for nothing. `log` has lines for the job's log: `log()` would be a conflict for the
    /// transaction. Fails like `confirm`.
    virtual Result<void> finish(Transaction& transaction, const Json& result,
                                const std::vector<std::string>& log = {}) const = 0;

    /// Shown to those who poll, with the time that is left at the present rate. Written about once
    /// a second, hence cheap to call often.
    virtual Result<void> progress(const JobProgress& progress) = 0;
    /// Adds to the job's log. No secrets. A conflict for a transaction of the job that began
    /// before and will end it.
    virtual Result<void> log(JobLogLevel level, std::string_view message) = 0;
};

/// A kind of job. What `run` answers becomes the job's result, an object; a failure its last log
/// entry. Failures of the kinds `unavailable`, `timed_out` and `limited` are tried again.
struct JobType {
    std::string name;  ///< on the wire; `export`, `import`, `copy`
    std::function<Result<Json>(Job&)> run;
    /// How often it is begun at most, a server's death counted, what a stopping server or a closing
    /// platform interrupts not. 1: must not be repeated.
    int attempts = 3;
    /// It ends when whoever started it is disabled. False: it does what was let in and has to be
    /// finished, like the rest of a removal.
    bool is_of_starter = true;
    /// What clients are told it is; empty: the name. For kinds of jobs that are one to clients.
    std::string shown_as = {};
    /// Kinds of jobs with the same lane have a bound of their own: so many of them one server runs
    /// at the same time, however many threads it has (0: as many as it has), and fewer than it has,
    /// so that one is left for others; further ones wait. All kinds of a lane say the same width.
    std::string lane = {};
    std::size_t lane_width = 0;
};

struct NewJob {
    std::string type;
    Json input = Json::object();
    /// What its result is until it has one of its own, also where it fails: for clients that read
    /// members of it whatever became of the job.
    Json result = Json::object();
    /// For the runner only: what whoever started the job need not be allowed to know. No secrets.
    Json hidden = Json::object();
    /// For the runner only: sealed in the store with the server's keys, and forgotten when the job
    /// ends.
    std::string secret = {};
    int priority = 0;
    /// Epoch milliseconds before which it does not run; 0: at once.
    std::int64_t start_ms = 0;
};

/// Durable background work: what is committed is done, by this server or, when that dies, by
/// another (docs/specification/architecture.md 6). Of jobs that wait in one lane those who started
/// them take turns, so nobody waits for all that somebody else has started. Published by the
/// kernel. Rights are the caller's matter. Any thread.
class Jobs {
public:
    virtual ~Jobs();

    /// Only while plugins are opened. A duplicate name is a logic error.
    virtual void define(JobType type) = 0;

    /// Creates the job in the context's transaction and answers its id; it runs after the commit,
    /// as the context's principal. `invalid` (`job.type_unknown`) for a type nobody defined.
    virtual Result<std::string> start(Context& context, const NewJob& job) = 0;

    /// The job as clients see it; `not_found` (`job.unknown`).
    virtual Result<Json> read(Context& context, std::string_view id) = 0;
    /// The platform's jobs in these states (all, when empty), oldest first, until `visit` answers
    /// false.
    virtual Result<void> for_each(Context& context, const std::vector<JobState>& states,
                                  const std::function<bool(const Json& job)>& visit) = 0;
    /// Ends the job as ERROR. Harmless when it has ended. A runner stops at its next safe point.
    virtual Result<void> kill(Context& context, std::string_view id) = 0;

    /// Waits until the job has ended, at most for `patience`, and reads it. Only on workers, and
    /// not inside the operation that starts the job: it has not been committed yet.
    virtual Result<Json> wait(const PlatformScope& platform, std::string_view id,
                              std::chrono::milliseconds patience) = 0;
};

/// The reply to an operation that has started a job: the job, with `schedule=synchronous` as it is
/// when it has ended. The operation declares the parameter `schedule`.
[[nodiscard]] Result<Reply> reply_of_started(Jobs& jobs, const Call& call, const std::string& id);

/// The reply to `schedule=synchronous`: a body that is sent once the job has ended. `jobs` must
/// outlive it. A job that takes longer than `patience` is answered as it is then.
Reply reply_when_ended(Jobs& jobs, const PlatformScope& platform, std::string id,
                       std::chrono::milliseconds patience = std::chrono::minutes(10));

}  // namespace stele::sdk

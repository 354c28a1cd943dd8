#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>

/// Where jobs lie, below the tag `j` of kernel/storage/engine/keys.hpp:
///
///   P j r id           -> job                      see job_record.hpp
///   P j s state id     -> empty                    jobs by state
///   P j p id           -> done, total              how far a job is that runs
///   0 j q due id       -> platform, type           jobs that are to be run, by time
///   0 j r P id         -> platform                 the same while P is closed, out of the way
///   0 j o id           -> owner token              jobs that run; changes hands only
///   0 j l id           -> platform, expiry         leases; change with every heartbeat
///   0 j e stopped id   -> platform                 jobs that have ended, by time
///
/// The owner lies apart from the lease, so that a heartbeat is no conflict for a transaction that
/// has confirmed its job; and so does its progress, which is written while the transaction lasts
/// that will end it.
namespace stele::kernel::job {

std::string record_path(std::uint64_t platform, std::string_view id);
std::string state_path(std::uint64_t platform, char state, std::string_view id);
std::string progress_path(std::uint64_t platform, std::string_view id);
std::string queue_path(std::string_view lane, std::string_view starter, std::int64_t due_ms,
                       std::string_view id);
std::string resting_path(std::uint64_t platform, std::string_view id);
std::string owner_path(std::string_view id);
std::string lease_path(std::string_view id);
std::string ended_path(std::int64_t stopped_ms, std::string_view id);

sdk::KeyRange record_range(std::uint64_t platform);
sdk::KeyRange state_range(std::uint64_t platform, char state);
sdk::KeyRange queue_range();
/// What is queued in a lane, and what one starter has there.
sdk::KeyRange lane_range(std::string_view lane);
sdk::KeyRange starter_range(std::string_view lane, std::string_view starter);

/// What a key of `queue_path` says; nothing where it is none.
struct QueuePlace {
    std::string lane;
    std::string starter;
    std::int64_t due_ms = 0;
};
std::optional<QueuePlace> place_in_queue(std::string_view path);

sdk::KeyRange resting_range();
/// Those of one platform.
sdk::KeyRange resting_range(std::uint64_t platform);
sdk::KeyRange lease_range();
/// Everything that ended before `ms`.
sdk::KeyRange ended_range(std::int64_t ms);

/// Prefix of the entries that change whenever a job becomes due, changes hands or ends.
std::string shared_prefix();
bool is_lease_path(std::string_view path);

/// The id at the end of a key of `state_path`, `queue_path`, `resting_path`, `lease_path` or
/// `ended_path`.
std::string_view id_of(std::string_view path);

}  // namespace stele::kernel::job

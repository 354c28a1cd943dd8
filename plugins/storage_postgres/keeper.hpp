#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "change_feed.hpp"
#include "pool.hpp"

namespace stele::storage_postgres {

/// The thread that does what no request does: hears of the commits of others while nobody reads,
/// finds the database again when it was away, says which former values this server still needs, and
/// clears away what no server needs.
class Keeper {
public:
    Keeper(Pool& pool, ChangeFeed& feed, std::string server);
    /// Takes this server off the list.
    ~Keeper();

private:
    void run();
    void look();
    void choose_pause();
    sdk::Result<void> tidy();
    /// Whether there may be something to clear away in this round.
    bool is_due_in_full();
    /// Says that this server lives, and what it reads.
    sdk::Result<void> report();
    sdk::Result<void> raise_horizon();
    /// Page by page, for a short time.
    sdk::Result<void> clear_pieces();
    /// Page by page.
    sdk::Result<void> trim(Statement statement, const Parameters& parameters);
    /// Answers how many rows it changed.
    sdk::Result<int> run(Statement statement, const Parameters& parameters);
    bool is_stopping();

    Pool& pool_;
    ChangeFeed& feed_;
    const std::string server_;
    Clock::time_point next_tidying_;
    /// Until the next look; grows while nothing is committed anywhere.
    std::chrono::milliseconds pause_;
    std::uint64_t seen_version_ = 0;
    std::uint64_t seen_asked_ = 0;
    std::uint64_t tidied_version_ = 0;
    std::uint64_t tidied_oldest_ = 0;
    int rounds_ = 0;

    std::mutex mutex_;
    std::condition_variable stopped_;
    bool is_stopping_ = false;
    std::thread thread_;
};

/// Puts this server on the list of those whose views count. Before its first view.
sdk::Result<void> report_server(Pool& pool, const std::string& server, std::uint64_t oldest);

}  // namespace stele::storage_postgres

#include "committer.hpp"

#include <stele/sdk/seal.hpp>

#include "keys.hpp"

namespace stele::storage_postgres {

namespace {

constexpr std::size_t kBatchIdBytes = 16;
/// Another server that commits has the lock often; asking for it first then takes fewer round
/// trips.
constexpr int kRivalledBatches = 16;

sdk::Error conflict() {
    return sdk::make_error(sdk::ErrorKind::conflict, "engine.conflict",
                           "The data was changed by somebody else meanwhile.");
}

sdk::Error outcome_unknown(std::string detail) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "storage_postgres.outcome_unknown",
                           "The database stopped answering while the change was being stored; it "
                           "may or may not have been.",
                           std::move(detail));
}

std::int64_t signed_number(std::uint64_t number) {
    return static_cast<std::int64_t>(number);
}

}  // namespace

Committer::Committer(Pool& pool, ChangeFeed& feed, EntryCache& cache)
    : pool_(pool), feed_(feed), cache_(cache) {
    thread_ = std::thread([this] { run(); });
}

Committer::~Committer() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
}

void Committer::submit(PendingCommit& commit) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(&commit);
    if (queue_.size() == 1) arrived_.notify_one();
}

void Committer::run() {
    Commits waiting;
    while (true) {
        {
            std::unique_lock lock(mutex_);
            arrived_.wait(lock, [this] { return is_stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            waiting.swap(queue_);
        }
        Commits batch;
        std::size_t size = 0;
        for (PendingCommit* commit : waiting) {
            if (!batch.empty() && size + commit->writes->size() > kMaxBatchBytes) {
                commit_batch(batch);
                batch.clear();
                size = 0;
            }
            batch.push_back(commit);
            size += commit->writes->size();
        }
        commit_batch(batch);
        waiting.clear();
    }
}

void Committer::commit_batch(const Commits& commits) {
    settle(commits);
    feed_.announce({}, nullptr);
    for (PendingCommit* commit : commits) {
        // The transaction may be gone as soon as it is told.
        const sdk::Transaction::Done done = std::move(commit->done);
        done(std::move(commit->outcome));
    }
}

void Committer::settle(const Commits& commits) {
    const auto fail = [&commits](const sdk::Error& error) {
        for (PendingCommit* commit : commits)
            if (commit->outcome) commit->outcome = error;
    };
    const Deadline deadline = pool_.deadline();
    while (true) {
        for (PendingCommit* commit : commits)
            commit->outcome = {};
        if (auto sound = feed_.status(); !sound) return fail(sound.error());
        if (!connection_) {
            auto acquired = pool_.acquire(deadline);
            if (!acquired) return fail(acquired.error());
            connection_ = *std::move(acquired);
        }
        const Attempt outcome = attempt(*connection_, commits, deadline);
        if (connection_->is_broken()) connection_.give_back();
        switch (outcome) {
            case Attempt::settled:
                return;
            case Attempt::again:
                if (Clock::now() >= deadline) return fail(last_failure_);
                break;
            case Attempt::refused:
                if (commits.size() == 1) return fail(last_failure_);
                // Each by itself, so that only the one to blame fails.
                for (PendingCommit* commit : commits)
                    settle({commit});
                return;
            case Attempt::unknown: {
                const auto is_stored = find_out(deadline + pool_.options().wait);
                if (!is_stored) return fail(is_stored.error());
                if (*is_stored) return;
                break;
            }
        }
    }
}

Committer::Attempt Committer::attempt(Connection& connection, const Commits& commits,
                                      Deadline deadline) {
    // What is sent in one piece is not known to be stored before its answer is here.
    const bool has_time = Clock::now() < deadline;
    if (rivalled_ > 0) {
        --rivalled_;
    } else if (has_time) {
        if (const auto outcome = attempt_at_once(connection, commits, deadline)) return *outcome;
    }
    return attempt_under_lock(connection, commits, deadline);
}

Committer::Attempt Committer::refused(const sdk::Error& error) {
    last_failure_ = error;
    return error.kind == sdk::ErrorKind::unavailable ? Attempt::again : Attempt::refused;
}

std::optional<Committer::Attempt> Committer::attempt_at_once(Connection& connection,
                                                             const Commits& commits,
                                                             Deadline deadline) {
    begin_batch(commits);
    const ChangeFeed::Latest latest = feed_.latest();
    if (latest.batch.empty() || !find_counters(commits, latest.version)) return std::nullopt;
    if (admit(commits) == 0) return Attempt::settled;
    const std::vector<Batch::Puts> puts = batch_.puts();
    if (puts.size() > 1) return std::nullopt;
    announce(latest.version + 1);
    const std::vector<std::string_view> keys = batch_.keys();
    const std::string log = encode_keys(keys);
    const Batch::Puts none;
    const Batch::Puts& part = puts.empty() ? none : puts.front();
    auto written = connection.run(Statement::write_at_once,
                                  Parameters()
                                      .integer(signed_number(sent_version_))
                                      .bytes(latest.batch)
                                      .bytes(sent_batch_)
                                      .bytes(log)
                                      .bytes_array(keys)
                                      .bytes_array(part.keys)
                                      .bytes_array(part.values)
                                      .bytes_array(batch_.removed()),
                                  deadline);
    if (!written) {
        const Attempt outcome = refused(written.error());
        return connection.is_broken() ? Attempt::unknown : outcome;
    }
    if (written->size() == 0) {
        rivalled_ = kRivalledBatches;
        return std::nullopt;
    }
    feed_.apply(sent_version_);
    return Attempt::settled;
}

bool Committer::find_counters(const Commits& commits, std::uint64_t version) {
    std::string value;
    for (const PendingCommit* commit : commits) {
        if (!commit->writes->removed_ranges().empty()) return false;
        for (const auto& [key, write] : commit->writes->writes()) {
            if (write.kind != Batch::WriteSet::Kind::add) continue;
            const auto found = cache_.find(key, version, value);
            if (!found) return false;
            if (*found) batch_.keep_counter(key, value);
        }
    }
    return true;
}

Committer::Attempt Committer::attempt_under_lock(Connection& connection, const Commits& commits,
                                                 Deadline deadline) {
    begin_batch(commits);
    const auto failed = [&](const sdk::Error& error, Attempt broken) {
        const Attempt outcome = refused(error);
        if (connection.is_broken()) return broken;
        // A connection that does not roll back is broken by that.
        static_cast<void>(connection.run(Statement::rollback, {}, deadline).has_value());
        return outcome;
    };
    if (auto locked = take_lock(connection, commits, deadline); !locked)
        return failed(locked.error(), Attempt::again);
    if (admit(commits) == 0) {
        static_cast<void>(connection.run(Statement::rollback, {}, deadline).has_value());
        return Attempt::settled;
    }
    const std::uint64_t version = feed_.version() + 1;
    if (auto written = write(connection, version, deadline); !written)
        return failed(written.error(), Attempt::unknown);
    feed_.apply(version);
    return Attempt::settled;
}

void Committer::begin_batch(const Commits& commits) {
    feed_.announce({}, nullptr);
    batch_ = Batch();
    for (PendingCommit* commit : commits)
        commit->outcome = {};
}

void Committer::announce(std::uint64_t version) {
    sent_version_ = version;
    sent_batch_ = sdk::random_token(kBatchIdBytes);
    feed_.announce(sent_batch_, &batch_);
}

sdk::Result<void> Committer::take_lock(Connection& connection, const Commits& commits,
                                       Deadline deadline) {
    std::vector<std::string_view> counters;
    std::vector<const sdk::KeyRange*> ranges;
    for (const PendingCommit* commit : commits) {
        for (const auto& [key, write] : commit->writes->writes())
            if (write.kind == Batch::WriteSet::Kind::add) counters.push_back(key);
        for (const sdk::KeyRange& range : commit->writes->removed_ranges())
            ranges.push_back(&range);
    }
    std::uint64_t known = feed_.version();
    connection.send(Statement::begin);
    connection.send(Statement::lock_state);
    connection.send(Statement::read_log,
                    Parameters().integer(signed_number(known)).integer(kLogPage));
    if (!counters.empty())
        connection.send(Statement::read_counters, Parameters().bytes_array(counters));
    for (const sdk::KeyRange* range : ranges) {
        const std::string end = upper_bound(range->end);
        connection.send(Statement::read_keys, Parameters().bytes(range->begin).bytes(end));
    }
    auto answers = connection.finish(deadline);
    if (!answers) return answers.error();
    std::size_t next = 2;
    Rows log = std::move((*answers)[next++]);
    if (!counters.empty()) batch_.keep_counters(std::move((*answers)[next++]));
    while (next < answers->size())
        batch_.keep_range(std::move((*answers)[next++]));
    // Under the lock the log grows no more, so this ends.
    while (true) {
        if (auto applied = feed_.apply_log(log, known); !applied) return applied;
        if (log.size() < kLogPage) return {};
        known = feed_.version();
        auto more =
            connection.run(Statement::read_log,
                           Parameters().integer(signed_number(known)).integer(kLogPage), deadline);
        if (!more) return more.error();
        log = std::move(*more);
    }
}

std::size_t Committer::admit(const Commits& commits) {
    std::size_t admitted = 0;
    std::size_t range = 0;
    for (PendingCommit* commit : commits) {
        const auto& writes = *commit->writes;
        if (feed_.has_conflict(*commit->reads, commit->view) ||
            batch_.has_conflict(*commit->reads) || !batch_.fits_bounds(writes)) {
            commit->outcome = conflict();
        } else {
            commit->stamps = batch_.add(writes, range);
            ++admitted;
        }
        range += writes.removed_ranges().size();
    }
    return admitted;
}

sdk::Result<void> Committer::write(Connection& connection, std::uint64_t version,
                                   Deadline deadline) {
    const std::vector<std::string_view> keys = batch_.keys();
    const std::vector<std::string_view> removed = batch_.removed();
    announce(version);
    const std::int64_t number = signed_number(version);
    connection.send(Statement::keep_past, Parameters().bytes_array(keys).integer(number));
    for (const Batch::Puts& part : batch_.puts()) {
        connection.send(
            Statement::write,
            Parameters().bytes_array(part.keys).bytes_array(part.values).integer(number));
    }
    if (!removed.empty()) connection.send(Statement::remove, Parameters().bytes_array(removed));
    const std::string log = encode_keys(keys);
    connection.send(Statement::write_log,
                    Parameters().integer(number).bytes(sent_batch_).bytes(log));
    connection.send(Statement::advance, Parameters().integer(number));
    connection.send(Statement::commit);
    auto answers = connection.finish(deadline);
    if (!answers) return answers.error();
    return {};
}

sdk::Result<bool> Committer::find_out(Deadline deadline) {
    const std::int64_t number = signed_number(sent_version_);
    while (true) {
        auto acquired = pool_.acquire(deadline);
        if (!acquired) return outcome_unknown(acquired.error().detail);
        connection_ = *std::move(acquired);
        // The lock first: as long as the former connection is being served, it holds it, if it has
        // begun. What has not come yet, a commit of one statement, finds the store at the version
        // that an empty commit has in its place. The write, so that what is found is as safe as
        // what this commit waits for.
        connection_->send(Statement::begin);
        connection_->send(Statement::lock_state);
        connection_->send(Statement::find_batch, Parameters().integer(number).bytes(sent_batch_));
        connection_->send(Statement::fence, Parameters()
                                                .integer(number)
                                                .bytes(sdk::random_token(kBatchIdBytes))
                                                .bytes(encode_keys({})));
        connection_->send(Statement::touch);
        connection_->send(Statement::commit);
        auto answers = connection_->finish(deadline);
        if (answers) {
            const bool is_stored = (*answers)[2].size() > 0;
            if (is_stored) feed_.apply(sent_version_);
            return is_stored;
        }
        if (!connection_->is_broken()) {
            static_cast<void>(connection_->run(Statement::rollback, {}, deadline).has_value());
        }
        if (connection_->is_broken()) connection_.give_back();
        if (Clock::now() >= deadline) return outcome_unknown(answers.error().detail);
    }
}

}  // namespace stele::storage_postgres

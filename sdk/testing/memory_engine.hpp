#pragma once

#include <cstdint>
#include <memory>

#include <stele/sdk/engine.hpp>

namespace stele::sdk::testing {

/// An engine that keeps everything in memory, for unit tests: versions per key, snapshots,
/// serializable transactions by validation at commit, `done` and observers on a thread of its own.
/// Readers and transactions must not outlive it. Any thread.
class MemoryEngine final : public Engine {
public:
    MemoryEngine();
    ~MemoryEngine() override;

    std::unique_ptr<Reader> snapshot() override;
    std::unique_ptr<Transaction> begin() override;
    bool is_local() const override { return true; }
    void observe(std::string prefix, CommitObserver observer) override;
    std::uint64_t approximate_size(const KeyRange& range) override;

    /// The next `count` commits with writes fail with `error`, and nothing of them is stored.
    void refuse_commits(int count, Error error);

    /// Snapshots and transactions that were begun so far.
    std::uint64_t begun_count() const;

    struct State;

private:
    std::unique_ptr<State> state_;
};

}  // namespace stele::sdk::testing

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <stele/sdk/engine.hpp>

namespace stele::testing {

/// One store that checks work on; empty at first.
class EngineStore {
public:
    virtual ~EngineStore() = default;
    /// Opens the store. The engine that was opened before is gone by then.
    virtual std::unique_ptr<sdk::Engine> open() = 0;
    /// Whether what was committed is still there when the store is opened again.
    virtual bool is_lasting() const = 0;
    /// Whether bounds are looked at when the transaction commits, so that additions within them
    /// never conflict; otherwise `add_within` is the default one, which reads the counter.
    virtual bool checks_bounds_at_commit() const { return true; }
};

/// One promise of `sdk::Engine`; a sentence and the code that checks it with Catch2.
struct EngineCheck {
    const char* promise;
    void (*run)(EngineStore& store);
};

/// What every engine must pass: run each with a store of its own inside a TEST_CASE, as
/// `check_engine` does.
const std::vector<EngineCheck>& engine_checks();
const std::vector<EngineCheck>& engine_transaction_checks();
const std::vector<EngineCheck>& engine_concurrency_checks();
const std::vector<EngineCheck>& engine_stamp_checks();

void check_engine(const std::function<std::unique_ptr<EngineStore>()>& make_store);

}  // namespace stele::testing

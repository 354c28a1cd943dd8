#include <catch2/catch.hpp>

#include "sdk/testing/memory_engine.hpp"
#include "tests/storage/engine_conformance.hpp"

namespace stele::testing {

namespace {

class MemoryStore final : public EngineStore {
public:
    std::unique_ptr<sdk::Engine> open() override {
        return std::make_unique<sdk::testing::MemoryEngine>();
    }
    bool is_lasting() const override { return false; }
    bool checks_bounds_at_commit() const override { return false; }
};

}  // namespace

TEST_CASE("the engine in memory keeps every promise of an engine") {
    check_engine([] { return std::make_unique<MemoryStore>(); });
}

}  // namespace stele::testing

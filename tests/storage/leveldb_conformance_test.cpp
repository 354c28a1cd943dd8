#include <catch2/catch.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/engine_conformance.hpp"

namespace stele::testing {

namespace {

class LevelDbStore final : public EngineStore {
public:
    std::unique_ptr<sdk::Engine> open() override {
        auto engine = kernel::storage::open_leveldb(folder_.path());
        if (!engine) FAIL(engine.error().message);
        return *std::move(engine);
    }
    bool is_lasting() const override { return true; }

private:
    TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("the LevelDB engine keeps every promise of an engine") {
    check_engine([] { return std::make_unique<LevelDbStore>(); });
}

}  // namespace stele::testing

#include <catch2/catch.hpp>

#include "plugins/storage_postgres/postgres_engine.hpp"
#include "tests/postgres/private_postgres.hpp"
#include "tests/storage/engine_conformance.hpp"

namespace stele::testing {

namespace {

class PostgresStore final : public EngineStore {
public:
    std::unique_ptr<sdk::Engine> open() override {
        auto engine = storage_postgres::open_postgres(options_);
        if (!engine) FAIL(engine.error().message << " " << engine.error().detail);
        return *std::move(engine);
    }
    bool is_lasting() const override { return true; }

private:
    storage_postgres::Options options_ = PrivatePostgres::instance().empty_store();
};

}  // namespace

TEST_CASE("the PostgreSQL engine keeps every promise of an engine") {
    check_engine([] { return std::make_unique<PostgresStore>(); });
}

}  // namespace stele::testing

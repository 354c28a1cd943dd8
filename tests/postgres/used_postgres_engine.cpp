#include <stdexcept>

#include "plugins/storage_postgres/postgres_engine.hpp"
#include "tests/documents/used_engine.hpp"
#include "tests/postgres/private_postgres.hpp"

namespace stele::tests {

std::unique_ptr<sdk::Engine> make_used_engine() {
    auto engine =
        storage_postgres::open_postgres(testing::PrivatePostgres::instance().empty_store());
    if (!engine) throw std::runtime_error(engine.error().message);
    return *std::move(engine);
}

}  // namespace stele::tests

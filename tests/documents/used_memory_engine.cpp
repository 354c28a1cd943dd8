#include "sdk/testing/memory_engine.hpp"
#include "tests/documents/used_engine.hpp"

namespace stele::tests {

std::unique_ptr<sdk::Engine> make_used_engine() {
    return std::make_unique<sdk::testing::MemoryEngine>();
}

}  // namespace stele::tests

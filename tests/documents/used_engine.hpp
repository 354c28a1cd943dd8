#pragma once

#include <memory>

#include <stele/sdk/engine.hpp>

namespace stele::tests {

/// An empty store of the engine that the test program is about: each program has its own body.
std::unique_ptr<sdk::Engine> make_used_engine();

}  // namespace stele::tests

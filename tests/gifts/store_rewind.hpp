#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <stele/sdk/engine.hpp>

namespace stele::kernel::gifts {

/// Takes a store back to what it was, by a commit that everybody who observes it hears of. What a
/// server holds to be final stays: names, collections and their numbers.
class StoreRewind {
public:
    /// Observes the engine from now on, also when this has ended.
    explicit StoreRewind(sdk::Engine& engine);

    /// Now is where `back` leads to.
    void mark();
    void back();

private:
    struct Changes {
        std::mutex mutex;
        std::set<std::string, std::less<>> keys;
    };

    sdk::Engine& engine_;
    std::shared_ptr<Changes> changes_ = std::make_shared<Changes>();
    std::map<std::string, std::string, std::less<>> entries_;
};

}  // namespace stele::kernel::gifts

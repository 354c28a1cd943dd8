#include "reading/second_look.hpp"

#include <stele/sdk/error.hpp>

namespace stele::archives {

bool is_binary_gone(const sdk::Error& error) {
    return error.code == "blob.unknown";
}

sdk::Result<void> look_twice(const std::function<sdk::Result<void>()>& work) {
    auto done = work();
    if (done || !is_binary_gone(done.error())) return done;
    done = work();
    if (done || !is_binary_gone(done.error())) return done;
    return sdk::make_error(sdk::ErrorKind::internal, "store.damaged", done.error().message,
                           done.error().detail);
}

}  // namespace stele::archives

#include "branch/truncation.hpp"

#include <nlohmann/json.hpp>

namespace stele::nodes {

sdk::Result<sdk::Reply> truncated(sdk::Reply reply, std::string_view bound) {
    auto object = sdk::parse_json(reply.take_body());
    if (!object) return object.error();
    (*object)["truncated"] = true;
    (*object)["bound"] = bound;
    return sdk::Reply::json(*object);
}

}  // namespace stele::nodes

#include "operation/branch/changeset_shape.hpp"

#include "branch/vocabulary.hpp"

namespace stele::nodes {

sdk::Shape changeset_shape() {
    using sdk::shape::array;
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"_doc", text()},
                               optional("revision", sdk::shape::integer()),
                               optional("branch", text()),
                               optional("active", sdk::shape::boolean()),
                               optional("parents", array(text())),
                               optional("summary", text()),
                               optional("tags", array(text())),
                               optional("platformId", text()),
                               optional(kRepositoryId, text()),
                               optional(member::kSystem, sdk::shape::record("System"))});
}

}  // namespace stele::nodes

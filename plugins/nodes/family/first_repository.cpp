#include "family/first_repository.hpp"

#include <nlohmann/json.hpp>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

sdk::Result<void> install_repository(sdk::Context& context) {
    const sdk::CollectionName repositories{kRepositoryType, ""};
    sdk::PageRequest first;
    first.limit = 1;
    auto present = context.documents().query(repositories, sdk::Json::object(), first);
    if (!present) return present.error();
    if (!present->rows.empty()) return {};
    auto made = context.documents().create(repositories,
                                           {{"_doc", "default"}, {"title", "Primary repository"}});
    if (!made) return made.error();
    return {};
}

}  // namespace stele::nodes

#include "services.hpp"

#include <fmt/format.h>

namespace stele::node_rules {

sdk::Result<sdk::Principal> find_author(const RuleServices& services, sdk::Context& context,
                                        const std::string& name) {
    const auto unfit = [&name](const char* problem) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "node_rules.author_unfit",
                               name.empty() ? "nobody answers for what the server wrote itself"
                                            : fmt::format("{} {}", name, problem));
    };
    if (name.empty()) return unfit("");
    auto found = services.principals.find(context, name);
    if (!found && sdk::is_missing(found.error())) return unfit("is gone");
    if (!found) return found;
    // A name that somebody has who is called like an id is not meant.
    if (found->qualified_id() != name) return unfit("is gone");
    auto may_act = services.principals.may_act(context.transaction(), found->key);
    if (!may_act) return may_act.error();
    if (!*may_act || !found->enabled) return unfit("is disabled");
    return found;
}

}  // namespace stele::node_rules

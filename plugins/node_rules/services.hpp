#pragma once

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/content_log.hpp>
#include <stele/sdk/services/families.hpp>
#include <stele/sdk/services/inner_operations.hpp>
#include <stele/sdk/services/jobs.hpp>
#include <stele/sdk/services/principal_directory.hpp>

namespace stele::node_rules {

/// What the parts of the plugin work with. All outlive them.
struct RuleServices {
    sdk::Registrar& registrar;
    sdk::ContentLog& log;
    sdk::Families& families;
    sdk::InnerOperations& operations;
    sdk::Jobs& jobs;
    sdk::PrincipalDirectory& principals;
};

/// A principal that may act by itself, named `domain/id`. `forbidden` (`node_rules.author_unfit`)
/// for one that is gone or disabled, and for no name: what the server wrote has no author.
sdk::Result<sdk::Principal> find_author(const RuleServices& services, sdk::Context& context,
                                        const std::string& name);

}  // namespace stele::node_rules

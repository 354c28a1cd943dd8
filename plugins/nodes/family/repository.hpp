#pragma once

#include "branch/services.hpp"

namespace stele::nodes {

/// A data store of branches, with the master branch from the beginning.
class Repository final : public ContentFamily {
public:
    using ContentFamily::ContentFamily;

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    /// `master`, which comes with every repository.
    sdk::Result<std::vector<sdk::Companion>> companions(sdk::Context& context,
                                                        const sdk::Document& repository) override;
    /// A changeset; or a node or an association as it was after one, where the changeset's id
    /// stands in place of the branch's (docs/specification/nodes.md 1.6).
    sdk::Result<sdk::Json> read_inner(sdk::Context& context, const sdk::Document& repository,
                                      std::string_view word, std::string_view ids) override;
};

/// A line of development of a repository's content.
class Branch final : public ContentFamily {
public:
    using ContentFamily::ContentFamily;

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;
    /// Its `alias` leads to it where its id does.
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;
    /// Archived branches are not among those that nobody asked for.
    sdk::Result<void> complete_query(const sdk::Call& call, sdk::Json& query) override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;
};

}  // namespace stele::nodes

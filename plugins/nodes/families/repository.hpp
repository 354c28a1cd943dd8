#pragma once

#include "content/services.hpp"

namespace stele::nodes {

/// A data store of branches, with the master branch from the beginning.
class Repository final : public ContentFamily {
public:
    using ContentFamily::ContentFamily;

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
};

/// A line of development of a repository's content.
class Branch final : public ContentFamily {
public:
    using ContentFamily::ContentFamily;

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;
};

}  // namespace stele::nodes

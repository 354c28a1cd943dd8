#pragma once

#include "branch/services.hpp"

namespace stele::nodes {

/// What two branches of a repository have made that does not go together, for people to decide
/// (docs/reference/merge.md). Made by merges only. Where it is about, and what the sides have
/// there, is shown to those who may READ the node on both.
class ConflictFamily final : public ContentFamily {
public:
    using ContentFamily::ContentFamily;

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;

    sdk::Result<sdk::Reply> resolve(const sdk::Call& call);
    sdk::Result<sdk::Reply> commit(const sdk::Call& call);

private:
    /// Whether whoever asks may READ what the conflict is about, wherever it is.
    sdk::Result<bool> may_see(sdk::Context& context, const std::string& repository,
                              const sdk::Json& conflict) const;
};

}  // namespace stele::nodes

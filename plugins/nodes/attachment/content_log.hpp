#pragma once

#include <stele/sdk/services/content_log.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// `sdk::ContentLog` over the rows of changesets.
class ContentLog final : public sdk::ContentLog {
public:
    explicit ContentLog(Services& services) : services_(services), branches_(services.branches) {}

    sdk::Result<std::vector<sdk::ContentSpace>> spaces(const sdk::Reader& reader) override;
    sdk::Result<std::uint64_t> newest(const sdk::Reader& reader,
                                      const sdk::ContentSpace& space) override;
    sdk::Result<void> for_each_after(
        const sdk::Reader& reader, const sdk::ContentSpace& space, std::uint64_t revision,
        const std::function<bool(const sdk::ContentVersion&)>& visit) override;
    sdk::Result<sdk::ContentView> view(const sdk::Reader& reader,
                                       const sdk::RecordKey& branch) override;
    sdk::Result<std::optional<sdk::ContentVersion>> shown(const sdk::Reader& reader,
                                                          const sdk::ContentView& view,
                                                          std::string_view node) override;
    sdk::Result<std::optional<std::vector<std::string>>> written_on(
        const sdk::Reader& reader, const sdk::ContentSpace& space,
        const sdk::ContentView::Link& link, std::size_t most) override;
    sdk::Result<std::string> attached_text(const sdk::Reader& reader,
                                           const sdk::ContentSpace& space,
                                           const sdk::ContentVersion& version,
                                           std::size_t limit) override;
    std::string watched_prefix(std::uint64_t platform) override;

private:
    Services& services_;
    const BranchStore& branches_;
};

}  // namespace stele::nodes

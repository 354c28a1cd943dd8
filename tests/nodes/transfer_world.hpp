#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <stele/sdk/services/content_transfer.hpp>

#include "branch/branch_content.hpp"
#include "tests/nodes/content_world.hpp"
#include "transfer/content_transfer.hpp"

namespace stele::tests {

/// Items that were taken out, or written by hand, in their order.
class ListedItems final : public sdk::ContentSource {
public:
    explicit ListedItems(std::vector<sdk::ContentItem> items) : items_(std::move(items)) {}
    sdk::Result<void> for_each(const Visit& visit) override;

private:
    std::vector<sdk::ContentItem> items_;
};

inline constexpr auto kClone = sdk::TransferStrategy::clone;

using Items = std::vector<sdk::ContentItem>;

sdk::ContentItem item_of(sdk::Json fields);
sdk::ContentItem association_of(const std::string& id, const std::string& type,
                                const std::string& source, const std::string& target);
/// The bytes of an item's attachment.
std::string bytes_of(const sdk::ContentItem& item, const std::string& attachment);
/// The only one that says the title.
const sdk::ContentItem& titled(const Items& items, const std::string& title);

/// What items say, by id, in the words of another branch: ids as they are there, without what the
/// server says of times and changesets.
std::map<std::string, sdk::Json> in_words_of(const Items& items,
                                             const std::map<std::string, std::string>& ids);

/// What an import has reported, with its ids at hand.
struct ReportedImport {
    explicit ReportedImport(const sdk::ContentReport& report);

    std::uint64_t created;
    std::uint64_t updated;
    std::uint64_t skipped;
    std::uint64_t associations;
    std::uint64_t attachments;
    std::map<std::string, std::string> ids;
    std::vector<std::string> notes;
};

/// Takes content out of branches and into others.
class TransferWorld {
public:
    static constexpr std::size_t kAnn = 0;

    ContentWorld world;
    nodes::ContentTransfer transfer{world.services()};

    using Work = std::function<void(const nodes::BranchContent& content)>;
    void change(const sdk::RecordKey& branch, const Work& work, std::size_t user = kAnn);
    std::string make(const sdk::RecordKey& branch, sdk::Json fields, std::size_t user = kAnn);
    std::string join(const sdk::RecordKey& branch, const std::string& source,
                     const std::string& target, const std::string& type,
                     sdk::Json fields = sdk::Json::object());
    void attach(const sdk::RecordKey& branch, const std::string& node, const std::string& id,
                const std::string& bytes);
    void remove(const sdk::RecordKey& branch, const std::string& node);
    sdk::Json read(const sdk::RecordKey& branch, const std::string& node);
    /// Ids at the other ends of associations that leave a node.
    std::vector<std::string> targets(const sdk::RecordKey& branch, const std::string& node,
                                     const std::string& type);
    std::size_t count(const sdk::RecordKey& branch, const sdk::Json& query);
    std::string tip(const sdk::RecordKey& branch);
    std::string root(const sdk::RecordKey& branch);
    void set_repository_of(const sdk::RecordKey& branch, const sdk::Json& members);
    void set_branch(const sdk::RecordKey& branch, const sdk::Json& members);

    sdk::Result<Items> take_out(const sdk::ContentSelection& selection, std::size_t user = kAnn);
    sdk::Result<ReportedImport> bring_in(const Items& items, const sdk::ContentTarget& target,
                                         std::size_t user = kAnn);
    sdk::Result<ReportedImport> bring_in(sdk::ContentSource& source,
                                         const sdk::ContentTarget& target, std::size_t user = kAnn);

    /// Of the last `take_out` and `bring_in`.
    sdk::ContentOmissions omissions;
    bool has_written = false;
};

}  // namespace stele::tests

#include <nlohmann/json.hpp>

#include "branch/vocabulary.hpp"
#include "kernel/storage/query/query.hpp"
#include "tests/nodes/content_comparison.hpp"

namespace stele::tests {

using sdk::Json;

namespace {

Json parsed(const kernel::storage::Record& record) {
    return must(sdk::parse_json(record.text()));
}

}  // namespace

ShownContent::ShownContent(ContentWorld& world, const std::string& branch,
                           const std::string& changeset)
    : world_(world), branch_(world.branch_key(branch)), store_(world.kernel().engine->snapshot()) {
    const nodes::BranchStore& branches = world_.services().branches;
    place_ = must(branches.find(*store_, branch_));
    const auto revision = nodes::revision_of(changeset);
    version_space_ = std::make_unique<nodes::VersionSpace>(branches.space(place_));
    view_ = std::make_unique<nodes::ViewReader>(*store_, *version_space_,
                                                must(branches.view(*store_, place_, revision)));
}

std::string ShownContent::tip() const {
    const nodes::BranchStore& branches = world_.services().branches;
    const nodes::Revision revision = must(branches.tip(*store_, place_));
    return nodes::changeset_id(revision,
                               must(branches.note(*store_, place_, revision)).random_part);
}

const ShownContent::Space& ShownContent::space(const char* type) const {
    Space& space = spaces_[type];
    if (space.reader) return space;
    space.place = must(world_.kernel().records.collection(*store_, world_.platform(),
                                                          sdk::CollectionName{type, {}, branch_}));
    if (!space.place.id) throw Difference("the branch has no collection of " + std::string(type));
    const char slot =
        std::string_view(type) == nodes::kNodeType ? nodes::kNodeSlot : nodes::kDeletionSlot;
    space.reader = std::make_unique<nodes::CollectionReader>(
        *store_, *version_space_, view_->view(),
        sdk::SpaceCollection{space.place.id->platform, space.place.id->number, type, branch_},
        slot);
    return space;
}

ShownContent::Page ShownContent::query(const char* type, const Json& condition,
                                       const sdk::PageRequest& page) const {
    const Space& from = space(type);
    auto run = must(world_.kernel().documents.query(
        *from.reader, *from.place.id, from.place.resource->rules,
        must(kernel::storage::Query::parse(condition)), page, {}, false));
    Page found;
    kernel::storage::Record row;
    while (must(run->next(row)))
        found.ids.push_back(kernel::storage::sequence_text(row.sequence));
    found.total = must(run->total_rows());
    return found;
}

std::map<std::string, std::string> ShownContent::records(const char* type) const {
    const Space& from = space(type);
    sdk::PageRequest everything;
    everything.limit = -1;
    auto run = must(world_.kernel().documents.query(
        *from.reader, *from.place.id, from.place.resource->rules,
        must(kernel::storage::Query::parse(Json::object())), everything, {}, false));
    std::map<std::string, std::string> found;
    kernel::storage::Record row;
    while (must(run->next(row)))
        found[kernel::storage::sequence_text(row.sequence)] = row.text();
    return found;
}

std::optional<Json> ShownContent::record(const char* type, const std::string& id) const {
    const Space& from = space(type);
    kernel::storage::Record record;
    const bool is_found =
        must(world_.kernel().documents.read(*from.reader, *from.place.id, id, record));
    return is_found ? std::optional<Json>(parsed(record)) : std::nullopt;
}

nodes::History ShownContent::history() const {
    return {*store_, *version_space_, view_->view()};
}

}  // namespace stele::tests

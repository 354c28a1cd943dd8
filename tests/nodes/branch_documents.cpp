#include "tests/nodes/branch_documents.hpp"

#include <catch2/catch.hpp>

#include "kernel/storage/engine/keys.hpp"

namespace stele::tests {

namespace {

template <class T>
T must(sdk::Result<T> result) {
    if (!result) FAIL(result.error().code << ": " << result.error().message);
    return *std::move(result);
}

}  // namespace

kernel::storage::CollectionId BranchDocuments::collection(nodes::Line line) {
    if (const auto known = collections_.find(line); known != collections_.end())
        return known->second;
    kernel::storage::CollectionId id;
    const auto opened = sdk::write_with_retry(engine_, [&](sdk::Transaction& transaction) {
        id = must(documents_.open_collection(transaction, kPlatform, "node",
                                             "branch" + std::to_string(line)));
        return sdk::Result<void>();
    });
    REQUIRE(opened.has_value());
    return collections_[line] = id;
}

sdk::SpaceCollection BranchDocuments::space_collection(nodes::Line line) {
    const auto id = collection(line);
    return {id.platform, id.number, "node", "branch" + std::to_string(line)};
}

void BranchDocuments::fork(nodes::Line line, const nodes::Link& from) {
    REQUIRE(sdk::commit_and_wait(*begin_fork(line, from)).has_value());
}

std::unique_ptr<sdk::Transaction> BranchDocuments::begin_fork(nodes::Line line,
                                                              const nodes::Link& from) {
    const auto snapshot = engine_.snapshot();
    auto transaction = engine_.begin();
    REQUIRE(nodes::put_line(*transaction, *snapshot, space_, line, from).has_value());
    return transaction;
}

std::unique_ptr<sdk::Reader> BranchDocuments::read(const sdk::Reader& store, nodes::Line line,
                                                   std::optional<nodes::Revision> revision) {
    auto view = must(nodes::find_view(store, space_, line, revision));
    return std::make_unique<nodes::CollectionReader>(store, space_, std::move(view),
                                                     space_collection(line), nodes::kNodeSlot);
}

std::vector<std::string> BranchDocuments::check(const sdk::Reader& store, nodes::Line line,
                                                std::optional<nodes::Revision> revision) {
    using Space = std::optional<Documents::CheckedSpace>;
    return documents_.check(
        store, [&](kernel::storage::CollectionId checked) -> sdk::Result<Space> {
            if (checked == collection(line))
                return Space(Documents::CheckedSpace{read(store, line, revision), &rules_});
            return sdk::make_error(sdk::ErrorKind::not_found, "test.other_line", "not this one");
        });
}

BranchDocuments::Change BranchDocuments::begin(nodes::Line line) {
    auto collection = space_collection(line);
    Change change;
    change.transaction = engine_.begin();
    change.line = std::make_unique<nodes::LineWriter>(
        *change.transaction, space_, must(nodes::find_view(*change.transaction, space_, line)));
    change.writer = std::make_unique<nodes::CollectionWriter>(
        *change.transaction, *change.line, std::move(collection), nodes::kNodeSlot);
    return change;
}

std::optional<nodes::Revision> BranchDocuments::commit(Change& change) {
    auto done = change.line->finish("note");
    if (done) done = sdk::commit_and_wait(*change.transaction);
    if (done) return change.transaction->stamp(space_.revision_counter());
    if (done.error().code != "engine.conflict") FAIL(done.error().code);
    return std::nullopt;
}

}  // namespace stele::tests

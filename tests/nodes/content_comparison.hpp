#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "history/history.hpp"
#include "tests/nodes/content_model.hpp"
#include "tests/nodes/content_world.hpp"
#include "tests/nodes/random_source.hpp"
#include "version/collection_reader.hpp"

namespace stele::tests {

/// The server and the model differ.
class Difference : public std::runtime_error {
    using runtime_error::runtime_error;
};

/// What the store shows of a branch, at its tip or at a past changeset.
class ShownContent {
public:
    ShownContent(ContentWorld& world, const std::string& branch, const std::string& changeset = {});

    /// The last changeset that shows.
    std::string tip() const;
    struct Page {
        std::vector<std::string> ids;
        std::uint64_t total = 0;
    };
    Page query(const char* type, const sdk::Json& condition, const sdk::PageRequest& page) const;
    /// All of them, as JSON text.
    std::map<std::string, std::string> records(const char* type) const;
    std::optional<sdk::Json> record(const char* type, const std::string& id) const;
    nodes::Graph graph() const { return nodes::Graph(*view_); }
    nodes::History history() const;

private:
    struct Space {
        kernel::resource::CollectionPlace place;
        std::unique_ptr<sdk::Reader> reader;
    };
    const Space& space(const char* type) const;

    ContentWorld& world_;
    sdk::RecordKey branch_;
    std::unique_ptr<sdk::Reader> store_;
    nodes::BranchPlace place_;
    std::unique_ptr<nodes::VersionSpace> version_space_;
    std::unique_ptr<nodes::ViewReader> view_;
    mutable std::map<std::string, Space> spaces_;
};

/// Compares branches with the model; throws `Difference`.
class ContentComparison {
public:
    ContentComparison(ContentWorld& world, RandomSource& random) : world_(world), random_(random) {}

    /// What a step may have broken at once: cheap.
    void compare_tip(const ModelBranch& branch);
    /// Everything at a point of the branch's history.
    void compare_whole(const ModelBranch& branch, std::size_t point);
    /// What a user is told: rows, trees, paths and versions.
    void compare_answers(const ModelBranch& branch, std::size_t user);

private:
    void compare_counts(const ModelState& state, const ShownContent& shown);
    void compare_queries(const ModelState& state, const ShownContent& shown);
    /// Of what the base holds already only now and then a record is looked into.
    void compare_records(const ModelState& state, const ModelState& base,
                         const ShownContent& shown);
    void compare_deletions(const ModelState& state, const ShownContent& shown);
    void compare_edges(const ModelState& state, const ShownContent& shown, const std::string& node);
    void compare_children(const ModelState& state, const ShownContent& shown,
                          const std::string& folder);
    void compare_versions(const ModelBranch& branch, const ShownContent& shown,
                          const std::string& node);
    void compare_rows(const ModelBranch& branch, std::size_t user);
    void compare_tree(const ModelBranch& branch, std::size_t user);
    void compare_path(const ModelBranch& branch, std::size_t user, const std::string& node);
    void compare_version_rows(const ModelBranch& branch, std::size_t user, const std::string& node);

    ContentWorld& world_;
    RandomSource& random_;
};

/// The model's record, of what is stored.
ModelRecordPtr model_record(const std::string& id, const sdk::Json& stored);
/// Every node's id, associations left out.
std::vector<std::string> node_ids(const ModelState& state);
std::string root_of(const ModelState& state);

}  // namespace stele::tests

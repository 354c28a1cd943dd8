#pragma once

#include "branch/branch_content.hpp"
#include "branch/services.hpp"

namespace stele::nodes {

/// What nodes and their deletions share: they lie in the space of their branch.
class SpacedFamily : public ContentFamily {
public:
    SpacedFamily(Services& services, char slot) : ContentFamily(services), slot_(slot) {}

    sdk::Result<std::unique_ptr<sdk::Reader>> read_space(
        const sdk::Reader& store, const sdk::SpaceCollection& collection) override;
    sdk::Result<sdk::Transaction*> write_space(sdk::Context& context,
                                               const sdk::SpaceCollection& collection) override;
    /// Only while the branch takes writes.
    sdk::Result<void> check_writable(const sdk::Change& change, sdk::Context& context) override;
    std::int64_t added_by_space(const sdk::Document& record) override;
    /// A deletion came from where its node was made.
    sdk::Result<std::vector<sdk::RecordKey>> origins_of(const sdk::Reader& store,
                                                        const sdk::SpaceCollection& collection,
                                                        const sdk::RecordKey& record) override;
    sdk::Result<std::vector<sdk::RecordKey>> origins_inside(
        const sdk::Reader& store, const sdk::SpaceCollection& collection) override;

private:
    char slot_;
};

/// Nodes and associations of a branch: every write is part of a changeset and a version.
class NodeFamily final : public SpacedFamily {
public:
    explicit NodeFamily(Services& services) : SpacedFamily(services, kNodeSlot) {}

    sdk::ResourceDescriptor describe() const override;
    /// Nor while somebody else has locked the node, or an end of the association.
    sdk::Result<void> check_writable(const sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> complete_system(const sdk::Change& change, sdk::Context& context,
                                      sdk::Json& system) override;

    /// In a folder, and by a file name (docs/specification/nodes.md 7.2).
    sdk::Result<sdk::Json> locate(const sdk::Call& call, const sdk::Parameters& parameters,
                                  sdk::Json& fields) override;
    sdk::Result<std::optional<sdk::Document>> place(const sdk::Call& call,
                                                    const sdk::Document& record,
                                                    const sdk::Json& where) override;
    sdk::Result<sdk::Attachment> keep_file(const sdk::Call& call, const sdk::IncomingFile& file,
                                           const sdk::PieceSource& read) override;
    sdk::Result<void> attach(const sdk::Call& call,
                             const std::vector<sdk::FiledRecord>& files) override;
    sdk::Result<sdk::ShownRecord> show(const sdk::Call& call) override;
    /// Two features have a second name.
    sdk::Result<void> complete_query(const sdk::Call& call, sdk::Json& query) override;
    /// The list of nodes is that of mounts.
    sdk::Result<std::vector<sdk::Json>> rows(const sdk::Call& call) override;
    /// Adds `_paths` to rows of queries.
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;

    /// Whoever made a node owns it.
    sdk::Result<std::vector<std::string>> roles_of(const sdk::Reader& store,
                                                   const sdk::SpaceCollection& collection,
                                                   const sdk::RecordKey& record,
                                                   const sdk::RecordKey& principal) override;
    /// The folders that a node lies in, however far up.
    sdk::Result<std::vector<sdk::RecordKey>> inherits_from(const sdk::Reader& store,
                                                           const sdk::SpaceCollection& collection,
                                                           const sdk::RecordKey& record) override;
    sdk::Result<std::vector<std::string>> paths_of(const sdk::Reader& store,
                                                   const sdk::SpaceCollection& collection,
                                                   const sdk::RecordKey& record) override;

private:
    sdk::Result<void> prepare_new(const BranchContent& content, sdk::Document& node);
    sdk::Result<void> prepare_removal(const BranchContent& content, const sdk::Document& node);
};

}  // namespace stele::nodes

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/document/document_store.hpp"
#include "kernel/storage/record/name_table.hpp"
#include "plugins/nodes/version/collection_reader.hpp"

namespace stele::tests {

/// A store of documents whose collections lie in the lines of one repository, one for each line.
class BranchDocuments {
public:
    using Documents = kernel::storage::DocumentStore;

    explicit BranchDocuments(sdk::Engine& engine) : engine_(engine) {}

    Documents& documents() { return documents_; }
    kernel::storage::NameTable& names() { return names_; }
    const kernel::storage::CollectionRules& rules() const { return rules_; }
    kernel::storage::CollectionId collection(nodes::Line line);

    void fork(nodes::Line line, const nodes::Link& from);
    /// The same, to be committed.
    std::unique_ptr<sdk::Transaction> begin_fork(nodes::Line line, const nodes::Link& from);

    /// What a line shows in a picture of the store, at its tip or at a revision.
    std::unique_ptr<sdk::Reader> read(const sdk::Reader& store, nodes::Line line,
                                      std::optional<nodes::Revision> revision = {});

    /// Compares what a line shows with its indexes.
    std::vector<std::string> check(const sdk::Reader& store, nodes::Line line,
                                   std::optional<nodes::Revision> revision = {});

    /// A changeset that is being written.
    struct Change {
        std::unique_ptr<sdk::Transaction> transaction;
        std::unique_ptr<nodes::LineWriter> line;
        std::unique_ptr<sdk::Transaction> writer;
    };
    Change begin(nodes::Line line);
    /// Its revision; nothing after a conflict.
    std::optional<nodes::Revision> commit(Change& change);

private:
    static constexpr std::uint64_t kPlatform = 1;

    sdk::SpaceCollection space_collection(nodes::Line line);

    sdk::Engine& engine_;
    kernel::storage::NameTable names_{engine_};
    Documents documents_{engine_, names_};
    kernel::storage::CollectionRules rules_{{}, {"_system.changeset"}, {}, true};
    std::map<nodes::Line, kernel::storage::CollectionId> collections_;
    nodes::VersionCache cache_;
    nodes::VersionSpace space_{sdk::plugin_key_space(kPlatform, "nodes.test"), nodes::keeping_of,
                               cache_};
};

}  // namespace stele::tests

#pragma once

#include <string>

#include <stele/sdk/services/content_transfer.hpp>

#include "transfer/import_state.hpp"

namespace stele::nodes {

/// What came of a record.
enum class Brought : std::uint8_t { created, updated, skipped };

/// Writes one record after another: makes it, or brings the one that stands for it up to date, with
/// its attachments, by the rights of whoever acts. What would be equal is not written.
class RecordImport {
public:
    explicit RecordImport(ImportState& state) : state_(state), content_(state.content) {}

    /// What of an item is said of a record here, with its links as they are.
    static sdk::Json fields_of(const sdk::ContentItem& item);

    /// A node or a definition. `match` is the id of what stands for it; empty for none. Notes its
    /// id here.
    sdk::Result<Brought> bring_node(const sdk::ContentItem& item, sdk::Json fields,
                                    const std::string& match);
    /// The same of an association whose ends are these.
    sdk::Result<Brought> bring_association(const sdk::ContentItem& item, sdk::Json fields,
                                           const sdk::Document& source, const sdk::Document& target,
                                           bool is_undirected);
    /// Says other fields of a node that this import has brought, by the same rights.
    sdk::Result<Brought> rewrite(const std::string& id, sdk::Json fields);

    /// What stands under an id here and is of the item's kind; nothing where there is none.
    /// `conflict` (`nodes.import_kind_differs`).
    sdk::Result<std::optional<sdk::Document>> find_present(const std::string& id,
                                                           bool is_association) const;
    /// Whether a record says these fields already.
    sdk::Result<bool> says(const sdk::Json& present, const sdk::Json& fields) const;

    sdk::Result<Brought> update(const sdk::ContentItem& item, const sdk::Document& present,
                                sdk::Json fields);

private:
    /// Its new type is written behind its other fields.
    sdk::Result<sdk::Document> update_fields(const sdk::Document& present, sdk::Json fields);
    /// Before a record is made under the item's own id.
    sdk::Result<void> make_room(const sdk::ContentItem& item) const;
    /// A name that another has by now goes; with `clone` it is `conflict`
    /// (`nodes.import_qname_taken`).
    sdk::Result<void> fit_qname(const sdk::ContentItem& item, sdk::Json& fields);
    /// What a record is made with; answers its attachments.
    sdk::Result<sdk::Json> begin_creation(const sdk::ContentItem& item, sdk::Json& fields);
    sdk::Result<Brought> finish_creation(const sdk::ContentItem& item, const sdk::Document& made,
                                         const sdk::Json& attachments);
    static constexpr std::size_t kStepBytes = std::size_t{4} << 20;
    /// Others may commit more than an engine keeps in mind while a large attachment comes.
    sdk::PieceSource in_steps(sdk::PieceSource bytes) const;
    /// The item's attachments as they are kept, their bytes stored; null for none.
    sdk::Result<sdk::Json> store_files(const sdk::ContentItem& item);
    /// Members that the server keeps beside what clients write: `_key`, by which a later import
    /// finds the record, and `_source_doc`.
    sdk::Json kept_members(const sdk::ContentItem& item) const;
    sdk::Result<void> complete(const sdk::ContentItem& item, const sdk::Document& made,
                               bool has_new_attachments);

    ImportState& state_;
    const BranchContent& content_;
};

}  // namespace stele::nodes

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/text_table.hpp>

namespace stele::sdk {

/// A node or an association as a changeset wrote it, on its way from one branch to another.
struct ContentItem {
    /// Id of the changeset.
    std::string changeset;
    /// `_doc`.
    std::string id;
    /// As served, without what is computed when it is read; of a deletion only `_doc` and
    /// `_system.deleted`.
    Json fields;
    bool is_removed = false;
    struct File {
        Attachment attachment;
        /// Opens its bytes; may be called again; null where there are none. Where the sender did
        /// not know them `attachment.length` is 0.
        std::function<Result<PieceSource>()> open;
    };
    std::vector<File> files;
};

/// What an export takes of a branch (docs/specification/semantics.md 7.2).
struct ContentSelection {
    RecordKey branch;
    /// Empty: the whole branch. Otherwise these nodes with all that lies below them by `a:child`,
    /// the associations between them, and the definitions that they need and that are not built in,
    /// with their forms.
    std::vector<std::string> nodes = {};
    /// The state after this changeset; empty: the tip.
    std::string changeset = {};
    /// False: nodes come without what is attached to them.
    bool has_attachments = true;
    /// Every version that the branch shows from its first changeset on, one changeset after
    /// another, in place of the state.
    bool has_history = false;
    /// With history, and without: only what changesets after the first and up to the second wrote.
    std::string start_changeset = {};
    std::string end_changeset = {};
    /// Only what was modified in the time, epoch milliseconds; 0: no bound.
    std::int64_t start_ms = 0;
    std::int64_t end_ms = 0;
    /// The folders above the nodes.
    bool has_folders = false;
    /// What the nodes name in relator properties.
    bool has_relators = false;
    /// Associations with nodes outside of the selection.
    bool has_relating_associations = false;
};

/// What was left out and why, counted; shown in the job.
struct ContentOmissions {
    /// Nodes and associations that whoever acts may not READ, or not an end of.
    std::uint64_t unreadable = 0;
};

/// Content of a branch that can be walked several times, always in the same order: each changeset's
/// definitions, then nodes, then associations.
class ContentSource {
public:
    using Visit = std::function<Result<void>(ContentItem item)>;
    /// Whether the item at a position of the walk is wanted; the first one is at 0. A source may
    /// ask on a thread of its own, about positions ahead of the item that is visited.
    using IsWanted = std::function<bool(std::uint64_t position)>;

    virtual ~ContentSource();
    virtual Result<void> for_each(const Visit& visit) = 0;
    /// The same walk, of which only the wanted items are handed over; a source that can passes the
    /// others over without reading them.
    virtual Result<void> for_each_wanted(const IsWanted& is_wanted, const Visit& visit);
    /// Whether it reads by the transaction of the import, which must then show the same state until
    /// its end (`MovableSnapshot`).
    virtual bool reads_context() const { return false; }
    /// About how many items a walk hands over, found without looking at each; 0: nobody knows.
    virtual Result<std::uint64_t> count();
};

enum class TransferStrategy {
    copy_everything,  ///< what comes in gets new ids
    clone,            ///< ids are kept; what is there under an id is brought up to date
};

/// How content comes into a branch (docs/specification/semantics.md 7.3).
struct ContentTarget {
    RecordKey branch;
    /// Id of the node in which the subjects become `a:child` members; empty: the root of what comes
    /// stands for the root of the branch.
    std::string folder = {};
    TransferStrategy strategy = TransferStrategy::copy_everything;
    /// False: where a subject is in the folder under its name already, that one is brought up to
    /// date. Means nothing to `clone`.
    bool copies_on_existing = true;
    /// Old ids, QNames or references and what they become, wherever they stand as a whole text.
    std::map<std::string, std::string> substitutions = {};
    /// Ids of the nodes that the import is about, in the source: these are put into the folder.
    /// Empty: those that nothing leads to. Whatever the source holds comes.
    std::vector<std::string> subjects = {};
    /// Links to what neither comes nor is there: an error in place of a note.
    bool requires_all = false;
    /// `_source_doc` of what comes says its former id.
    bool keeps_source_ids = false;
    /// Writes to a protected branch; needs UPDATE on it.
    bool lifts_protection = false;
    /// False: attachments are here as they were; none come.
    bool has_attachments = true;
    /// Of a transaction that will never be committed: what is refused of one item (`is_refusal`)
    /// does not end the import, but stands in its report, and the item does not come.
    bool tells_refusals = false;
    /// Told now and then how many of the items that come have come; a failure ends the import.
    /// Null: nobody asks.
    std::function<Result<void>(std::uint64_t brought, std::uint64_t coming)> progress = {};
};

/// What one item was refused with.
struct ContentRefusal {
    /// In the source.
    std::string id;
    Error error;
};

/// What an import has made.
struct ContentReport {
    /// Of nodes and definitions.
    std::uint64_t created = 0;
    std::uint64_t updated = 0;
    /// Equal to what was there already, or built in.
    std::uint64_t skipped = 0;
    /// Made or brought up to date, those that stand for properties among them.
    std::uint64_t associations = 0;
    /// Of all that was made, and of what was brought up to date where one of its own has changed.
    std::uint64_t attachments = 0;
    /// Items that were refused, and the first 200 of them.
    std::uint64_t refused = 0;
    std::vector<ContentRefusal> refusals;
    /// Ids in the source, and what stands for them here.
    TextTable ids;
    /// What a person should know: dropped links, names that were taken. At most 1,000.
    std::vector<std::string> notes;
};

/// Takes content of branches out and in. Published by the plugin that keeps nodes. Everything joins
/// the transaction of the given context and acts for its principal: READ on each node that leaves,
/// for those that come the rights of creating and changing them one by one, however they come. Any
/// thread.
class ContentTransfer {
public:
    virtual ~ContentTransfer();

    /// What a selection holds, at the state that the context reads, without what that has written
    /// itself; the context outlives it, items and their files outlive both. Fails with `not_found`
    /// for nodes and changesets that the branch does not show to its principal.
    virtual Result<std::unique_ptr<ContentSource>> open(Context& context,
                                                        const ContentSelection& selection,
                                                        ContentOmissions& omissions) = 0;
    /// Says that content is to come into repositories which the context makes from now on, so that
    /// as much can come as into others. Where it has made some already, nothing changes. Waits: not
    /// on a thread that serves connections.
    virtual Result<void> expect(Context& context) = 0;
    /// Brings it in, as one changeset, or none where nothing is new. Walks the source several
    /// times. Of several versions the last one comes; what was deleted does not, and nothing is
    /// deleted. A record without `_is_association` is an association where it says both ends and
    /// what is between them; `_existing` and `_key` are those of
    /// docs/specification/merge_and_transfer.md 5.2. Failures are those of the writes, with the id
    /// of the item in the message; `too_large` (`nodes.import_too_large`) for more nodes and
    /// associations than one import may bring (docs/reference/transfer.md); `conflict`
    /// (`nodes.import_overtaken`) where others write to the branch again and again. What comes to
    /// more than a thousand goes into the store while the context lives, and shows with its commit.
    virtual Result<ContentReport> import(Context& context, ContentSource& source,
                                         const ContentTarget& target) = 0;
    /// For what takes long in an operation that brings content in, between two of its steps, while
    /// it walks nothing that the context shows: the transaction goes on to the present state
    /// (`MovableSnapshot`) unless it has begun a changeset that it holds in memory. `import` does
    /// so itself between the items that it gets; a source that gives none for seconds does it, on
    /// the thread that has called `import`. `conflict`: the operation is to be done again, which
    /// the kernel does.
    virtual Result<void> move_on(Context& context) = 0;
};

}  // namespace stele::sdk

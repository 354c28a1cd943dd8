#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/descriptor.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/operation_hooks.hpp>
#include <stele/sdk/record_space.hpp>

namespace stele::sdk {

enum class ChangeKind { create, update, remove };

/// One write of one record on its way into the store.
struct Change {
    ChangeKind kind;
    CollectionName collection;
    /// The record before; null on create.
    const Document* before = nullptr;
    /// The record as it will be; null on remove. Secret members lie in `secrets`.
    Document* after = nullptr;
};

/// A record that belongs to another one under a name, wherever it lies: the stack of a project, the
/// data stores of a stack, the master branch of a repository.
struct Companion {
    std::string name;
    RecordKey record;
};

/// A resource family: a descriptor, and what it cannot say. Every hook has a default that does
/// nothing, so a family states only differences. Methods may run concurrently.
///
/// Order on every write (docs/request-life.md): authenticate, authorize, decode, defaults and types
/// of declared fields, `check_writable`, `prepare`, `validate`, store, commit, `notify`.
class Resource {
public:
    virtual ~Resource();

    virtual ResourceDescriptor describe() const = 0;

    /// Whether the record may be written as it is now, whatever rights say: it is locked, or what
    /// it lies in takes no writes. Before every create, update and removal, also those by the
    /// server, and before single members are set (`Documents::patch`), which runs no `prepare`.
    /// `change.after` is what came in. Must not edit or write anything. A refusal ends the write,
    /// but for a removal that is past refusing, as with `prepare`.
    virtual Result<void> check_writable(const Change& change, Context& context);
    /// May edit `change.after` and write other records through the context. On remove: the place to
    /// remove what depends on the record, or to refuse with `conflict`. A record that goes because
    /// its container was removed is past refusing when the container held many: then a refusal is
    /// logged. The container's family refuses for those inside where it matters.
    virtual Result<void> prepare(Change& change, Context& context);
    /// Adds what is wrong with the document; must not edit anything.
    virtual void validate(const Change& change, Context& context, Violations& violations);
    /// Records that leave with this one when it is exported, and stand for those of the same names
    /// when it is imported: what a new record brings along is not made a second time. What lies in
    /// the record leaves with it anyway; it is a companion where the server makes it.
    virtual Result<std::vector<Companion>> companions(Context& context, const Document& record);
    /// Makes a record the companion of that name, with the rights of whoever acts.
    virtual Result<void> accompany(Context& context, const Document& record,
                                   const Companion& companion);
    /// Which secrets of a record leave it with an export, sealed with a passphrase of whoever acts,
    /// who holds MODIFY_CREDENTIALS on it. `secrets` has the secret fields that clients write; the
    /// family adds what only the server writes, and takes away what needs more than that
    /// permission.
    virtual Result<void> complete_secrets(Context& context, const Document& record, Json& secrets);
    /// Gives a record what `complete_secrets` has added to one like it, with the rights of whoever
    /// acts, who holds MODIFY_CREDENTIALS on it and may have made `secrets` up. False where it
    /// cannot have them, and then it stays as it is.
    virtual Result<bool> restore_secrets(Context& context, const Document& record,
                                         const Json& secrets);
    /// In the transaction, once the record is stored and has its key: memberships, aliases, grants.
    virtual Result<void> stored(const Change& change, Context& context);
    /// After the commit, where the descriptor says `notified`; the record may have changed again
    /// meanwhile. Must not fail.
    virtual void notify(const Change& change);
    /// Where `Creating::is_placed`, before a create makes a record: takes out of `fields`, an
    /// object, what is none of its members, adds what parameters say of it, and answers where the
    /// record goes, as `place` understands it; null: nowhere in particular. For each record of a
    /// call by itself. Must not write anything: the id is not known yet.
    virtual Result<Json> locate(const Call& call, const Parameters& parameters, Json& fields);
    /// Once it is made, in the same transaction, unless `locate` answered null: puts the record
    /// there, under parents that it may make. The caller's right to create was checked on the
    /// container only: what the parents need is asked here (`forbidden`). Answers the record if it
    /// was changed. Its failure, like that of `locate`, ends the create.
    virtual Result<std::optional<Document>> place(const Call& call, const Document& record,
                                                  const Json& where);
    /// Where `Creating::takes_forms`: puts the bytes of a file where attachments of such records
    /// lie. The record is not made yet, nor may ever be: bytes that no record names are collected.
    virtual Result<Attachment> keep_file(const Call& call, const IncomingFile& file,
                                         const PieceSource& read);
    /// Once for each form, when all its records are made: gives these their files. Empty where the
    /// form had JSON only.
    virtual Result<void> attach(const Call& call, const std::vector<FiledRecord>& files);

    /// Where `Reading::is_shown`: what a read answers of the addressed record. The caller may READ
    /// that one; of others that it looks at the family asks (`not_found`). Its tag serves
    /// `If-Match` and is never answered by 304, because what is computed changes without it.
    virtual Result<ShownRecord> show(const Call& call);
    /// Before a list or a query of the collection is parsed: may rename and add what is asked for.
    /// `query` is an object in the query language (docs/reference/query-language.md).
    virtual Result<void> complete_query(const Call& call, Json& query);
    /// Where `Listing::has_own_rows`: the rows of the list, which the kernel sorts and cuts as the
    /// call asks. Only what the caller may READ; for hundreds of rows, not for millions.
    virtual Result<std::vector<Json>> rows(const Call& call);

    /// Adds to a record on its way out, for the query parameters of `presented_by`.
    virtual Result<void> present(const Call& call, Json& record);
    /// What a reference with one of the descriptor's `inner_words` names in a record, which whoever
    /// acts may READ; `not_found` when there is nothing that it may read. `ids` are those behind
    /// the record's own, separated by slashes.
    virtual Result<Json> read_inner(Context& context, const Document& record, std::string_view word,
                                    std::string_view ids);
    /// Adds to `_system` of a record that is about to be stored: what it adds comes last. `system`
    /// has who made and who changed it.
    virtual Result<void> complete_system(const Change& change, Context& context, Json& system);

    /// Where the descriptor says `has_space`: what the collection shows, as a reader of its keys;
    /// other keys are passed on to `store`, which outlives it and may be a transaction: what that
    /// has written shows. Fails like reads do; `not_found` when the container is gone.
    virtual Result<std::unique_ptr<Reader>> read_space(const Reader& store,
                                                       const SpaceCollection& collection);
    /// The same for writes; lives until the context ends, is not committed by itself, and shows
    /// what it has written, also in readers that `read_space` opens on the context's transaction.
    virtual Result<Transaction*> write_space(Context& context, const SpaceCollection& collection);
    /// By how many bytes the text that such a reader shows of a record is longer than the text that
    /// was written, so that data stores take away what they added.
    virtual std::int64_t added_by_space(const Document& record);

    /// Roles that a record gives by what it says, beside grants: keys of built-in roles.
    virtual Result<std::vector<std::string>> roles_of(const Reader& store,
                                                      const SpaceCollection& collection,
                                                      const RecordKey& record,
                                                      const RecordKey& principal);
    /// Records of the same collection from which rights reach this one, however far: the folders
    /// that a node lies in. Without the record itself, nearest first, each once.
    virtual Result<std::vector<RecordKey>> inherits_from(const Reader& store,
                                                         const SpaceCollection& collection,
                                                         const RecordKey& record);

    /// Where the descriptor says `has_space`: containers of the same family through which a record
    /// came into its own one, nearest first, to the one that it was made in; none where that is its
    /// own. A record has the same id in all of them. Rights on it are those that it has there, and
    /// what was granted here by somebody who has them there.
    virtual Result<std::vector<RecordKey>> origins_of(const Reader& store,
                                                      const SpaceCollection& collection,
                                                      const RecordKey& record);
    /// The same for whatever the collection may hold.
    virtual Result<std::vector<RecordKey>> origins_inside(const Reader& store,
                                                          const SpaceCollection& collection);

    /// With the fact `path` of `ResourceDescriptor::policy_facts`: every path of the record,
    /// whoever asks. Fails where there are too many.
    virtual Result<std::vector<std::string>> paths_of(const Reader& store,
                                                      const SpaceCollection& collection,
                                                      const RecordKey& record);
    /// Records that bound policies (`ResourceDescriptor::bounds_policies`) and that this one lies
    /// in: the projects of a stack.
    virtual Result<std::vector<RecordKey>> bounded_by(const Reader& store, const RecordKey& record);
};

}  // namespace stele::sdk

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/authorities.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::sdk {

class Context;
class DataStores;
/// What the server keeps of a context; it alone knows what that is.
struct ServerContext;

/// What a plugin keeps for one operation, in one context: changes that it gathers.
class ContextPart {
public:
    virtual ~ContextPart();
    /// Before the commit of an operation that has succeeded; a failure becomes the operation's.
    virtual Result<void> finish(Context& context);
    /// After the commit, before the reply leaves: may put into its text what only the commit knew
    /// (`Transaction::stamp`). Not for streamed bodies.
    virtual void complete(const Transaction& committed, std::string& body);
};

/// Who acts, and the one transaction in which an operation reads and writes. The kernel makes it
/// before a handler runs and commits it after the handler succeeded; a conflict runs the handler
/// again from the start with a new context. Hence: no effects outside the context, except through
/// `after_commit`. One thread at a time.
class Context {
public:
    virtual ~Context();

    virtual const Session& session() const = 0;
    const PlatformScope& platform() const { return session().platform; }
    const Principal& principal() const { return session().principal; }

    virtual Documents& documents() = 0;
    virtual Authorities& authorities() = 0;
    virtual DataStores& data_stores() = 0;

    /// The transaction itself, for what is no document. Keys must begin with `key_space(...)`.
    virtual Transaction& transaction() = 0;
    /// Prefix of the keys that a plugin keeps for the context's platform under `name`, which begins
    /// with the plugin's id (`access_policies.assignment`).
    virtual std::string key_space(std::string_view name) = 0;
    /// The same for what belongs to no platform (tokens that are looked up before it is known).
    virtual std::string shared_key_space(std::string_view name) = 0;

    /// The part that was kept under the name, null when none was. Contexts of one transaction
    /// (`as_system`) share their parts.
    virtual ContextPart* part(std::string_view name) = 0;
    /// Keeps a part under a name that begins with the plugin's id, until the transaction ends.
    virtual void keep(std::string_view name, std::unique_ptr<ContextPart> part) = 0;

    /// Runs `effect` once, after the commit, outside of any transaction.
    virtual void after_commit(std::function<void()> effect) = 0;

    /// The wire reference of a record: `uiconfig://P/id`, `user://P/D/id`
    /// (docs/specification/platform.md 17).
    virtual Result<std::string> reference(const RecordKey& record) = 0;
    /// The record of a reference, compared without regard to case; `not_found` when there is none
    /// on this platform, `invalid` when it is no reference.
    virtual Result<RecordKey> find_reference(std::string_view reference) = 0;
    /// What a reference names, as JSON: the fields of a record, or what lies in one
    /// (`ResourceDescriptor::inner_words`). `not_found` also where whoever acts may not READ the
    /// record.
    virtual Result<Json> read_reference(std::string_view reference) = 0;

    /// The same platform and transaction, acting as the server: passes every check.
    virtual Context& as_system() = 0;

    /// Fails (`unavailable`, `http.budget_spent`) once the caller has gone away or the time that a
    /// request may take is over. What computes long asks now and then; records and rights that are
    /// looked at through the context ask by themselves. The work of a job ends when it must stop
    /// (`job.stopped`).
    virtual Result<void> go_on() const;

    /// How often the work was begun before and met a conflict at its commit. What is long meets
    /// more of them, and can leave something to a job when it has begun often enough. Any thread.
    virtual std::size_t attempt() const { return 0; }

    /// By it the services of the server know the context again; null in fakes of tests.
    virtual ServerContext* of_server() { return nullptr; }
};

/// Whether whoever acts has all of the permissions on the record; the server itself has every one.
/// Fails like `Authorities::permissions`.
[[nodiscard]] Result<bool> holds(Context& context, const RecordKey& record,
                                 PermissionSet permissions);
[[nodiscard]] Result<bool> holds(Context& context, const RecordKey& record, Permission permission);

/// What was found, where whoever acts may READ it; nothing when there is none, or none for them.
[[nodiscard]] Result<std::optional<Document>> if_readable(Context& context, Result<Document> found);

}  // namespace stele::sdk

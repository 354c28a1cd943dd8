#pragma once

#include <string_view>

#include <stele/sdk/descriptor.hpp>

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

/// A resource family: a descriptor, and what it cannot say. Every hook has a default that does
/// nothing, so a family states only differences. Methods may run concurrently.
///
/// Order on every write (docs/request-life.md): authenticate, authorize, decode, defaults and types
/// of declared fields, `prepare`, `validate`, store, commit, `notify`.
class Resource {
public:
    virtual ~Resource();

    virtual ResourceDescriptor describe() const = 0;

    /// May edit `change.after` and write other records through the context. On remove: the place to
    /// remove what depends on the record, or to refuse with `conflict`. A record that goes because
    /// its container was removed is past refusing when the container held many: then a refusal is
    /// logged. The container's family refuses for those inside where it matters.
    virtual Result<void> prepare(Change& change, Context& context);
    /// Adds what is wrong with the document; must not edit anything.
    virtual void validate(const Change& change, Context& context, Violations& violations);
    /// In the transaction, once the record is stored and has its key: memberships, aliases, grants.
    virtual Result<void> stored(const Change& change, Context& context);
    /// After the commit, where the descriptor says `notified`; the record may have changed again
    /// meanwhile. Must not fail.
    virtual void notify(const Change& change);
    /// Adds to a record on its way out, for the query parameters of `presented_by`.
    virtual Result<void> present(const Call& call, Json& record);
};

}  // namespace stele::sdk

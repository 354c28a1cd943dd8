#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/page.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::sdk {

/// Names a collection on the platform of the context: a resource type inside one container.
struct CollectionName {
    std::string type;
    /// `_doc` of the container; empty when the platform itself is the container.
    std::string container;
    /// Key of the container's record. An id is unique inside its collection only, so this is needed
    /// where the container lies in a container itself; it decides wherever it is given, and then
    /// `container` may be empty. `Call::collection` and `Change::collection` have both.
    RecordKey container_key = {};
};

/// A stored record as a plugin sees it.
struct Document {
    RecordKey key;
    std::string id;
    /// Grows with every update; the ETag is made of it.
    std::uint64_t version = 0;
    /// Everything that a reader gets, `_doc` and `_system` included; secret fields are not in it.
    Json fields;
    /// Secret fields in clear; an object, empty when there are none. Never put it into a reply.
    Json secrets;
};

struct DocumentPage {
    std::vector<Document> rows;
    std::uint64_t total_rows = 0;
    std::uint64_t offset = 0;
};

/// Reads and writes records inside the transaction of a context. Writes run the resource's hooks
/// and take part in the commit of the operation; nothing is visible to others before. Permissions
/// are not checked here: the kernel has checked the operation's own, a plugin that touches other
/// records asks `Authorities`. Not for several threads.
///
/// Failures: `not_found` (`document.unknown`), `conflict` (`document.id_taken`,
/// `document.value_taken`), `invalid` with violations, and what the engine says.
class Documents {
public:
    virtual ~Documents();

    virtual Result<Document> read(const CollectionName& collection, std::string_view id) = 0;
    /// The same for whoever only looks at it, and may look at it again in many operations: it is
    /// opened once for all of them, until it changes. Never null.
    virtual Result<std::shared_ptr<const Document>> look_at(const CollectionName& collection,
                                                            std::string_view id) = 0;
    /// By its key, whatever collection it lies in, on the context's platform or another.
    virtual Result<Document> read(const RecordKey& key) = 0;
    /// The JSON of such a record as readers get it, for whoever only looks for something in it.
    virtual Result<std::string> read_text(const RecordKey& key) = 0;

    /// `query` is a document of the query language (docs/reference/query-language.md).
    virtual Result<DocumentPage> query(const CollectionName& collection, const Json& query,
                                       const PageRequest& page = {}) = 0;

    /// Whether whoever acts may READ every record of the collection, so that nobody needs to ask
    /// record by record. False says nothing about any of them.
    virtual Result<bool> reads_all(const CollectionName& collection) = 0;

    /// A `_doc` among the fields becomes the id; otherwise one is made. Members named like secret
    /// fields are sealed. The creator becomes owner.
    virtual Result<Document> create(const CollectionName& collection, Json fields) = 0;
    /// The same without the roles that the family gives on every new record, and not refused by the
    /// `maxsize` of its store: for what the server keeps for itself.
    virtual Result<Document> create_hidden(const CollectionName& collection, Json fields) = 0;
    /// Replaces all fields but the system's, the read-only and the immutable ones.
    virtual Result<Document> update(const CollectionName& collection, std::string_view id,
                                    Json fields) = 0;
    /// Sets single members, read-only and secret ones included, without running `prepare` and
    /// `validate`: for what a plugin itself keeps on a record. `check_writable` runs.
    virtual Result<Document> patch(const CollectionName& collection, std::string_view id,
                                   const Json& members) = 0;
    /// Removes the record, its grants and the collections that it contains.
    virtual Result<void> remove(const CollectionName& collection, std::string_view id) = 0;

    /// Another name for the record in its collection's paths (`primary`). Replaces an older
    /// meaning.
    virtual Result<void> set_alias(const CollectionName& collection, std::string_view alias,
                                   std::string_view id) = 0;
    /// Takes such a name away from the record; fine where it means another one, or nothing.
    virtual Result<void> remove_alias(const CollectionName& collection, std::string_view alias,
                                      std::string_view id) = 0;
};

}  // namespace stele::sdk

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/permission.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/shape.hpp>

namespace stele::sdk {

class Resource;

enum class FieldKind { any, text, integer, number, boolean, object, array, timestamp };

/// One declared member of a resource. Members that are not declared are kept as they come, stay
/// queryable and are indexed: records are open documents.
struct Field {
    std::string name;
    FieldKind kind = FieldKind::any;
    /// Kind of the elements of an array.
    FieldKind items = FieldKind::any;
    /// JSON text of the value that a create without the member gets; empty: none.
    std::string default_json = {};
    bool required = false;
    /// Set by the server; ignored in bodies.
    bool read_only = false;
    /// Taken from the create; an update keeps it, whatever its body says. Not for secrets.
    bool immutable = false;
    /// Sealed at rest, never logged, never returned, not queryable.
    bool secret = false;
    /// No two records of a collection have the same value; `conflict` otherwise.
    bool unique = false;
    /// A record can be addressed by this field's value in place of its id. Implies `unique`.
    bool addresses = false;
    /// Given out by the family's `present` only, to whom it likes: no other reply has it, and no
    /// condition or order of a request can ask for it.
    bool withheld = false;
    /// Left out of the automatic indexes; queries still find it, by scanning.
    bool unindexed = false;
    /// Text that holds an integer is accepted too: a field of kind `integer` or `number` becomes
    /// the number, one of kind `text`, which also takes an integer, is kept as it came.
    bool numeric_text = false;
    /// Allowed values; empty: any.
    std::vector<std::string> one_of = {};
    /// Most entries of an array; 0: as many as fit into a body.
    std::size_t most = 0;
};

using Fields = std::vector<Field>;

/// Standard operations (docs/specification/interface.md 5.2).
struct Operations {
    bool create = true;
    bool list = true;
    bool query = true;
    /// `GET {C}/query`: the query as JSON text in the parameter `query`.
    bool query_by_get = false;
    bool read = true;
    bool update = true;
    bool remove = true;
    bool permissions = true;
    /// Export and import, routed when a plugin publishes `RecordTransfer`. A family without them is
    /// not in an export of its container either.
    bool transfer = true;
};

/// Which permission each standard operation needs. `create`, `list`, `query` and `check_many` are
/// checked on the container, the others on the record. Rows of lists need `read` on each record.
struct OperationPermissions {
    Permission create = Permission::create_subobjects;
    Permission list = Permission::connect;
    Permission query = Permission::connect;
    Permission read = Permission::read;
    Permission update = Permission::update;
    Permission remove = Permission::remove;
    Permission grant = Permission::modify_permissions;
    Permission check = Permission::connect;
    Permission check_many = Permission::connect;
    Permission transfer_out = Permission::read;
    Permission transfer_in = Permission::update;
};

/// Where an action is found: below the record's path, below the collection's, or at a path of its
/// own that no resource owns.
enum class ActionScope { item, collection };

struct Parameter {
    std::string name;
    bool required = false;
    /// What its text holds: text, an integer, a number, a boolean; an object or an array as JSON.
    FieldKind kind = FieldKind::text;
    /// Allowed values, for the description; empty: any.
    std::vector<std::string> one_of = {};
};

/// What the JSON body of an operation is.
enum class BodyUse {
    /// What the operation is told: scalar members named in `parameters` are parameters, and no
    /// array in it, however deep, has more than `kMaxBodyEntries` entries unless a `Bound` says
    /// so.
    parameters,
    /// A record, or a part of one: its members are the record's and never parameters.
    record,
    /// A query document: its members are fields and never parameters.
    condition,
};

inline constexpr std::size_t kMaxBodyEntries = 1000;

/// How many entries an array (or an object that is used like one) in a body may have; the kernel
/// refuses more (`request.too_many_entries`, naming the member) before the handler runs.
struct Bound {
    /// A member of the body; empty: the body itself, where it is an array.
    std::string member;
    std::size_t most = kMaxBodyEntries;
    /// The entries are records or queries: what lies in them has no bound of its own.
    bool holds_records = false;
};
using Bounds = std::vector<Bound>;

/// `{C}/name` or `{I}/name`. `run` is made by `action<&Family::method>()`.
struct Action {
    std::string
        name;  ///< may hold placeholders and slashes: `members/add`, `templates/{templateKey}`;
               ///< empty: the path itself, where the standard operation there is switched off
    std::string method = "POST";
    ActionScope scope = ActionScope::item;
    /// Needed on the record, or on the container for collection actions.
    Permission permission = Permission::read;
    std::function<Result<Reply>(Resource&, const Call&)> run = {};
    std::vector<Parameter> parameters = {};
    bool paged = false;
    /// Waits for something other than the local store, or computes long: runs on a worker.
    bool slow = false;
    /// The body need not be JSON: `Call::raw_body` has it, and `Call::body` only where it is JSON.
    bool raw_body = false;
    /// The body may be a JSON array, too; of the others it is refused.
    bool array_body = false;
    /// The body may be large: `Call::upload` reads it piece by piece, `raw_body` and `body` stay
    /// empty. Runs on a worker.
    bool streamed_body = false;
    BodyUse body = BodyUse::parameters;
    Bounds bounds = {};
    /// What the path names inside the record has an ETag of its own (an attachment): the handler
    /// asks `check_if_match`. Everywhere else below a record, writes with an `If-Match` that does
    /// not name the record's tag are refused before they run.
    bool has_own_tag = false;
    /// Takes something away and keeps nothing new that may be large: when the disk is full, its
    /// commit may use what the store holds back (docs/decisions/0113). Standard removals may
    /// anyway.
    bool urgent = false;
    /// The body, where it is more than parameters. Not told: an object, or bytes.
    Shape takes = {};
    /// The body of the reply. Not told: an object.
    Shape answers = {};
};

using Actions = std::vector<Action>;

/// What the standard create takes and does beyond one object that becomes a record.
struct Creating {
    /// Read by `Resource::locate`, from the query string or a form.
    std::vector<Parameter> parameters = {};
    /// `Resource::locate` and `place` say and see to where new records go: the folders of a node.
    bool is_placed = false;
    /// How many records an array of objects, or a form, makes; all or none of them, and the answer
    /// is a page of them in their order. 0: one object only.
    std::size_t most = 0;
    /// A form (`multipart/form-data`) makes a record of each of its files: a JSON object is its
    /// members, any other file becomes an attachment of a record without members
    /// (`Resource::keep_file`). Parts without a file name are parameters;
    /// `property{index}__{name}` is a member of the record of that number. Needs `most`.
    bool takes_forms = false;
};

/// How the standard list of a family differs.
struct Listing {
    std::vector<Parameter> parameters = {};
    /// Takes the parameter `query` as `GET {C}/query` does.
    bool takes_query = false;
    /// Its rows are those of `Resource::rows`, not the records of the collection.
    bool has_own_rows = false;
};

/// How the standard query of a family differs.
struct Querying {
    /// Other names of the query, below the collection (`query/deep`).
    std::vector<std::string> aliases = {};
};

/// How the standard read of a family differs.
struct Reading {
    std::vector<Parameter> parameters = {};
    /// Answers what `Resource::show` makes of the record: another record by a path, a translation,
    /// members that are computed.
    bool is_shown = false;
};

/// Roles that a new record gives, beside `owner` to its creator.
struct DefaultGrant {
    enum class To { everyone, itself };
    To to = To::everyone;
    std::string role_key;
};

/// A composite index: equality on all fields but the last, order by the last, with exact counts per
/// equality prefix. Single fields are indexed anyway.
using CompositeIndex = std::vector<std::string>;

/// What a family can do beyond the standard operations; the kernel derives fields, operations and
/// rules from it.
struct Capabilities {
    /// Its records are data stores: the fields of `data_store_fields()`, `{I}/lock`, `{I}/unlock`,
    /// `{I}/stats` and `{I}/info`, sizes, `maxsize`, `enableAuthorities` and
    /// `binaryStorageProviderType` (docs/reference/data-stores.md). At the platform's level only.
    bool data_store = false;
    /// Its records have teams: `{I}/teams`, and the team `owners` with the creator from the
    /// beginning (docs/reference/teams.md). Every data store has.
    bool teams = false;
    /// Its records have custom roles: `{I}/roles`. Every data store has.
    bool roles = false;
    /// Roles with READ that were granted on a record count for everything inside it, too, except
    /// those of `everyone`. On other families' records only `owner` and roles of teams do
    /// (docs/reference/authorities.md).
    bool reaching_grants = false;
    /// Its records have attachments: `{I}/attachments`, kept by the kernel
    /// (docs/reference/attachments.md). Never those of a family with a space, which keeps its own
    /// with the versions of its records.
    bool attachments = true;
};

/// Declares a resource family; the kernel derives the standard operations with their aliases,
/// permission checks, pages and the OpenAPI document from it (docs/specification/architecture.md
/// 3). A wrong one stops start-up with a sentence that names the member.
struct ResourceDescriptor {
    /// Type id on the wire and in references (`uiconfig`).
    std::string type;
    /// Type id of the container; `platform` for platform-level resources.
    std::string container = "platform";
    /// Collection path below the container's instance path, no slash at either end. Placeholders
    /// in it name read-only text fields: each of their values has a part of the collection to
    /// itself, whose records say that value, and where a field that addresses records holds the
    /// values and the name, with slashes between. Such a family contains no other.
    std::string path;
    /// Name of the instance placeholder (`uiConfigId`).
    std::string placeholder;
    /// Other words for `path`, in the paths of contained families, too (`n` for `nodes`).
    std::vector<std::string> path_aliases = {};
    /// Member of each record that holds the container's id (`applicationId`); empty: none.
    std::string container_member = {};
    Fields fields = {};
    Capabilities capabilities = {};
    Operations operations = {};
    OperationPermissions permissions = {};
    Creating creating = {};
    Listing listing = {};
    Querying querying = {};
    Reading reading = {};
    Actions actions = {};
    std::vector<DefaultGrant> default_grants = {};
    std::vector<CompositeIndex> composite_indexes = {};
    /// Records lie in a space that `Resource::read_space` and `write_space` open; the collections
    /// of one container share it. Rights are those of records like any other. Such a family
    /// contains no other.
    bool has_space = false;
    /// Members that an export leaves out, and an import too: they name what the server keeps for
    /// the record where it is.
    std::vector<std::string> unmoved_members = {};
    /// A creator does not become owner by a grant: the family's `Resource::roles_of` tells.
    bool is_ungranted = false;
    /// What conditions of policies may ask of its records: `path`, `changeset`, `qname`,
    /// `type-qname`, `feature`, `definition`.
    std::vector<std::string> policy_facts = {};
    /// Policies of scope `project` are bounded by its records.
    bool bounds_policies = false;
    /// Bulk checks of its records are below their container's path, too.
    bool checks_at_container = false;
    /// `Resource::notify` is called after commits.
    bool notified = false;
    /// Query parameters on which replies with records are passed through `Resource::present`.
    std::vector<std::string> presented_by = {};
    /// Every reply with records is passed through it.
    bool is_presented = false;
    /// Query parameters of a list that filter by equality with the member of the same name.
    std::vector<std::string> list_filters = {};
    /// Word before `://` in references when it is not the type (`user` and `group` for principals
    /// come from the member named here): empty, the type.
    std::string reference_type_member = {};
    /// Further words that lead to its records.
    std::vector<std::string> reference_words = {};
    /// Words of references to what lies in a record and is none itself, as a changeset in its
    /// repository: `word://platform/ids of the record/...`. `Resource::read_inner` reads it. The
    /// word may be that of another family: then its records come first.
    std::vector<std::string> inner_words = {};
    /// Writes compute long (password hashes): they and actions but GET run on a worker.
    bool slow_writes = false;
    /// Family name in the OpenAPI document and in docs; empty: the path.
    std::string title = {};
};

namespace detail {
template <class T>
struct MethodOwner;
template <class C>
struct MethodOwner<Result<Reply> (C::*)(const Call&)> {
    using type = C;
};
}  // namespace detail

/// Binds a member function to an action: `.run = action<&EmailProvider::send>()`.
template <auto Method>
std::function<Result<Reply>(Resource&, const Call&)> action() {
    using Owner = typename detail::MethodOwner<decltype(Method)>::type;
    return [](Resource& resource, const Call& call) {
        return (static_cast<Owner&>(resource).*Method)(call);
    };
}

}  // namespace stele::sdk

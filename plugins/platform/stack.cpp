#include "stack.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/members.hpp>

#include "collections.hpp"
#include "log_operations.hpp"
#include "stack_stores.hpp"

namespace stele::platform {

namespace {

constexpr std::array<std::string_view, 7> kStoreTypes{
    "application", "directory", "domain", "registrar", "repository", "vault", "webhost"};

sdk::Error unknown_store(std::string_view type, std::string_view id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           "there is no " + std::string(type) + " " + std::string(id));
}

/// A store that the caller may read.
sdk::Result<sdk::Document> find_store(sdk::Context& context, std::string_view type,
                                      std::string_view id) {
    if (std::find(kStoreTypes.begin(), kStoreTypes.end(), type) == kStoreTypes.end()) {
        return sdk::invalid_parameter("type", "must be a type of data stores");
    }
    auto store = sdk::if_readable(context, context.documents().read({std::string(type), ""}, id));
    if (!store) return store.error();
    if (!*store) return unknown_store(type, id);
    return **std::move(store);
}

/// The stack's owners own the store from now on, and nobody gives more than it has.
sdk::Result<void> put_into(sdk::Context& context, const sdk::RecordKey& stack, std::string_view key,
                           const sdk::Document& store) {
    auto owned = sdk::require_inside(
        context, store.key, sdk::PermissionSet::all(), "platform.store_not_owned",
        "only owners of data store " + store.id + " can put it into a stack");
    if (!owned) return owned;
    return StackStores(context).assign(stack, key, store.key);
}

/// A store with what the caller may know of it; nothing where it may not READ it.
sdk::Result<std::optional<sdk::Document>> known_store(sdk::Context& context,
                                                      const sdk::RecordKey& key) {
    auto store = sdk::if_readable(context, context.documents().read(key));
    if (!store || !*store) return store;
    auto reference = context.reference(key);
    if (!reference) return reference.error();
    auto known = context.read_reference(*reference);
    if (!known) return known.error();
    (*store)->fields = *std::move(known);
    return store;
}

/// A store's record as a stack shows it.
sdk::Json presented(const sdk::Document& store, std::string_view shown_id) {
    sdk::Json row = store.fields;
    row["_doc"] = shown_id;
    row["datastoreId"] = store.id;
    return row;
}

}  // namespace

namespace {

constexpr char kStack[] = "stack";

/// A record of one of the families of `kStoreTypes`.
sdk::Shape store_shape() {
    return sdk::shape::object(
        {{"_doc", sdk::shape::text()}, sdk::shape::optional("datastoreId", sdk::shape::text())});
}

sdk::Actions store_actions() {
    using sdk::action;
    constexpr auto kUpdate = sdk::Permission::update;
    const std::vector<std::string> types(kStoreTypes.begin(), kStoreTypes.end());
    const sdk::Shape page = sdk::shape::page(store_shape());
    return {
        {.name = "datastores/assign",
         .permission = kUpdate,
         .run = action<&Stack::assign>(),
         .parameters = {{"type", true, sdk::FieldKind::text, types}, {"id", true}, {"key"}},
         .answers = sdk::shape::changed()},
        {.name = "datastores/unassign",
         .permission = kUpdate,
         .run = action<&Stack::unassign>(),
         .parameters = {{"key", true}},
         .urgent = true,
         .answers = sdk::shape::changed()},
        {.name = "datastores",
         .method = "GET",
         .run = action<&Stack::list_stores>(),
         .paged = true,
         .slow = true,
         .answers = page},
        {.name = "datastores/query",
         .run = action<&Stack::list_stores>(),
         .paged = true,
         .slow = true,
         .answers = page},
        {.name = "datastores/exists",
         .run = action<&Stack::exists>(),
         .parameters = {{"key", true}},
         .answers = sdk::shape::status({{"exists", sdk::shape::boolean()}})},
        {.name = "datastores/{key}",
         .method = "GET",
         .run = action<&Stack::read_store>(),
         .answers = store_shape()},
        {.name = "find/{type}/{id}",
         .method = "GET",
         .scope = sdk::ActionScope::collection,
         .permission = sdk::Permission::connect,
         .run = action<&Stack::find>(),
         .answers = sdk::shape::record(kStack)},
    };
}

/// No server belongs to one stack: these show what /logs shows.
sdk::Actions log_actions() {
    using sdk::action;
    const sdk::Shape page = sdk::shape::page(LogOperations::row());
    return {
        {.name = "logs",
         .method = "GET",
         .run = action<&Stack::query_logs>(),
         .paged = true,
         .slow = true,
         .answers = page},
        {.name = "logs/query",
         .run = action<&Stack::query_logs>(),
         .paged = true,
         .slow = true,
         .answers = page},
        {.name = "logs/logfile",
         .method = "GET",
         .run = action<&Stack::read_log_file>(),
         .answers = sdk::shape::bytes(LogOperations::kFileType)},
        {.name = "logs/{logId}",
         .method = "GET",
         .run = action<&Stack::read_log_entry>(),
         .answers = LogOperations::entry()},
    };
}

}  // namespace

sdk::ResourceDescriptor Stack::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{{.name = "title", .kind = text},
                             {.name = "description", .kind = text},
                             {.name = "key", .kind = text}};
    sdk::Actions actions = store_actions();
    const sdk::Actions of_logs = log_actions();
    actions.insert(actions.end(), of_logs.begin(), of_logs.end());
    return {.type = kStack,
            .path = "stacks",
            .placeholder = "stackId",
            .fields = fields,
            .capabilities = {.teams = true, .roles = true},
            .actions = actions,
            .title = "stacks"};
}

sdk::Result<void> Stack::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) return {};
    sdk::PageRequest first;
    first.limit = 1;
    auto users = context.documents().query(kProjects, {{"stackId", change.before->id}}, first);
    if (!users) return users.error();
    if (users->total_rows > 0) {
        return sdk::make_error(sdk::ErrorKind::conflict, "platform.stack_in_use",
                               "the project " + users->rows.front().id + " uses the stack");
    }
    StackStores stores(context);
    auto assigned = stores.list(change.before->key);
    if (!assigned) return assigned.error();
    return stores.forget(*assigned, change.before->key);
}

sdk::Result<std::vector<sdk::Companion>> Stack::companions(sdk::Context& context,
                                                           const sdk::Document& stack) {
    auto assigned = StackStores(context).list(stack.key);
    if (!assigned) return assigned.error();
    std::vector<sdk::Companion> companions;
    for (StackStore& one : *assigned) {
        auto store = context.documents().read(one.store);
        // It was removed since.
        if (!store && sdk::is_missing(store.error())) continue;
        if (!store) return store.error();
        companions.push_back({std::move(one.key), std::move(one.store)});
    }
    return companions;
}

sdk::Result<void> Stack::accompany(sdk::Context& context, const sdk::Document& stack,
                                   const sdk::Companion& companion) {
    // The same that `datastores/assign` asks for.
    auto may = sdk::holds(context, stack.key, sdk::Permission::update);
    if (!may) return may.error();
    if (!*may) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                               "UPDATE on stack " + stack.id + " is needed for this");
    }
    auto reference = context.reference(companion.record);
    if (!reference) return reference.error();
    const std::string_view type = std::string_view(*reference).substr(0, reference->find(':'));
    if (std::find(kStoreTypes.begin(), kStoreTypes.end(), type) == kStoreTypes.end())
        return unknown_store("data store", companion.name);
    auto store = context.documents().read(companion.record);
    if (!store) return store.error();
    return put_into(context, stack.key, companion.name, *store);
}

sdk::Result<std::vector<sdk::RecordKey>> Stack::bounded_by(const sdk::Reader& store,
                                                           const sdk::RecordKey& record) {
    return projects_of_stack(store, record);
}

sdk::Result<sdk::Reply> Stack::assign(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const auto type = call.required_parameter("type");
    const auto id = call.required_parameter("id");
    if (!type) return type.error();
    if (!id) return id.error();
    auto store = find_store(context, *type, *id);
    if (!store) return store.error();
    const std::string key = call.parameter("key").value_or(store->id);
    if (key.empty()) return sdk::invalid_parameter("key", "must not be empty");
    auto assigned = put_into(context, call.record().key, key, *store);
    if (!assigned) return assigned.error();
    return sdk::Reply::status({{"_doc", call.record().id}});
}

sdk::Result<sdk::Reply> Stack::unassign(const sdk::Call& call) {
    const auto key = call.required_parameter("key");
    if (!key) return key.error();
    auto done = StackStores(call.context()).unassign(call.record().key, *key);
    if (!done) return done.error();
    return sdk::Reply::status({{"_doc", call.record().id}});
}

sdk::Result<sdk::Reply> Stack::list_stores(const sdk::Call& call) {
    auto assigned = StackStores(call.context()).list(call.record().key);
    if (!assigned) return assigned.error();
    std::vector<sdk::Json> rows;
    for (const StackStore& one : *assigned) {
        auto store = known_store(call.context(), one.store);
        if (!store) return store.error();
        if (*store) rows.push_back(presented(**store, one.key));
    }
    const sdk::Json everything = sdk::Json::object();
    return rows_.page(rows, call.method() == "POST" ? call.body() : everything, call.page());
}

sdk::Result<sdk::Reply> Stack::read_store(const sdk::Call& call) {
    const std::string key(call.path("key"));
    auto assigned = StackStores(call.context()).find(call.record().key, key);
    if (!assigned) return assigned.error();
    if (*assigned) {
        auto store = known_store(call.context(), **assigned);
        if (!store) return store.error();
        // Clients put this `_doc` into the store's own paths.
        if (*store) return sdk::Reply::json(presented(**store, (*store)->id));
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "platform.stack_key_unknown",
                           "the stack has no data store with the key " + key);
}

sdk::Result<sdk::Reply> Stack::exists(const sdk::Call& call) {
    const auto key = call.required_parameter("key");
    if (!key) return key.error();
    auto assigned = StackStores(call.context()).find(call.record().key, *key);
    if (!assigned) return assigned.error();
    bool is_there = false;
    if (*assigned) {
        auto store = sdk::if_readable(call.context(), call.context().documents().read(**assigned));
        if (!store) return store.error();
        is_there = store->has_value();
    }
    return sdk::Reply::status({{"exists", is_there}});
}

sdk::Result<sdk::Reply> Stack::find(const sdk::Call& call) {
    sdk::Context& context = call.context();
    auto store = find_store(context, call.path("type"), call.path("id"));
    if (!store) return store.error();
    auto stacks = StackStores(context).stacks_of(store->key);
    if (!stacks) return stacks.error();
    for (const sdk::RecordKey& key : *stacks) {
        auto stack = sdk::if_readable(context, context.documents().read(key));
        if (!stack) return stack.error();
        if (*stack) return sdk::Reply::json((*stack)->fields);
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "platform.stack_unknown",
                           "no stack holds the " + std::string(call.path("type")) + " " +
                               std::string(call.path("id")));
}

sdk::Result<sdk::Reply> Stack::query_logs(const sdk::Call& call) {
    return logs_.query(call);
}

sdk::Result<sdk::Reply> Stack::read_log_file(const sdk::Call& call) {
    return logs_.read_file(call);
}

sdk::Result<sdk::Reply> Stack::read_log_entry(const sdk::Call& call) {
    return logs_.read(call);
}

}  // namespace stele::platform

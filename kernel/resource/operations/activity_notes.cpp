#include "kernel/resource/operations/activity_notes.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/resource/record/record_fields.hpp"
#include "kernel/storage/engine/row_keys.hpp"

namespace stele::kernel::resource {

namespace {

using Object = audit::Activity::Object;

audit::Activity activity_of(const RequestInput& input) {
    audit::Activity activity;
    activity.type = input.route->operation;
    activity.route = input.route->method + " " + input.route->path;
    activity.path = input.path;
    activity.request_id = input.request_id;
    activity.remote_address = input.remote_address;
    activity.user = input.session->principal;
    activity.at_ms = sdk::now_ms();
    return activity;
}

/// The ids of a reference, outermost first, as text.
sdk::Result<std::string> container_ids(const RoutedCall& call, std::size_t count) {
    std::string ids;
    storage::Record record;
    for (std::size_t i = 0; i < count; ++i) {
        const sdk::RecordKey& key = call.containers()[i];
        auto found = call.services().records.read(call.work().transaction(), key, record);
        if (found) {
            ids += "/" + id_of(record);
        } else if (sdk::is_missing(found.error())) {
            ids += "/" + call.input().values[i];  // removed by the operation itself
        } else {
            return found.error();
        }
    }
    return ids;
}

/// What stands before `://`: the type, or what the family's own member says.
std::string word_of(const RegisteredResource& resource, const std::string& member_value) {
    return member_value.empty() ? resource.descriptor.type : sdk::lower_case(member_value);
}

std::string reference_text(const RoutedCall& call, const std::string& word,
                           const std::string& container_part, const std::string& id) {
    return word + "://" + call.context().platform().id + container_part + "/" + id;
}

/// The record that the operation made, or the one that it was asked about; empty where it was
/// neither.
sdk::Result<Object> object_of(const RoutedCall& call) {
    const RegisteredResource* resource = call.route().resource;
    if (!resource) return Object();
    Object object;
    std::string member_value;
    if (call.created()) {
        object.id = call.created()->id;
        member_value = call.created()->reference_word;
    } else if (call.route().is_item) {
        object.id = id_of(call.stored());
        const std::string& member = resource->descriptor.reference_type_member;
        if (!member.empty()) member_value = sdk::text_member(call.record().fields, member);
    } else {
        return Object();
    }
    auto containers = container_ids(call, call.containers().size());
    if (!containers) return containers.error();
    object.type = word_of(*resource, member_value);
    object.reference = reference_text(call, object.type, *containers, object.id);
    return object;
}

/// The data store that the operation acts in.
sdk::Result<Object> store_of(const RoutedCall& call, const Object& object) {
    const RegisteredResource* resource = call.route().resource;
    if (!resource || !resource->chain.front()->descriptor.capabilities.data_store) return Object();
    if (resource->chain.size() == 1) return object;
    if (call.containers().empty()) return Object();
    auto id = container_ids(call, 1);
    if (!id) return id.error();
    const std::string& type = resource->chain.front()->descriptor.type;
    return Object{type, id->substr(1), reference_text(call, type, "", id->substr(1))};
}

bool asks_for_audit_log(std::string_view text) {
    // Nearly no store does: parsing is for those that may.
    if (text.find(R"("enableAuditing":true)") == std::string_view::npos) return false;
    auto fields = sdk::parse_json(text, {.depth = 200});
    return fields && sdk::flag_member(*fields, "enableAuditing", false);
}

}  // namespace

/// Whether the audit log is on for everything, or the store asks for it.
sdk::Result<bool> ActivityNotes::is_wanted(const RoutedCall& call) const {
    if (audit_log_.is_enabled()) return true;
    const RegisteredResource* resource = call.route().resource;
    if (!resource || !resource->chain.front()->descriptor.capabilities.data_store) return false;
    if (resource->chain.size() == 1) {
        return call.route().is_item && asks_for_audit_log(call.stored().text());
    }
    storage::CollectionId collection;
    std::string_view sequence;
    if (call.containers().empty() ||
        !storage::split_record_key(call.containers().front(), collection, sequence)) {
        return false;
    }
    auto bytes = call.work().transaction().peek(storage::record_path(collection, sequence));
    if (!bytes) return bytes.error();
    if (!*bytes) return false;
    storage::Record store;
    store.collection = collection;
    store.sequence.assign(sequence);
    store.buffer() = std::move(**bytes);
    if (!store.decode()) return storage::broken_record(collection, store.sequence);
    return asks_for_audit_log(store.text());
}

sdk::Result<void> ActivityNotes::note_write(const RoutedCall& call) {
    if (call.route().is_open || call.context().session().is_system) return {};
    auto wanted = is_wanted(call);
    if (!wanted) return wanted.error();
    if (!*wanted) return {};
    audit::Activity activity = activity_of(call.input());
    auto object = object_of(call);
    if (!object) return object.error();
    auto store = store_of(call, *object);
    if (!store) return store.error();
    activity.object = std::move(*object);
    activity.store = std::move(*store);
    activity.other_id = call.parameter("id").value_or(std::string());
    return audit_log_.write(call.work().transaction(), call.context().platform(), activity);
}

sdk::Result<void> ActivityNotes::note(sdk::Context& context, const sdk::Call& call,
                                      const sdk::NewActivity& activity) {
    if (!audit_log_.is_enabled()) return {};
    audit::Activity written = activity_of(RoutedCall::of(call).input());
    written.type = activity.type;
    written.user = activity.user;
    return audit_log_.write(context.transaction(), context.platform(), written);
}

void ActivityNotes::note_refused(const sdk::PlatformScope& platform, const sdk::Call& call,
                                 const sdk::NewActivity& activity) {
    if (!audit_log_.is_enabled()) return;
    audit::Activity written = activity_of(RoutedCall::of(call).input());
    written.type = activity.type;
    written.user = activity.user;
    written.status = 401;
    audit_log_.write_later(platform, std::move(written));
}

}  // namespace stele::kernel::resource

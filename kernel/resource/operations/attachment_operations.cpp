#include "kernel/resource/operations/attachment_operations.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/attachments.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/resource/data_store/data_store_records.hpp"
#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/row_query.hpp"
#include "kernel/resource/work/record_attachments.hpp"

namespace stele::kernel::resource {

namespace {

/// All stand in one row.
constexpr std::size_t kMaxAttachments = 1000;

sdk::Result<sdk::Json> attachments_of(const RoutedCall& call, const sdk::RecordKey& record) {
    return read_attachments(call.work().transaction(), record);
}

/// Of a record that the path does not name the caller learns its id.
sdk::Result<sdk::Reply> changed_reply(const RoutedCall& call, const sdk::RecordKey& record) {
    storage::Record changed;
    auto found = call.services().records.read(call.work().transaction(), record, changed);
    if (!found) return found.error();
    if (record != call.record_key()) return sdk::Reply::status({{"_doc", id_of(changed)}});
    return written_reply(call, changed);
}

sdk::Result<sdk::Reply> list_record_attachments(const RoutedCall& call,
                                                const sdk::RecordKey& record) {
    auto attachments = attachments_of(call, record);
    if (!attachments) return attachments.error();
    std::vector<sdk::Json> rows;
    for (const auto& [id, kept] : attachments->items())
        rows.push_back(sdk::Attachment::from_json(id, kept).row());
    return RowQuery(call.services().has_numeric_sort).page(rows, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> download_of(const RoutedCall& call, const sdk::RecordKey& record,
                                    const sdk::Json& attachments, std::string_view id) {
    auto attachment = sdk::find_attachment(attachments, id);
    if (!attachment) return attachment.error();
    auto binaries = call.context().data_stores().binaries(record);
    if (!binaries) return binaries.error();
    return sdk::attachment_reply(**binaries, call, *attachment);
}

sdk::Result<sdk::Reply> download_record_attachment(const RoutedCall& call,
                                                   const sdk::RecordKey& record) {
    auto attachments = attachments_of(call, record);
    if (!attachments) return attachments.error();
    return download_of(call, record, *attachments, call.path(sdk::kAttachmentId));
}

/// The attachment itself: pictures of other sizes are made of nodes only.
sdk::Result<sdk::Reply> preview_record_attachment(const RoutedCall& call,
                                                  const sdk::RecordKey& record) {
    auto attachments = attachments_of(call, record);
    if (!attachments) return attachments.error();
    std::string id = call.parameter("attachment").value_or("");
    if (id.empty()) id = std::string(call.path("name"));
    return download_of(call, record, *attachments,
                       attachments->contains(id) ? id : sdk::kDefaultAttachment);
}

/// Keeps the files of one upload while the record's data store has room for all of them: what is
/// refused later leaves its bytes on the disk for days. The commit counts once more.
class AttachmentKeeper {
public:
    /// `before`: the attachments that the record has.
    static sdk::Result<AttachmentKeeper> make(const RoutedCall& call, const sdk::RecordKey& record,
                                              const sdk::Json& before);
    sdk::Result<sdk::Attachment> keep(const sdk::IncomingFile& file, const sdk::PieceSource& read);

private:
    AttachmentKeeper(const RoutedCall& call, const sdk::RecordKey& record, const sdk::Json& before)
        : call_(&call), record_(&record), replaced_(before) {}
    std::int64_t length_of(const std::string& id) const;

    const RoutedCall* call_;
    const sdk::RecordKey* record_;
    /// By id: what goes when there is another of that id.
    sdk::Json replaced_;
    /// Bytes; nothing where there is no bound.
    std::optional<std::int64_t> room_;
};

sdk::Result<AttachmentKeeper> AttachmentKeeper::make(const RoutedCall& call,
                                                     const sdk::RecordKey& record,
                                                     const sdk::Json& before) {
    AttachmentKeeper keeper(call, record, before);
    const sdk::Transaction& transaction = call.work().transaction();
    auto store = data_store_of(call.services().records, transaction, record);
    if (!store) return store.error();
    if (!*store) return keeper;
    auto state = read_store_state(transaction, **store);
    if (!state) return state.error();
    if (!*state || (*state)->maxsize < 0) return keeper;
    auto held = peek_store_size(transaction, **store);
    if (!held) return held.error();
    keeper.room_ = (*state)->maxsize - held->bytes;
    return keeper;
}

std::int64_t AttachmentKeeper::length_of(const std::string& id) const {
    const auto found = replaced_.find(id);
    if (found == replaced_.end()) return 0;
    return static_cast<std::int64_t>(sdk::Attachment::from_json(id, *found).length);
}

sdk::Result<sdk::Attachment> AttachmentKeeper::keep(const sdk::IncomingFile& file,
                                                    const sdk::PieceSource& read) {
    if (auto fine = sdk::check_attachment_id(file.id); !fine) return fine.error();
    auto type = sdk::media_type(file.content_type);
    if (!type) return type.error();
    sdk::DataStores& stores = call_->context().data_stores();
    if (auto writable = stores.check_writable(*record_); !writable) return writable.error();
    auto binaries = stores.binaries(*record_);
    if (!binaries) return binaries.error();
    std::int64_t more = -length_of(file.id);
    auto bytes = sdk::store_bytes(**binaries, [&](std::string& piece) -> sdk::Result<void> {
        if (auto got = read(piece); !got) return got;
        more += static_cast<std::int64_t>(piece.size());
        if (!room_ || more <= 0 || more <= *room_) return {};
        return sdk::make_error(
            sdk::ErrorKind::storage_full, "data_store.full",
            fmt::format("the data store has {} bytes left, and this upload has more",
                        std::max<std::int64_t>(*room_, 0)));
    });
    if (!bytes) return bytes.error();
    sdk::Attachment kept{.id = file.id,
                         .file_name = sdk::safe_file_name(file.file_name, file.id),
                         .content_type = std::move(*type),
                         .length = bytes->length,
                         .object_id = std::move(bytes->name),
                         .modified_ms = sdk::now_ms()};
    if (room_) *room_ -= more;
    replaced_[file.id] = kept.to_json();
    return kept;
}

sdk::FileKeeper kept_by(AttachmentKeeper& keeper) {
    return [&keeper](const sdk::IncomingFile& file, const sdk::PieceSource& read) {
        return keeper.keep(file, read);
    };
}

/// An id that the record has already gets the new bytes.
sdk::Result<sdk::Reply> attach(const RoutedCall& call, const sdk::RecordKey& record,
                               const sdk::Json& before, const std::vector<sdk::Attachment>& added) {
    sdk::Json after = before;
    for (const sdk::Attachment& attachment : added)
        after[attachment.id] = attachment.to_json();
    if (after.size() > kMaxAttachments) {
        return sdk::make_error(sdk::ErrorKind::too_large, "attachment.count_exceeded",
                               fmt::format("a record has at most {} attachments", kMaxAttachments));
    }
    auto replaced = replace_attachments(call.work(), record, before, after);
    if (!replaced) return replaced.error();
    return changed_reply(call, record);
}

sdk::Result<sdk::Reply> upload_record_attachments(const RoutedCall& call,
                                                  const sdk::RecordKey& record) {
    auto before = attachments_of(call, record);
    if (!before) return before.error();
    auto keeper = AttachmentKeeper::make(call, record, *before);
    if (!keeper) return keeper.error();
    auto kept = sdk::receive_attachments(call, kept_by(*keeper));
    if (!kept) return kept.error();
    return attach(call, record, *before, *kept);
}

sdk::Result<sdk::Reply> upload_record_attachment(const RoutedCall& call,
                                                 const sdk::RecordKey& record) {
    auto before = attachments_of(call, record);
    if (!before) return before.error();
    if (auto fits = sdk::check_attachment_tag(call, *before); !fits) return fits.error();
    auto keeper = AttachmentKeeper::make(call, record, *before);
    if (!keeper) return keeper.error();
    auto kept = sdk::receive_attachment(call, kept_by(*keeper));
    if (!kept) return kept.error();
    return attach(call, record, *before, {std::move(*kept)});
}

sdk::Result<sdk::Reply> remove_record_attachment(const RoutedCall& call,
                                                 const sdk::RecordKey& record) {
    auto before = attachments_of(call, record);
    if (!before) return before.error();
    auto attachment = sdk::find_attachment(*before, call.path(sdk::kAttachmentId));
    if (!attachment) return attachment.error();
    if (auto fits = sdk::check_attachment_tag(call, &*attachment); !fits) return fits.error();
    sdk::Json after = *before;
    after.erase(attachment->id);
    auto replaced = replace_attachments(call.work(), record, *before, after);
    if (!replaced) return replaced.error();
    return changed_reply(call, record);
}

using Operation = sdk::Result<sdk::Reply> (*)(const RoutedCall&, const sdk::RecordKey&);

template <Operation Run>
sdk::Result<sdk::Reply> of_addressed(const RoutedCall& call) {
    return Run(call, call.record_key());
}

/// The record of the tenant that the platform is. Its users have no rights on it, as it lies on the
/// first platform: theirs on the platform, which the route has asked for, count in their place. On
/// the first platform itself rights on the record are needed, too.
sdk::Result<sdk::RecordKey> own_tenant(const RoutedCall& call) {
    if (!call.services().tenants) {
        return sdk::make_error(sdk::ErrorKind::not_found, "tenant.unknown",
                               "no enabled plugin keeps tenants");
    }
    auto record = call.services().tenants->record_of(call.context());
    if (!record) return record;
    if (storage::collection_of(*record).platform != call.context().platform().number) return record;
    const sdk::Permission needed = call.route().permission;
    auto may = sdk::holds(call.context(), *record, needed);
    if (!may) return may.error();
    if (*may) return record;
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           fmt::format("{} on the tenant of this platform is needed for this",
                                       sdk::permission_name(needed)));
}

/// What holds the tenant's record is not told to those inside: neither who has locked it, nor how
/// much it holds.
sdk::Error told_inside(sdk::Error error) {
    if (error.kind == sdk::ErrorKind::locked)
        error.message = "what keeps the attachments of this tenant is locked";
    if (error.kind == sdk::ErrorKind::storage_full)
        error.message = "there is no room for more attachments of this tenant";
    return error;
}

template <Operation Run>
sdk::Result<sdk::Reply> of_own_tenant(const RoutedCall& call) {
    auto record = own_tenant(call);
    if (!record) return record.error();
    auto reply = Run(call, *record);
    return reply ? std::move(reply) : told_inside(reply.error());
}

template <Operation Run>
auto run_for(bool is_of_tenant) {
    return is_of_tenant ? &of_own_tenant<Run> : &of_addressed<Run>;
}

/// `changed`: what a change of attachments answers.
KernelActions actions_below(const std::string& before, bool is_of_tenant,
                            const sdk::Shape& changed) {
    const sdk::Permission read = sdk::Permission::read;
    const sdk::Permission update = sdk::Permission::update;
    const std::string all = before + "attachments";
    const std::string one = all + "/{attachmentId}";
    const sdk::Shape attachment = sdk::shape::record("Attachment");
    const std::vector<sdk::Parameter> shown{{"a", false, sdk::FieldKind::boolean}, {"filename"}};
    const std::vector<sdk::Parameter> named{{"filename"}};
    const auto upload = [&](const std::string& name, auto run, bool has_own_tag) {
        return KernelAction{.name = name,
                            .method = "POST",
                            .permission = update,
                            .run = run,
                            .answers = changed,
                            .parameters = named,
                            .has_streamed_body = true,
                            .has_own_tag = has_own_tag,
                            .takes = sdk::shape::bytes()};
    };
    return {{all,
             "GET",
             read,
             run_for<&list_record_attachments>(is_of_tenant),
             sdk::shape::page(attachment),
             {},
             true},
            upload(all, run_for<&upload_record_attachments>(is_of_tenant), false),
            {one, "GET", read, run_for<&download_record_attachment>(is_of_tenant),
             sdk::shape::bytes(), shown},
            upload(one, run_for<&upload_record_attachment>(is_of_tenant), true),
            {.name = one,
             .method = "DELETE",
             .permission = update,
             .run = run_for<&remove_record_attachment>(is_of_tenant),
             .answers = changed,
             .has_own_tag = true,
             .is_urgent = true},
            {before + "preview/{name}",
             "GET",
             read,
             run_for<&preview_record_attachment>(is_of_tenant),
             sdk::shape::bytes(),
             {{"attachment"}}}};
}

}  // namespace

KernelActions attachment_actions(std::string_view type) {
    return actions_below("", false, sdk::shape::written(type));
}

KernelActions tenant_attachment_actions() {
    return actions_below("tenant/", true, sdk::shape::changed());
}

}  // namespace stele::kernel::resource

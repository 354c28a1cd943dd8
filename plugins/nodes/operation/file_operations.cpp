#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/time.hpp>

#include <stele/sdk/attachment_names.hpp>
#include "attachment/attachment_writer.hpp"
#include "attachment/store_files.hpp"
#include "branch/vocabulary.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kFileName[] = "filename";

sdk::Result<sdk::ContentSpace> space_of(Services& services, const sdk::Call& call) {
    auto place = services.branches.find_repository(call.context().transaction(), call.record().key);
    if (!place) return place.error();
    return sdk::ContentSpace{place->platform, place->repository};
}

/// The file that the path names; `not_found` (`nodes.file_unknown`).
sdk::Result<Attachment> named_file(const sdk::Call& call, const sdk::ContentSpace& space) {
    const std::string_view name = call.path(kFileName);
    if (auto fine = sdk::check_file_name(name); !fine) return fine.error();
    auto file = find_file(call.context().transaction(), space, name);
    if (!file) return file.error();
    if (*file) return std::move(**file);
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.file_unknown",
                           fmt::format("there is no file {}", name));
}

sdk::Result<sdk::Reply> upload_file(Services& services, const sdk::Call& call) {
    Attachment file{.id = std::string(call.path(kFileName)),
                    .file_name = std::string(call.path(kFileName)),
                    .content_type = {}};
    if (auto fine = sdk::check_file_name(file.id); !fine) return fine.error();
    auto type = sdk::media_type(call.header("Content-Type").value_or(""));
    if (!type) return type.error();
    file.content_type = std::move(*type);
    auto space = space_of(services, call);
    if (!space) return space.error();
    sdk::Context& context = call.context();
    sdk::DataStores& stores = context.data_stores();
    const sdk::RecordKey& repository = call.record().key;
    if (auto writable = stores.check_writable(repository); !writable) return writable.error();
    auto binaries = stores.binaries(repository);
    if (!binaries) return binaries.error();
    auto former = find_file(context.transaction(), *space, file.id);
    if (!former) return former.error();
    if (auto fits = check_attachment_tag(call, *former ? &**former : nullptr); !fits)
        return fits.error();
    sdk::Upload& upload = call.upload();
    auto bytes =
        sdk::store_bytes(**binaries, [&](std::string& piece) { return upload.read(piece); });
    if (!bytes) return bytes.error();
    file.length = bytes->length;
    file.object_id = std::move(bytes->name);
    file.modified_ms = sdk::now_ms();
    sdk::DataStoreSize more{1, static_cast<std::int64_t>(file.length)};
    if (*former) {
        more.objects = 0;
        more.bytes -= static_cast<std::int64_t>((*former)->length);
    }
    if (auto counted = stores.count(repository, more); !counted) return counted.error();
    put_file(context.transaction(), *space, file);
    sdk::Json told = {{"_doc", file.id}};
    told.update(file.shown());
    return sdk::Reply::status(told);
}

sdk::Result<sdk::Reply> download_file(Services& services, const sdk::Call& call) {
    auto wants_file = call.flag("a");
    if (!wants_file) return wants_file.error();
    auto space = space_of(services, call);
    if (!space) return space.error();
    auto file = named_file(call, *space);
    if (!file) return file.error();
    auto binaries = call.context().data_stores().binaries(call.record().key);
    if (!binaries) return binaries.error();
    return sdk::inert_download(**binaries, *file, wants_file->value_or(false), file->file_name);
}

/// Other files may have the same bytes, so those are left to the collection of what nothing refers
/// to.
sdk::Result<sdk::Reply> delete_file(Services& services, const sdk::Call& call) {
    auto space = space_of(services, call);
    if (!space) return space.error();
    auto file = named_file(call, *space);
    if (!file) return file.error();
    if (auto fits = check_attachment_tag(call, &*file); !fits) return fits.error();
    auto counted = call.context().data_stores().count(
        call.record().key, {-1, -static_cast<std::int64_t>(file->length)});
    if (!counted) return counted.error();
    remove_file(call.context().transaction(), *space, file->id);
    return sdk::Reply::status({{"_doc", file->id}});
}

}  // namespace

sdk::Actions repository_file_actions() {
    using enum sdk::Permission;
    const sdk::Shape text = sdk::shape::text();
    const sdk::Shape uploaded = sdk::shape::status({{"_doc", text},
                                                    {"length", sdk::shape::integer()},
                                                    {"contentType", text},
                                                    {"filename", text},
                                                    {"objectId", text}});
    return {{.name = "files/{filename}",
             .permission = create_subobjects,
             .run = operation<&upload_file>(),
             .streamed_body = true,
             .has_own_tag = true,
             .takes = sdk::shape::bytes(),
             .answers = uploaded},
            {.name = "files/{filename}",
             .method = "GET",
             .permission = create_subobjects,
             .run = operation<&download_file>(),
             .parameters = {{"a", false, sdk::FieldKind::boolean}},
             .answers = sdk::shape::bytes()},
            {.name = "files/{filename}",
             .method = "DELETE",
             .permission = create_subobjects,
             .run = operation<&delete_file>(),
             .has_own_tag = true,
             .urgent = true,
             .answers = sdk::shape::status()}};
}

}  // namespace stele::nodes

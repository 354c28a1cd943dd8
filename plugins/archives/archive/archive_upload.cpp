#include "archive_upload.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/form_body.hpp>
#include <stele/sdk/letter_case.hpp>

namespace stele::archives {

namespace {

/// The part that clients name; a form with one file may call it as it likes.
constexpr char kPart[] = "archive";

struct ReceivedZip {
    sdk::StoredBytes bytes;
    std::string file_name;
};

sdk::Error one_file_expected() {
    return sdk::make_error(
        {{"body", "archives.one_file_expected",
          "a form has one part with a file name, or one that is named archive"}});
}

sdk::Result<ReceivedZip> receive_body(const sdk::Call& call, sdk::BlobStore& binaries) {
    sdk::Upload& upload = call.upload();
    auto bytes =
        sdk::store_bytes(binaries, [&upload](std::string& piece) { return upload.read(piece); });
    if (!bytes) return bytes.error();
    return ReceivedZip{std::move(*bytes), call.parameter("filename").value_or("")};
}

sdk::Result<ReceivedZip> receive_form(sdk::FormBody& form, sdk::BlobStore& binaries) {
    std::optional<ReceivedZip> named;
    std::optional<ReceivedZip> first;
    std::size_t others = 0;
    for (;;) {
        auto part = form.next_file();
        if (!part) return part.error();
        if (!*part) break;
        const bool is_named = (*part)->name == kPart;
        if (!is_named && ++others > 1) continue;
        if (is_named && named) return one_file_expected();
        auto bytes =
            sdk::store_bytes(binaries, [&form](std::string& piece) { return form.read(piece); });
        if (!bytes) return bytes.error();
        (is_named ? named : first) = ReceivedZip{std::move(*bytes), *(*part)->file_name};
    }
    if (named) return std::move(*named);
    if (others != 1) return one_file_expected();
    return std::move(*first);
}

/// Where the bytes of the vault's archives lie; nothing is written while it is locked.
sdk::Result<sdk::BlobStore*> writable_binaries(const sdk::Call& call) {
    sdk::DataStores& stores = call.context().data_stores();
    const sdk::RecordKey& vault = call.collection().container_key;
    if (auto writable = stores.check_writable(vault); !writable) return writable.error();
    return stores.binaries(vault);
}

/// What the caller says besides the coordinates.
sdk::Result<sdk::Json> given_members(
    const std::function<std::optional<std::string>(std::string_view)>& parameter) {
    sdk::Json members = sdk::Json::object();
    for (const char* name : {"type", "title", "description"}) {
        const auto value = parameter(name);
        if (value && !value->empty()) members[name] = *value;
    }
    const std::string published = sdk::lower_case(parameter("published").value_or(""));
    if (published.empty()) return members;
    members["published"] = published == "true" || published == "1";
    if (members["published"] == true || published == "false" || published == "0") return members;
    return sdk::invalid_parameter("published", "must be true or false");
}

}  // namespace

sdk::Result<NewArchive> receive_archive(const sdk::Call& call, const ArchiveStore& store) {
    auto binaries = writable_binaries(call);
    if (!binaries) return binaries.error();
    std::optional<sdk::FormBody> form;
    if (sdk::has_form_body(call)) {
        auto opened = sdk::FormBody::open(call);
        if (!opened) return opened.error();
        form = std::move(*opened);
    }
    auto zip = form ? receive_form(*form, **binaries) : receive_body(call, **binaries);
    if (!zip) return zip.error();
    const auto parameter = [&](std::string_view name) {
        return form ? form->parameter(name) : call.parameter(name);
    };
    const auto text = [&](const char* name) { return parameter(name).value_or(""); };
    NewArchive archive;
    const Coordinates given{text("group"), text("artifact"), text("version")};
    auto members = given_members(parameter);
    if (!members) return members.error();
    archive.members = std::move(*members);
    auto manifest = store.describe(call.context(), **binaries, zip->bytes);
    // A manifest that nobody can read takes nothing from an archive whose coordinates are known.
    const bool is_unreadable =
        !manifest && manifest.error().code == "archives.manifest_malformed" && given.is_complete();
    if (!manifest && !is_unreadable) return manifest.error();
    if (manifest && *manifest) archive.manifest = std::move(**manifest);
    archive.coordinates =
        complete_coordinates(given, archive.manifest.coordinates(), zip->file_name);
    archive.bytes = std::move(zip->bytes);
    return archive;
}

}  // namespace stele::archives

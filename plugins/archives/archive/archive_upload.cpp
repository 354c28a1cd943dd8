#include "archive_upload.hpp"

#include <memory>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/form_body.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/placed_upload.hpp>
#include <stele/sdk/unnamed_file.hpp>

namespace stele::archives {

namespace {

/// The part that clients name; a form with one file may call it as it likes.
constexpr char kPart[] = "archive";

/// Where it lies on its way: not yet in the binaries, whose refused bytes stay for days.
struct ReceivedZip {
    std::unique_ptr<sdk::BlobStore::Reader> bytes;
    std::string file_name;
};

/// What comes of an operation inside the server, which can be read once.
class ScratchBytes final : public sdk::BlobStore::Reader {
public:
    explicit ScratchBytes(sdk::UnnamedFile file) : file_(std::move(file)) {}
    std::uint64_t size() const override { return file_.size(); }
    sdk::Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override;

private:
    sdk::UnnamedFile file_;
};

sdk::Result<void> ScratchBytes::read(std::uint64_t offset, std::size_t limit, std::string& out) {
    out.clear();
    std::string piece;
    while (out.size() < limit) {
        if (auto read = file_.read(offset + out.size(), piece, limit - out.size()); !read)
            return read;
        if (piece.empty()) return {};
        out += piece;
    }
    return {};
}

sdk::Error one_file_expected() {
    return sdk::make_error(
        {{"body", "archives.one_file_expected",
          "a form has one part with a file name, or one that is named archive"}});
}

sdk::Result<ReceivedZip> receive_body(const sdk::Call& call, const ArchiveStore& store) {
    sdk::Upload& upload = call.upload();
    ReceivedZip zip{nullptr, call.parameter("filename").value_or("")};
    if (auto* const placed = dynamic_cast<sdk::PlacedUpload*>(&upload)) {
        zip.bytes = std::make_unique<sdk::UploadBytes>(*placed, 0, placed->size());
        return zip;
    }
    auto scratch = sdk::UnnamedFile::open(store.scratch_folder());
    if (!scratch) return scratch.error();
    std::string piece;
    do {
        if (auto left = call.context().go_on(); !left) return left.error();
        if (auto read = upload.read(piece); !read) return read.error();
        if (auto kept = scratch->append(piece); !kept) return kept.error();
    } while (!piece.empty());
    zip.bytes = std::make_unique<ScratchBytes>(*std::move(scratch));
    return zip;
}

sdk::Result<ReceivedZip> receive_form(sdk::FormBody& form) {
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
        auto bytes = form.find();
        if (!bytes) return bytes.error();
        (is_named ? named : first) =
            ReceivedZip{std::make_unique<sdk::UploadBytes>(*bytes), *(*part)->file_name};
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

/// `put` comes first here without a change: what it would refuse never lies in the binaries.
sdk::Result<void> check_put(const sdk::Call& call, const Coordinates& coordinates,
                            std::uint64_t length) {
    auto replaced = ArchiveStore::find_replaced(call.context(), call.collection(), coordinates);
    if (!replaced) return replaced.error();
    auto more = static_cast<std::int64_t>(length);
    if (*replaced) more -= sdk::integer_member((*replaced)->fields, "length").value_or(0);
    // Refuses by the rule by which the commit counts, and is taken back.
    sdk::DataStores& stores = call.context().data_stores();
    const sdk::RecordKey& vault = call.collection().container_key;
    if (auto fits = stores.count(vault, {.bytes = more}); !fits) return fits;
    return stores.count(vault, {.bytes = -more});
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
    auto zip = form ? receive_form(*form) : receive_body(call, store);
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
    auto manifest = store.describe(call.context(), *zip->bytes);
    // A manifest that nobody can read takes nothing from an archive whose coordinates are known.
    const bool is_unreadable =
        !manifest && manifest.error().code == "archives.manifest_malformed" && given.is_complete();
    if (!manifest && !is_unreadable) return manifest.error();
    if (manifest && *manifest) archive.manifest = std::move(**manifest);
    archive.coordinates =
        complete_coordinates(given, archive.manifest.coordinates(), zip->file_name);
    if (auto may = check_put(call, archive.coordinates, zip->bytes->size()); !may)
        return may.error();
    auto bytes = sdk::store_bytes(**binaries, sdk::pieces_of(*zip->bytes));
    if (!bytes) return bytes.error();
    archive.bytes = *std::move(bytes);
    return archive;
}

}  // namespace stele::archives

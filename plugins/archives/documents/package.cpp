#include "documents/package.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/encoding.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/zip.hpp>

#include "archive/readable_text.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr char kSettingMalformed[] = "archives.document_setting_malformed";
constexpr char kDefaultAttachment[] = "default";
constexpr char kPdf[] = "application/pdf";
constexpr std::size_t kMaxNameBytes = 150;
constexpr std::size_t kMaxFiles = 10'000;

void read_flag(const sdk::Json& body, const char* name, bool& value, sdk::Violations& violations) {
    const auto member = body.find(name);
    if (member == body.end() || member->is_null()) return;
    if (member->is_boolean()) {
        value = member->get<bool>();
    } else {
        violations.push_back(
            {name, kSettingMalformed, std::string(name) + " must be true or false"});
    }
}

/// One document, as its node says it.
struct PackagedDocument {
    std::string reference;
    sdk::RecordKey key;
    sdk::Json fields;
    std::vector<sdk::Attachment> attachments;

    std::string title() const {
        const std::string title = sdk::text_member(fields, "title");
        return title.empty() ? sdk::text_member(fields, "_doc") : title;
    }
};

sdk::Error document_unknown(const std::string& reference) {
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           "there is no document " + sdk::shown_path(reference));
}

sdk::Result<PackagedDocument> read_document(const TransferServices& services, sdk::Context& context,
                                            const std::string& reference) {
    PackagedDocument document;
    document.reference = reference;
    auto key = context.find_reference(reference);
    if (!key) {
        const bool is_nowhere =
            sdk::is_missing(key.error()) || key.error().kind == sdk::ErrorKind::invalid;
        return is_nowhere ? document_unknown(reference) : key.error();
    }
    document.key = *key;
    auto family = services.families.of(context, *key);
    if (!family) return family.error();
    if (!*family || (*family)->type != kNode) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.document_unfit",
                               sdk::shown_path(reference) + " is no node");
    }
    auto fields = json_of(services.operations.on_record(context, *key, {}));
    if (!fields && is_out_of_sight(fields.error())) return document_unknown(reference);
    if (!fields) return fields.error();
    document.fields = *std::move(fields);
    auto page = json_of(services.operations.on_record(
        context, *key, {.path = "/attachments", .parameters = {{"limit", "-1"}}}));
    if (!page) return page.error();
    for (const sdk::Json& row : page->value("rows", sdk::Json::array())) {
        sdk::Attachment attachment;
        attachment.id = sdk::text_member(row, "attachmentId");
        attachment.file_name = sdk::text_member(row, "filename");
        attachment.content_type = sdk::text_member(row, "contentType");
        document.attachments.push_back(std::move(attachment));
    }
    return document;
}

/// Text of a file of a package, whose only piece it is.
sdk::PieceSource pieces_of_text(std::string text) {
    return [text = std::move(text)](std::string& piece) mutable -> sdk::Result<void> {
        piece = std::exchange(text, {});
        return {};
    };
}

class Package {
public:
    Package(const TransferServices& services, sdk::Context& context,
            const PackageSettings& settings)
        : services_(services), context_(context), settings_(settings) {}

    sdk::Result<void> add(const PackagedDocument& document) {
        const sdk::Attachment* main = nullptr;
        for (const sdk::Attachment& attachment : document.attachments) {
            if (attachment.id == kDefaultAttachment) main = &attachment;
        }
        const bool must_be_pdf = settings_.is_pdf || settings_.has_pdf_entries;
        const bool is_pdf = main && sdk::media_essence(main->content_type) == kPdf;
        if (must_be_pdf && !is_pdf) return no_renderer(document.reference + " is no PDF");
        for (const sdk::Attachment& attachment : document.attachments) {
            const bool is_wanted =
                &attachment == main || (settings_.has_attachments && !settings_.is_pdf);
            if (is_wanted) add_attachment(document, attachment);
        }
        // A document without a file is what it says.
        const bool tells_itself = !main || settings_.has_metadata;
        if (!tells_itself || settings_.is_pdf) return {};
        // Read once more when it is written: of a thousand documents that would be much to keep.
        add_file(document.title() + ".json", "application/json",
                 [&services = services_, &context = context_,
                  key = document.key]() -> sdk::Result<sdk::PieceSource> {
                     auto fields = json_of(services.operations.on_record(context, key, {}));
                     if (!fields) return fields.error();
                     return pieces_of_text(readable_text(*fields));
                 });
        return {};
    }

    bool is_too_large() const { return files_.size() > kMaxFiles; }

    static sdk::Error no_renderer(const std::string& problem) {
        return sdk::make_error(sdk::ErrorKind::unimplemented, "archives.pdf_unavailable",
                               problem + ", and no renderer of this server makes PDF");
    }

    std::vector<PackageFile> take() { return std::move(files_); }

private:
    void add_attachment(const PackagedDocument& document, const sdk::Attachment& attachment) {
        const std::string name =
            attachment.file_name.empty() ? attachment.id : attachment.file_name;
        add_file(
            name, attachment.content_type,
            [&services = services_, &context = context_, key = document.key, id = attachment.id] {
                return pieces_of(services.operations.on_record(
                    context, key, {.path = "/attachments/{attachmentId}", .values = {id}}));
            });
    }
    void add_file(const std::string& name, const std::string& content_type,
                  std::function<sdk::Result<sdk::PieceSource>()> open) {
        files_.push_back({names_.take(name), content_type, std::move(open)});
    }

    const TransferServices& services_;
    sdk::Context& context_;
    const PackageSettings& settings_;
    std::vector<PackageFile> files_;
    PackageNames names_;
};

/// Up to a size, and not in the middle of a character.
std::string_view cut(std::string_view text, std::size_t size) {
    if (text.size() <= size) return text;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U)
        --size;
    return text.substr(0, size);
}

}  // namespace

sdk::Result<PackageSettings> PackageSettings::read(const sdk::Json& body) {
    PackageSettings settings;
    sdk::Violations violations;
    const auto references = body.find("references");
    const bool has_texts = references != body.end() && references->is_array() &&
                           !references->empty() &&
                           std::all_of(references->begin(), references->end(),
                                       [](const sdk::Json& one) { return one.is_string(); });
    if (has_texts) {
        settings.references = references->get<std::vector<std::string>>();
    } else {
        violations.push_back(
            {"references", kSettingMalformed, "references must be an array of texts"});
    }
    const auto package = body.find("package");
    if (package != body.end() && !package->is_null()) {
        const std::string kind =
            package->is_string() ? sdk::lower_case(package->get<std::string>()) : std::string();
        settings.is_pdf = kind == "pdf";
        if (kind != "pdf" && kind != "zip")
            violations.push_back({"package", kSettingMalformed, "package must be ZIP or PDF"});
    }
    read_flag(body, "zipUsePdfEntries", settings.has_pdf_entries, violations);
    read_flag(body, "mergePdfs", settings.merges_pdfs, violations);
    read_flag(body, "includeMetadata", settings.has_metadata, violations);
    read_flag(body, "includeAttachments", settings.has_attachments, violations);
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    return settings;
}

sdk::Json PackageSettings::to_json() const {
    return {{"references", references},
            {"package", is_pdf ? "PDF" : "ZIP"},
            {"zipUsePdfEntries", has_pdf_entries},
            {"mergePdfs", merges_pdfs},
            {"includeMetadata", has_metadata},
            {"includeAttachments", has_attachments}};
}

std::string PackageNames::take(std::string_view wanted) {
    std::string plain;
    for (const char byte : wanted) {
        const auto code = static_cast<unsigned char>(byte);
        const bool is_unfit =
            code < 0x20 || code == 0x7f || byte == '/' || byte == '\\' || byte == ':';
        plain += is_unfit ? '_' : byte;
    }
    if (plain.empty() || plain.find_first_not_of('.') == std::string::npos) plain = "document";
    const std::size_t dot = plain.rfind('.');
    const bool has_ending = dot != std::string::npos && dot > 0 && plain.size() - dot <= 16;
    const std::string ending = has_ending ? plain.substr(dot) : std::string();
    const std::string stem(cut(has_ending ? plain.substr(0, dot) : plain, kMaxNameBytes));
    // Where letter case makes no difference they would be one file.
    std::string name = stem + ending;
    std::size_t& number = numbers_.try_emplace(sdk::lower_case(name), 1).first->second;
    while (!taken_.insert(sdk::lower_case(name)).second)
        name = stem + " (" + std::to_string(++number) + ")" + ending;
    return name;
}

sdk::Result<PackageBytes> PackageBytes::open(const std::filesystem::path& folder,
                                             PackageRoom::Share share) {
    auto file = sdk::UnnamedFile::open(folder);
    if (!file) return file.error();
    return PackageBytes(*std::move(file), std::move(share));
}

sdk::Result<void> PackageBytes::append(std::string_view bytes) {
    if (auto has_room = share_.take(bytes.size()); !has_room) return has_room;
    digest_.add(bytes);
    return file_.append(bytes);
}

std::string PackageBytes::take_tag() {
    return '"' + sdk::hex_text(digest_.finish()) + '"';
}

sdk::Result<std::vector<PackageFile>> package_files(const TransferServices& services,
                                                    sdk::Context& context,
                                                    const PackageSettings& settings) {
    Package package(services, context, settings);
    for (const std::string& reference : settings.references) {
        if (auto left = context.go_on(); !left) return left.error();
        auto document = read_document(services, context, reference);
        if (!document) return document.error();
        if (auto added = package.add(*document); !added) return added.error();
        if (package.is_too_large()) {
            return sdk::make_error(sdk::ErrorKind::too_large, "archives.package_too_large",
                                   "a package of documents has at most 10,000 files");
        }
    }
    std::vector<PackageFile> files = package.take();
    if (settings.is_pdf && settings.merges_pdfs && files.size() > 1)
        return Package::no_renderer("several documents are to be one");
    return files;
}

sdk::Result<PackageBytes> write_package(const TransferServices& services, sdk::Context& context,
                                        PackageRoom::Share share, bool is_single,
                                        const std::vector<PackageFile>& files) {
    auto bytes = PackageBytes::open(services.scratch_folder(), std::move(share));
    if (!bytes) return bytes;
    const auto append = [&bytes, &context](std::string_view piece) -> sdk::Result<void> {
        if (auto left = context.go_on(); !left) return left;
        return bytes->append(piece);
    };
    if (is_single) {
        auto read = files.front().open();
        if (!read) return read.error();
        std::string piece;
        do {
            if (auto came = (*read)(piece); !came) return came.error();
            if (auto kept = append(piece); !kept) return kept.error();
        } while (!piece.empty());
        return bytes;
    }
    auto zip = sdk::ZipWriter::open(append, services.scratch_folder());
    if (!zip) return zip.error();
    for (const PackageFile& one : files) {
        auto read = one.open();
        if (!read) return read.error();
        if (auto added = zip->add(one.name, *read, true); !added) return added.error();
    }
    if (auto finished = zip->finish(); !finished) return finished.error();
    return bytes;
}

}  // namespace stele::archives

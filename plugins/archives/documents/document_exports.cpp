#include "documents/document_exports.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/members.hpp>

#include "documents/package.hpp"
#include "paths/locations.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr char kZipType[] = "application/zip";
constexpr char kFinished[] = "FINISHED";
/// A package of several files.
constexpr char kPackageName[] = "Documents.zip";
/// Of the email that a package is sent with.
constexpr char kPackageAttachment[] = "package";
constexpr char kApplication[] = "application";
constexpr char kEmail[] = "email";
constexpr char kEmailProvider[] = "emailProvider";

/// Bytes of a package, in whatever part is wanted.
sdk::Reply download_of(PackageBytes bytes, const std::string& name, const std::string& type,
                       bool is_file) {
    // It is made anew for each part that somebody asks for, of documents that may have changed.
    std::string tag = bytes.take_tag();
    const auto file = std::make_shared<PackageBytes>(std::move(bytes));
    const auto open = [file](std::uint64_t first, std::uint64_t end) -> sdk::BodySource {
        return [file, first, end](std::string& out) mutable -> sdk::Result<bool> {
            std::string piece;
            if (auto read = file->read(first, piece); !read) return read.error();
            out.append(
                piece, 0,
                static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - first)));
            first = std::min(end, first + piece.size());
            return first < end && !piece.empty();
        };
    };
    sdk::Reply reply = sdk::Reply::download(open, file->size(), type);
    reply.etag(std::move(tag));
    reply.header("Content-Disposition", sdk::content_disposition(is_file, name));
    reply.header("X-Content-Type-Options", "nosniff");
    reply.header("Content-Security-Policy", "sandbox");
    return reply;
}

struct WrittenPackage {
    PackageBytes bytes;
    std::string name;
    std::string content_type;
};

/// The whole package of an export, or one of its files.
sdk::Result<WrittenPackage> write(const TransferServices& services, PackageRoom& room,
                                  sdk::Context& context, const sdk::Json& job,
                                  const std::string& index) {
    auto settings = PackageSettings::read(job.value("_data", sdk::Json::object()));
    if (!settings) return settings.error();
    auto files = package_files(services, context, *settings);
    if (!files) return files.error();
    if (!index.empty()) {
        std::size_t number = 0;
        const auto read = std::from_chars(index.data(), index.data() + index.size(), number);
        const bool is_number = read.ec == std::errc() && read.ptr == index.data() + index.size();
        if (!is_number || number >= files->size()) {
            return sdk::make_error(
                sdk::ErrorKind::not_found, "archives.document_file_unknown",
                "the export has no file " + sdk::shown_path(index) + ": they are counted from 0");
        }
        PackageFile only = std::move((*files)[number]);
        files->clear();
        files->push_back(std::move(only));
    }
    const bool is_single = !index.empty() || (settings->is_pdf && files->size() == 1);
    const std::string name = is_single ? files->front().name : kPackageName;
    const std::string type = is_single ? files->front().content_type : kZipType;
    auto bytes = write_package(services, context, PackageRoom::Share(room, context.principal().key),
                               is_single, *files);
    if (!bytes) return bytes.error();
    return WrittenPackage{*std::move(bytes), name, type};
}

sdk::Result<sdk::Json> run(const TransferServices& services, sdk::Job& job) {
    auto settings = PackageSettings::read(job.input());
    if (!settings) return settings.error();
    std::size_t count = 0;
    auto read = services.operations.read_as(
        job.platform(), job.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
            auto files = package_files(services, context, *settings);
            if (!files) return files.error();
            count = files->size();
            return {};
        });
    if (!read) return read.error();
    return sdk::Json{{"fileCount", count}};
}

sdk::Result<sdk::Json> run_mail(const TransferServices& services, sdk::Job& job) {
    const sdk::Json& input = job.input();
    const std::string email = sdk::text_member(input, "email");
    auto sent = services.operations.run_as(
        job.platform(), job.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
            auto provider = context.find_reference(sdk::text_member(input, "provider"));
            if (!provider) return provider.error();
            const sdk::Json attachment{{"ref", email}, {"attachmentId", kPackageAttachment}};
            sdk::Json model = sdk::Json::object();
            model["_attachments"] = sdk::Json::array({attachment});
            auto reply = json_of(services.operations.on_record(
                context, *provider,
                {.method = "POST",
                 .path = "/send",
                 .parameters = {{"email", reference_parts(email).ids.back()}},
                 .body = std::move(model)}));
            return reply ? sdk::Result<void>() : reply.error();
        });
    if (!sent) return sent.error();
    return sdk::Json{{"emailId", reference_parts(email).ids.back()}};
}

/// Opens what was written, as a body of an inner operation.
std::function<sdk::Result<sdk::PieceSource>()> opener_of(PackageBytes bytes) {
    const auto file = std::make_shared<PackageBytes>(std::move(bytes));
    return [file]() -> sdk::Result<sdk::PieceSource> {
        return sdk::PieceSource(
            [file, offset = std::uint64_t{0}](std::string& piece) mutable -> sdk::Result<void> {
                if (auto read = file->read(offset, piece); !read) return read;
                offset += piece.size();
                return {};
            });
    };
}

/// A record that the caller may READ, by what a member of the body says.
sdk::Result<sdk::RecordKey> named_record(const sdk::Call& call, const char* member,
                                         const sdk::CollectionName& collection) {
    sdk::Context& context = call.context();
    const std::string id = sdk::text_member(call.body(), member);
    if (id.empty()) return sdk::invalid_parameter(member, "is required");
    auto record = sdk::if_readable(context, context.documents().read(collection, id));
    if (!record) return record.error();
    if (*record) return (*record)->key;
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           std::string(member) + " leads to nothing: " + sdk::shown_path(id));
}

/// The branch in which a node is to be made.
sdk::Result<sdk::RecordKey> branch_of(const sdk::Call& call) {
    auto repository = named_record(call, "repositoryId", {kRepository, ""});
    if (!repository) return repository;
    return named_record(call, "branchId", {kBranch, {}, *repository});
}

}  // namespace

sdk::Result<sdk::Reply> DocumentExports::start(const sdk::Call& call) const {
    auto settings = PackageSettings::read(call.body());
    if (!settings) return settings.error();
    for (const std::string& reference : settings->references) {
        auto key = call.context().find_reference(reference);
        auto may = key ? sdk::holds(call.context(), *key, sdk::Permission::read)
                       : sdk::Result<bool>(key.error());
        if (!may && !sdk::is_missing(may.error()) && may.error().kind != sdk::ErrorKind::invalid)
            return may.error();
        if (!may || !*may)
            return sdk::invalid_parameter("references",
                                          "leads nowhere: " + sdk::shown_path(reference));
    }
    auto job = services_.jobs.start(call.context(),
                                    {.type = kDocumentExportJob, .input = settings->to_json()});
    if (!job) return job.error();
    return sdk::Reply::status({{"_doc", *job}});
}

sdk::Result<sdk::Json> DocumentExports::job_of(const sdk::Call& call) const {
    const std::string id(call.path("exportId"));
    auto job = services_.jobs.read(call.context(), id);
    if (!job && !sdk::is_missing(job.error())) return job;
    const sdk::Principal& caller = call.context().principal();
    const bool is_own = job && sdk::text_member(*job, "type") == kDocumentExportJob &&
                        sdk::text_member(*job, "runAsPrincipalId") == caller.id &&
                        sdk::text_member(*job, "runAsPrincipalDomainId") == caller.domain_id;
    if (is_own) return job;
    return sdk::make_error(sdk::ErrorKind::not_found, "archives.document_export_unknown",
                           "there is no export of documents " + sdk::shown_path(id) + " of yours");
}

sdk::Result<sdk::Json> DocumentExports::finished_job_of(const sdk::Call& call) const {
    auto job = job_of(call);
    if (!job || sdk::text_member(*job, "state") == kFinished) return job;
    return sdk::make_error(sdk::ErrorKind::conflict, "archives.document_export_unfinished",
                           "the export has not ended well, or not yet: its state is " +
                               sdk::text_member(*job, "state"));
}

sdk::Result<sdk::Reply> DocumentExports::status(const sdk::Call& call) const {
    auto job = job_of(call);
    if (!job) return job.error();
    sdk::Json told{{"_doc", sdk::text_member(*job, "_doc")},
                   {"state", sdk::text_member(*job, "state")},
                   {"fileCount", sdk::integer_member(*job, "fileCount").value_or(0)}};
    for (const sdk::Json& entry : job->value("log_entries", sdk::Json::array())) {
        if (sdk::text_member(entry, "type") == "ERROR")
            told["message"] = sdk::text_member(entry, "message");
    }
    return sdk::Reply::status(told);
}

sdk::Result<sdk::Reply> DocumentExports::download(const sdk::Call& call) const {
    auto job = finished_job_of(call);
    if (!job) return job.error();
    auto is_file = call.flag("a");
    if (!is_file) return is_file.error();
    auto written = write(services_, room_, call.context(), *job, std::string(call.path("index")));
    if (!written) return written.error();
    // What a browser could run is always saved.
    const bool is_saved = is_file->value_or(false) || sdk::is_active_content(written->content_type);
    return download_of(std::move(written->bytes), written->name, written->content_type, is_saved);
}

sdk::Result<sdk::Reply> DocumentExports::generate(const sdk::Call& call) const {
    auto job = finished_job_of(call);
    if (!job) return job.error();
    auto branch = branch_of(call);
    if (!branch) return branch.error();
    const auto given = call.body().find("properties");
    const bool has_properties = given != call.body().end() && !given->is_null();
    if (has_properties && !given->is_object())
        return sdk::invalid_parameter("properties", "must be an object");
    sdk::InnerOperation create{.method = "POST",
                               .body = has_properties ? *given : sdk::Json::object()};
    // Clients send an empty object where they mean none.
    const std::string folder = sdk::text_member(call.body(), "parentFolderPath");
    if (!folder.empty()) create.parameters.emplace_back("parentFolderPath", folder);
    sdk::Context& context = call.context();
    auto written = write(services_, room_, context, *job, {});
    if (!written) return written.error();
    auto made = json_of(services_.operations.on_collection(context, kNode, *branch, create));
    if (!made) return made.error();
    auto node = context.documents().read({kNode, {}, *branch}, sdk::text_member(*made, "_doc"));
    if (!node) return node.error();
    auto attached = services_.operations.on_record(context, node->key,
                                                   {.method = "POST",
                                                    .path = "/attachments/{attachmentId}",
                                                    .values = {"default"},
                                                    .parameters = {{"filename", written->name}},
                                                    .bytes = opener_of(std::move(written->bytes)),
                                                    .content_type = written->content_type});
    if (!attached) return attached.error();
    auto row = json_of(services_.operations.on_record(context, node->key, {}));
    if (!row) return row.error();
    return sdk::Reply::page(sdk::Json::array({*row}), 1, 0);
}

/// The email is there, with the package as its attachment, when the job sends it.
sdk::Result<sdk::Reply> DocumentExports::send(const sdk::Call& call) const {
    auto job = finished_job_of(call);
    if (!job) return job.error();
    const sdk::InnerOperation create{.method = "POST"};
    if (!services_.operations.is_offered(kEmail, false, create)) {
        return sdk::make_error(sdk::ErrorKind::unimplemented, "archives.mail_unavailable",
                               "no enabled plugin of this server sends mails");
    }
    auto application = named_record(call, "applicationId", {kApplication, ""});
    if (!application) return application.error();
    auto provider = named_record(call, "emailProviderId", {kEmailProvider, {}, *application});
    if (!provider) return provider.error();
    const auto email = call.body().find("email");
    if (email == call.body().end() || !email->is_object())
        return sdk::invalid_parameter("email", "must be an object with the members of an email");
    sdk::Context& context = call.context();
    auto written = write(services_, room_, context, *job, {});
    if (!written) return written.error();
    auto made = json_of(services_.operations.on_collection(context, kEmail, *application,
                                                           {.method = "POST", .body = *email}));
    if (!made) return made.error();
    auto record =
        context.documents().read({kEmail, {}, *application}, sdk::text_member(*made, "_doc"));
    if (!record) return record.error();
    auto attached = services_.operations.on_record(context, record->key,
                                                   {.method = "POST",
                                                    .path = "/attachments/{attachmentId}",
                                                    .values = {kPackageAttachment},
                                                    .parameters = {{"filename", written->name}},
                                                    .bytes = opener_of(std::move(written->bytes)),
                                                    .content_type = written->content_type});
    if (!attached) return attached.error();
    auto email_reference = context.reference(record->key);
    if (!email_reference) return email_reference.error();
    auto provider_reference = context.reference(*provider);
    if (!provider_reference) return provider_reference.error();
    auto mail = services_.jobs.start(
        context, {.type = kDocumentMailJob,
                  .input = {{"email", *email_reference}, {"provider", *provider_reference}}});
    if (!mail) return mail.error();
    return sdk::Reply::status(
        {{"_doc", sdk::text_member(*job, "_doc")}, {"emailId", record->id}, {"emailJobId", *mail}});
}

void DocumentExports::add_to(sdk::Registrar& registrar) const {
    using sdk::shape::boolean;
    using sdk::shape::integer;
    using sdk::shape::object;
    using sdk::shape::optional;
    using sdk::shape::text;
    services_.jobs.define(
        {.name = kDocumentExportJob, .run = [this](sdk::Job& job) { return run(services_, job); }});
    services_.jobs.define({.name = kDocumentMailJob,
                           .run = [this](sdk::Job& job) { return run_mail(services_, job); }});
    const std::string path = "/ref/exports/{exportId}";
    registrar.add(sdk::Endpoint{.method = "POST",
                                .path = "/ref/exports/start",
                                .title = "Export documents by reference",
                                .run = [this](const sdk::Call& call) { return start(call); },
                                .takes = object({{"references", sdk::shape::array(text())},
                                                 optional("package", text({"ZIP", "PDF"})),
                                                 optional("zipUsePdfEntries", boolean()),
                                                 optional("mergePdfs", boolean()),
                                                 optional("includeMetadata", boolean()),
                                                 optional("includeAttachments", boolean())}),
                                .answers = sdk::shape::status({{"_doc", text()}})});
    registrar.add(sdk::Endpoint{.method = "GET",
                                .path = path + "/status",
                                .title = "Tell how far an export of documents is",
                                .run = [this](const sdk::Call& call) { return status(call); },
                                .answers = sdk::shape::status({{"_doc", text()},
                                                               {"state", text()},
                                                               {"fileCount", integer()},
                                                               optional("message", text())})});
    for (const char* end : {"/download", "/download/{index}"}) {
        registrar.add(sdk::Endpoint{.method = "GET",
                                    .path = path + end,
                                    .title = "Download an export of documents, or one of its files",
                                    .run = [this](const sdk::Call& call) { return download(call); },
                                    .parameters = {{"a", false, sdk::FieldKind::boolean}},
                                    .slow = true,
                                    .answers = sdk::shape::bytes()});
    }
    registrar.add(sdk::Endpoint{
        .method = "POST",
        .path = path + "/generate",
        .title = "Make a node of an export of documents",
        .run = [this](const sdk::Call& call) { return generate(call); },
        .slow = true,
        .takes = object({{"repositoryId", text()},
                         {"branchId", text()},
                         optional("properties", object()),
                         optional("parentFolderPath", sdk::shape::either({text(), object()}))}),
        .answers = sdk::shape::page(sdk::shape::record(kNode))});
    registrar.add(sdk::Endpoint{
        .method = "POST",
        .path = path + "/email",
        .title = "Send an export of documents by mail",
        .run = [this](const sdk::Call& call) { return send(call); },
        .slow = true,
        .takes =
            object({{"applicationId", text()}, {"emailProviderId", text()}, {"email", object()}}),
        .answers =
            sdk::shape::status({{"_doc", text()}, {"emailId", text()}, {"emailJobId", text()}})});
}

}  // namespace stele::archives

// Destructors and default bodies of the interfaces: because they are defined here and nowhere else,
// each interface has one vtable and one type identity, which kernel and plugins share.

#include <utility>

#include <stele/sdk/authorities.hpp>
#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/context.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/engine_binaries.hpp>
#include <stele/sdk/file_reader.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>
#include <stele/sdk/seed_member.hpp>
#include <stele/sdk/services/accounts.hpp>
#include <stele/sdk/services/activities.hpp>
#include <stele/sdk/services/attachment_reader.hpp>
#include <stele/sdk/services/authenticator.hpp>
#include <stele/sdk/services/branch_merging.hpp>
#include <stele/sdk/services/callers.hpp>
#include <stele/sdk/services/collection_indexes.hpp>
#include <stele/sdk/services/content_log.hpp>
#include <stele/sdk/services/content_sizes.hpp>
#include <stele/sdk/services/content_transfer.hpp>
#include <stele/sdk/services/engine_source.hpp>
#include <stele/sdk/services/families.hpp>
#include <stele/sdk/services/family_operations.hpp>
#include <stele/sdk/services/inner_operations.hpp>
#include <stele/sdk/services/inner_rights.hpp>
#include <stele/sdk/services/invitations.hpp>
#include <stele/sdk/services/mailer.hpp>
#include <stele/sdk/services/node_copies.hpp>
#include <stele/sdk/services/node_paths.hpp>
#include <stele/sdk/services/node_search.hpp>
#include <stele/sdk/services/picture_maker.hpp>
#include <stele/sdk/services/platforms.hpp>
#include <stele/sdk/services/policy_source.hpp>
#include <stele/sdk/services/principal_directory.hpp>
#include <stele/sdk/services/project_templates.hpp>
#include <stele/sdk/services/record_binaries.hpp>
#include <stele/sdk/services/record_lists.hpp>
#include <stele/sdk/services/record_transfer.hpp>
#include <stele/sdk/services/row_query.hpp>
#include <stele/sdk/services/system_policies.hpp>
#include <stele/sdk/services/team_groups.hpp>
#include <stele/sdk/services/teams.hpp>
#include <stele/sdk/services/tenants.hpp>
#include <stele/sdk/shared_engine.hpp>

namespace stele::sdk {

Accounts::~Accounts() = default;
Activities::~Activities() = default;
AddressedEngineSource::~AddressedEngineSource() = default;
Authenticator::~Authenticator() = default;
Authorities::~Authorities() = default;
BlobStore::~BlobStore() = default;
BlobStore::Reader::~Reader() = default;
BlobStore::Writer::~Writer() = default;
FileReader::~FileReader() = default;
FileBlobs::~FileBlobs() = default;
Callers::~Callers() = default;
Context::~Context() = default;
ContextPart::~ContextPart() = default;
CollectionIndexes::~CollectionIndexes() = default;
DataStores::~DataStores() = default;
Documents::~Documents() = default;
EngineSource::~EngineSource() = default;
Families::~Families() = default;
FamilyOperations::~FamilyOperations() = default;
AttachmentReader::~AttachmentReader() = default;
InnerOperations::~InnerOperations() = default;
Invitations::~Invitations() = default;
Mailer::~Mailer() = default;
NodeSearch::~NodeSearch() = default;
PictureMaker::~PictureMaker() = default;
Platforms::~Platforms() = default;
PolicySource::~PolicySource() = default;
ContentLog::~ContentLog() = default;
ContentSizes::~ContentSizes() = default;
RecordBinaries::~RecordBinaries() = default;
ProjectTemplates::~ProjectTemplates() = default;
RecordLists::~RecordLists() = default;
RecordTransfer::~RecordTransfer() = default;
RowQuery::~RowQuery() = default;
ContentSource::~ContentSource() = default;

Result<std::uint64_t> ContentSource::count() {
    return std::uint64_t{0};
}

Result<void> ContentSource::for_each_wanted(const IsWanted& is_wanted, const Visit& visit) {
    std::uint64_t position = 0;
    return for_each([&](ContentItem item) -> Result<void> {
        return is_wanted(position++) ? visit(std::move(item)) : Result<void>();
    });
}

ContentTransfer::~ContentTransfer() = default;
NodeCopies::~NodeCopies() = default;
BranchMerging::~BranchMerging() = default;
NodePaths::~NodePaths() = default;
PrincipalDirectory::~PrincipalDirectory() = default;

std::string_view PrincipalDirectory::home_type() const {
    return {};
}

Result<bool> PrincipalDirectory::is_of_everyone(const Reader&, const RecordKey&) {
    return true;
}

Result<bool> PrincipalDirectory::may_act(const Reader&, const RecordKey&) {
    return true;
}

Result<bool> PrincipalDirectory::is_guest(Context&, const Principal&) {
    return false;
}

Registrar::~Registrar() = default;
Resource::~Resource() = default;
SharedEngine::~SharedEngine() = default;
EngineBinaries::~EngineBinaries() = default;
RoomKeeper::~RoomKeeper() = default;
SystemPolicies::~SystemPolicies() = default;
TeamGroups::~TeamGroups() = default;
Teams::~Teams() = default;
Tenants::~Tenants() = default;

std::filesystem::path Registrar::data_folder() {
    return {};
}
void Registrar::add_seed(SeedMember) {}
void Registrar::on_start(std::function<void()>) {}
void Registrar::on_stop(std::function<void()>) {}
void Registrar::on_check(std::function<void(std::vector<std::string>&)>) {}

Result<void> BlobStore::for_each_before(std::int64_t,
                                        const std::function<void(std::string_view)>&) {
    return {};
}
Result<std::optional<std::uint64_t>> BlobStore::remove_before(std::string_view, std::int64_t) {
    return std::optional<std::uint64_t>();
}

Result<void> Resource::check_writable(const Change&, Context&) {
    return {};
}
Result<void> Resource::prepare(Change&, Context&) {
    return {};
}
void Resource::validate(const Change&, Context&, Violations&) {}
Result<void> Resource::stored(const Change&, Context&) {
    return {};
}
void Resource::notify(const Change&) {}
Result<std::vector<Companion>> Resource::companions(Context&, const Document&) {
    return std::vector<Companion>();
}
Result<void> Resource::accompany(Context&, const Document& record, const Companion& companion) {
    return make_error(ErrorKind::invalid, "resource.companion_unknown",
                      "record " + record.id + " takes nothing under the name " + companion.name);
}
Result<void> Resource::complete_secrets(Context&, const Document&, Json&) {
    return {};
}
Result<bool> Resource::restore_secrets(Context&, const Document&, const Json&) {
    return false;
}

namespace {

/// A descriptor promises what its family does not do.
Error missing_hook(const char* member, const char* hook) {
    return make_error(ErrorKind::internal, "resource.hook_missing",
                      "the server failed; the request id leads to its log",
                      std::string("a family whose descriptor says ") + member + " has no " + hook);
}

}  // namespace

Result<Json> Resource::locate(const Call&, const Parameters&, Json&) {
    return missing_hook("is_placed", "locate");
}
Result<std::optional<Document>> Resource::place(const Call&, const Document&, const Json&) {
    return missing_hook("is_placed", "place");
}
Result<Attachment> Resource::keep_file(const Call&, const IncomingFile&, const PieceSource&) {
    return missing_hook("takes_forms", "keep_file");
}
Result<void> Resource::attach(const Call&, const std::vector<FiledRecord>&) {
    return missing_hook("takes_forms", "attach");
}
Result<ShownRecord> Resource::show(const Call&) {
    return missing_hook("is_shown", "show");
}
Result<void> Resource::complete_query(const Call&, Json&) {
    return {};
}
Result<std::vector<Json>> Resource::rows(const Call&) {
    return missing_hook("has_own_rows", "rows");
}
Result<void> Resource::present(const Call&, Json&) {
    return {};
}

Result<Json> Resource::read_inner(Context&, const Document&, std::string_view word,
                                  std::string_view ids) {
    return make_error(ErrorKind::not_found, "document.unknown",
                      "there is no " + std::string(word) + " " + std::string(ids));
}

std::int64_t Resource::added_by_space(const Document&) {
    return 0;
}

Result<void> Resource::complete_system(const Change&, Context&, Json&) {
    return {};
}

namespace {

Error no_space() {
    return make_error(ErrorKind::internal, "resource.space_missing",
                      "the server failed; the request id leads to its log",
                      "a family whose descriptor says has_space opens none");
}

}  // namespace

Result<std::unique_ptr<Reader>> Resource::read_space(const Reader&, const SpaceCollection&) {
    return no_space();
}
Result<Transaction*> Resource::write_space(Context&, const SpaceCollection&) {
    return no_space();
}
Result<std::vector<std::string>> Resource::roles_of(const Reader&, const SpaceCollection&,
                                                    const RecordKey&, const RecordKey&) {
    return std::vector<std::string>();
}
Result<std::vector<RecordKey>> Resource::inherits_from(const Reader&, const SpaceCollection&,
                                                       const RecordKey&) {
    return std::vector<RecordKey>();
}
Result<std::vector<RecordKey>> Resource::origins_of(const Reader&, const SpaceCollection&,
                                                    const RecordKey&) {
    return std::vector<RecordKey>();
}
Result<std::vector<RecordKey>> Resource::origins_inside(const Reader&, const SpaceCollection&) {
    return std::vector<RecordKey>();
}
Result<std::vector<std::string>> Resource::paths_of(const Reader&, const SpaceCollection&,
                                                    const RecordKey&) {
    return std::vector<std::string>();
}
Result<std::vector<RecordKey>> Resource::bounded_by(const Reader&, const RecordKey&) {
    return std::vector<RecordKey>();
}

Result<PolicySource::OutsideProjects> PolicySource::outside_projects(const Reader&, std::uint64_t) {
    return OutsideProjects();
}
void PolicySource::meet(std::vector<PolicyFamily>) {}
bool PolicySubject::has_fact(std::string_view fact) const {
    return std::find(facts->begin(), facts->end(), fact) != facts->end();
}
const std::vector<std::string>& PolicySubject::no_facts() {
    static const std::vector<std::string> kNone;
    return kNone;
}

Result<void> ContextPart::finish(Context&) {
    return {};
}
void ContextPart::complete(const Transaction&, std::string&) {}

InnerRights::~InnerRights() = default;

}  // namespace stele::sdk

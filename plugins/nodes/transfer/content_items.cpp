#include "transfer/content_items.hpp"

#include <memory>

#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/unnamed_file.hpp>

#include "attachment/attachments.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kReadPiece = std::size_t{256} * 1024;
constexpr char kObjectId[] = "objectId";

/// What a branch keeps about a node beside what it says.
constexpr std::array kComputed{member::kStatistics, member::kPaths, "_search", "ok"};

sdk::Result<sdk::PieceSource> open_bytes(sdk::BlobStore& binaries, const std::string& name) {
    auto opened = binaries.open(name);
    if (!opened) return opened.error();
    // Functions are copied; all copies read on at one place.
    const std::shared_ptr<sdk::BlobStore::Reader> reader = std::move(*opened);
    return sdk::PieceSource([reader, at = std::uint64_t{0}](std::string& piece) mutable {
        auto read = reader->read(at, kReadPiece, piece);
        if (read) at += piece.size();
        return read;
    });
}

/// Archives of other servers do not say so.
bool looks_like_association(const sdk::Json& fields) {
    const auto has = [&fields](const char* name) {
        return !sdk::text_member(fields, name).empty();
    };
    return has(member::kSource) && has(member::kTarget) &&
           (has(member::kDirectionality) || has(member::kSourceType) || has(member::kTargetType));
}

}  // namespace

ItemKind kind_of(const sdk::Json& fields) {
    const bool is_said = fields.contains(member::kIsAssociation);
    if (is_said ? is_association(fields) : looks_like_association(fields))
        return ItemKind::association;
    return is_definition(fields) ? ItemKind::definition : ItemKind::node;
}

bool is_root(const sdk::Json& fields) {
    return sdk::text_member(fields, member::kQName) == kRootQName ||
           sdk::text_member(fields, member::kType) == type::kRoot;
}

bool is_person(const sdk::Json& fields) {
    const std::string type = sdk::text_member(fields, member::kType);
    return type == type::kPerson || type == type::kGroup;
}

std::filesystem::path scratch_folder(const BranchContent& content) {
    return sdk::scratch_folder_in(content.services().registrar.data_folder());
}

sdk::Result<ItemMaker> ItemMaker::open(const BranchContent& content, bool has_attachments) {
    auto binaries = content.context().data_stores().binaries(content.branch());
    if (!binaries) return binaries.error();
    return ItemMaker(**binaries, has_attachments);
}

sdk::ContentItem ItemMaker::item(const std::string& id, sdk::Json record) const {
    sdk::ContentItem item;
    item.id = id;
    for (const char* name : kComputed)
        record.erase(name);
    // A lock is the branch's, not the node's.
    const auto features = record.find(member::kFeatures);
    if (features != record.end() && features->is_object()) features->erase(feature::kLocked);
    const auto system = record.find(member::kSystem);
    const bool has_system = system != record.end() && system->is_object();
    if (!has_attachments_ && has_system) system->erase(member::kAttachments);
    const sdk::Json attachments = kept_attachments(record);
    for (const auto& [name, kept] : attachments.items()) {
        sdk::ContentItem::File file{Attachment::from_json(name, kept), {}};
        const std::string object = std::exchange(file.attachment.object_id, {});
        file.open = [binaries = binaries_, object] { return open_bytes(*binaries, object); };
        item.files.push_back(std::move(file));
        (*system)[member::kAttachments][name].erase(kObjectId);
    }
    if (system != record.end()) item.changeset = sdk::text_member(*system, member::kChangeset);
    item.fields = std::move(record);
    return item;
}

sdk::ContentItem ItemMaker::removal(const std::string& id, std::string changeset) {
    sdk::ContentItem item;
    item.changeset = std::move(changeset);
    item.id = id;
    item.is_removed = true;
    item.fields = {{"_doc", id}, {member::kSystem, {{"deleted", true}}}};
    return item;
}

}  // namespace stele::nodes

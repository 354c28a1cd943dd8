#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/zip.hpp>

#include "attachment/attachment_writer.hpp"
#include "branch/vocabulary.hpp"
#include "graph/new_node.hpp"
#include "job/index_job.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

/// A node for a file of the archive, in the folders that its path names below the node.
sdk::Result<sdk::Document> unpack(const BranchContent& content, const std::string& below,
                                  const sdk::ZipReader& archive, const sdk::ZipEntry& entry) {
    const std::size_t slash = entry.path.rfind('/');
    const std::string name = slash == std::string::npos ? entry.path : entry.path.substr(slash + 1);
    auto stored = store_attachment(
        content, {.file_name = name, .content_type = sdk::media_type_of_name(name)},
        archive.read(entry));
    if (!stored) return stored.error();
    const sdk::Parameters parameters = [&](std::string_view wanted) -> std::optional<std::string> {
        if (wanted == "rootNodeId") return below;
        if (wanted == "filePath") return entry.path;
        return std::nullopt;
    };
    auto made = create_node(content, parameters, sdk::Json::object());
    if (!made) return made;
    return put_attachments(content, *made, {{stored->id, stored->to_json()}});
}

sdk::Result<sdk::Reply> unzip(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto may = content->require_create(); !may) return may.error();
    const std::string id = call.parameter(sdk::kAttachmentId).value_or(kDefaultAttachment);
    auto attachment = find_attachment(kept_attachments(call.record().fields), id);
    if (!attachment) return attachment.error();
    auto binaries = call.context().data_stores().binaries(content->branch());
    if (!binaries) return binaries.error();
    auto bytes = (*binaries)->open(attachment->object_id);
    if (!bytes) return bytes.error();
    auto archive = sdk::ZipReader::open(**bytes, {});
    if (!archive) return archive.error();
    sdk::Json made = sdk::Json::array();
    auto unpacked = archive->for_each([&](const sdk::ZipEntry& entry) -> sdk::Result<bool> {
        if (entry.is_folder()) {
            auto folder = content->make_folders(call.record(), split_path(entry.path));
            if (!folder) return folder.error();
            return true;
        }
        auto node = unpack(*content, call.record().id, *archive, entry);
        if (!node) return node.error();
        made.push_back(node->id);
        return true;
    });
    if (!unpacked) return unpacked.error();
    if (auto started = start_index_job(*content); !started) return started.error();
    return sdk::Reply::status({{"_doc", call.record().id}, {"_docs", std::move(made)}});
}

}  // namespace

sdk::Actions node_unzip_actions() {
    return {{.name = "unzip",
             .permission = sdk::Permission::update,
             .run = operation<&unzip>(),
             .parameters = {{sdk::kAttachmentId}},
             .slow = true,
             .answers = sdk::shape::status({ids_member()})}};
}

}  // namespace stele::nodes

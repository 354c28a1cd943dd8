#include "attachment/attachments.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

sdk::Json kept_attachments(const sdk::Json& record) {
    const auto system = record.find(member::kSystem);
    if (system == record.end() || !system->is_object()) return sdk::Json::object();
    const auto attachments = system->find(member::kAttachments);
    if (attachments == system->end() || !attachments->is_object()) return sdk::Json::object();
    return *attachments;
}

sdk::Result<std::vector<Attachment>> attachments_in(const sdk::ContentVersion& version) {
    std::vector<Attachment> found;
    // Most nodes have none, and decoding them all would take most of the time.
    if (version.text.find(member::kAttachments) == std::string::npos) return found;
    auto node = sdk::parse_json(version.text, {.depth = 200});
    if (!node) return node.error();
    const sdk::Json attachments = kept_attachments(*node);
    for (const auto& [id, kept] : attachments.items())
        found.push_back(Attachment::from_json(id, kept));
    return found;
}

sdk::Result<sdk::Reply> attachment_page(Services& services, const sdk::Call& call,
                                        const sdk::Json& attachments) {
    std::vector<sdk::Json> rows;
    for (const auto& [id, kept] : attachments.items()) {
        rows.push_back(Attachment::from_json(id, kept).row());
    }
    return services.rows.page(rows, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> attachment_download(const BranchContent& content, const sdk::Call& call,
                                            const sdk::Json& version) {
    auto attachment = find_attachment(kept_attachments(version), call.path(sdk::kAttachmentId));
    if (!attachment) return attachment.error();
    attachment->modified_ms = sdk::system_ms(version, "modified_on");
    auto binaries = content.context().data_stores().binaries(content.branch());
    if (!binaries) return binaries.error();
    return sdk::attachment_reply(**binaries, call, *attachment);
}

}  // namespace stele::nodes

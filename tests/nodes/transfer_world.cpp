#include "tests/nodes/transfer_world.hpp"

#include <optional>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "attachment/attachment_writer.hpp"
#include "branch/vocabulary.hpp"

namespace stele::tests {

namespace {

using nodes::BranchContent;

std::string word_there(const std::string& text, const std::map<std::string, std::string>& ids) {
    const bool is_reference = text.starts_with("node://");
    const std::string id = is_reference ? text.substr(text.rfind('/') + 1) : text;
    const bool is_name = id.starts_with("o:");
    const auto found = ids.find(is_name ? id.substr(2) : id);
    if (found == ids.end()) return id;
    return is_name ? "o:" + found->second : found->second;
}

void put_in_words_there(sdk::Json& value, const std::map<std::string, std::string>& ids) {
    if (value.is_string()) value = word_there(value.get<std::string>(), ids);
    if (!value.is_structured()) return;
    for (sdk::Json& inner : value)
        put_in_words_there(inner, ids);
}

}  // namespace

sdk::Result<void> ListedItems::for_each(const Visit& visit) {
    for (const sdk::ContentItem& item : items_) {
        if (auto visited = visit(item); !visited) return visited;
    }
    return {};
}

sdk::ContentItem item_of(sdk::Json fields) {
    sdk::ContentItem item;
    item.id = sdk::text_member(fields, "_doc");
    item.fields = std::move(fields);
    return item;
}

sdk::ContentItem association_of(const std::string& id, const std::string& type,
                                const std::string& source, const std::string& target) {
    return item_of({{"_doc", id},
                    {"_type", type},
                    {"_is_association", true},
                    {"directionality", "DIRECTED"},
                    {"source", source},
                    {"target", target}});
}

std::string bytes_of(const sdk::ContentItem& item, const std::string& attachment) {
    for (const sdk::ContentItem::File& file : item.files) {
        if (file.attachment.id != attachment) continue;
        const sdk::PieceSource read = must(file.open());
        std::string bytes, piece;
        do {
            must(read(piece));
            bytes += piece;
        } while (!piece.empty());
        return bytes;
    }
    throw std::runtime_error("no attachment " + attachment);
}

const sdk::ContentItem& titled(const Items& items, const std::string& title) {
    const sdk::ContentItem* found = nullptr;
    for (const sdk::ContentItem& item : items) {
        if (sdk::text_member(item.fields, "title") != title) continue;
        if (found != nullptr) throw std::runtime_error("two items say " + title);
        found = &item;
    }
    if (found == nullptr) throw std::runtime_error("no item says " + title);
    return *found;
}

std::map<std::string, sdk::Json> in_words_of(const Items& items,
                                             const std::map<std::string, std::string>& ids) {
    std::map<std::string, sdk::Json> found;
    for (const sdk::ContentItem& item : items) {
        sdk::Json fields = item.fields;
        const sdk::Json system = fields.value("_system", sdk::Json::object());
        fields.erase("_system");
        for (const char* name : {"source_changeset", "target_changeset"})
            fields.erase(name);
        fields["attachments"] = system.value("attachments", sdk::Json::object());
        put_in_words_there(fields, ids);
        const auto there = ids.find(item.id);
        found[there == ids.end() ? item.id : there->second] = std::move(fields);
    }
    return found;
}

void TransferWorld::change(const sdk::RecordKey& branch, const Work& work, std::size_t user) {
    auto done = world.work(user, [&](sdk::Context& context) -> sdk::Result<void> {
        work(must(BranchContent::open(world.services(), context, branch)));
        return {};
    });
    has_written = must(std::move(done));
}

std::string TransferWorld::make(const sdk::RecordKey& branch, sdk::Json fields, std::size_t user) {
    std::string id;
    change(
        branch, [&](const BranchContent& content) { id = must(content.create(fields)).id; }, user);
    return id;
}

std::string TransferWorld::join(const sdk::RecordKey& branch, const std::string& source,
                                const std::string& target, const std::string& type,
                                sdk::Json fields) {
    std::string id;
    change(branch, [&](const BranchContent& content) {
        id = must(content.associate(
                      {.source = source, .target = target, .type = type, .fields = fields}))
                 .id;
    });
    return id;
}

void TransferWorld::attach(const sdk::RecordKey& branch, const std::string& node,
                           const std::string& id, const std::string& bytes) {
    change(branch, [&](const BranchContent& content) {
        std::string left = bytes;
        auto stored = must(nodes::store_attachment(
            content, {.id = id, .file_name = id + ".txt", .content_type = "text/plain"},
            [&](std::string& piece) {
                piece = std::exchange(left, {});
                return sdk::Result<void>();
            }));
        const sdk::Document document = must(content.node(node));
        sdk::Json attachments = nodes::kept_attachments(document.fields);
        attachments[id] = stored.to_json();
        must(nodes::put_attachments(content, document, attachments));
    });
}

void TransferWorld::remove(const sdk::RecordKey& branch, const std::string& node) {
    change(branch, [&](const BranchContent& content) {
        must(content.context().documents().remove(content.nodes(), node));
    });
}

sdk::Json TransferWorld::read(const sdk::RecordKey& branch, const std::string& node) {
    sdk::Json fields;
    change(branch, [&](const BranchContent& content) { fields = must(content.node(node)).fields; });
    return fields;
}

std::vector<std::string> TransferWorld::targets(const sdk::RecordKey& branch,
                                                const std::string& node, const std::string& type) {
    std::vector<std::string> found;
    change(branch, [&](const BranchContent& content) {
        for (const nodes::Edge& edge : must(content.edges(node, nodes::Direction::outgoing, type)))
            found.push_back(edge.other);
    });
    return found;
}

std::size_t TransferWorld::count(const sdk::RecordKey& branch, const sdk::Json& query) {
    std::size_t rows = 0;
    change(branch, [&](const BranchContent& content) {
        rows = must(content.context().documents().query(content.nodes(), query)).total_rows;
    });
    return rows;
}

std::string TransferWorld::tip(const sdk::RecordKey& branch) {
    std::string id;
    change(branch, [&](const BranchContent& content) {
        const sdk::Reader& store = content.context().transaction();
        const nodes::BranchStore& branches = world.services().branches;
        const nodes::Revision tip = must(branches.tip(store, content.place()));
        id = nodes::changeset_id(tip, must(branches.note(store, content.place(), tip)).random_part);
    });
    return id;
}

std::string TransferWorld::root(const sdk::RecordKey& branch) {
    return sdk::text_member(read(branch, "root"), "_doc");
}

void TransferWorld::set_repository_of(const sdk::RecordKey& branch, const sdk::Json& members) {
    must(world.work(kAnn, [&](sdk::Context& context) -> sdk::Result<void> {
        const std::string id =
            sdk::text_member(must(context.documents().read(branch)).fields, nodes::kRepositoryId);
        const sdk::CollectionName repositories{nodes::kRepositoryType, ""};
        sdk::Json fields = must(context.documents().read(repositories, id)).fields;
        fields.update(members);
        must(context.documents().update(repositories, id, fields));
        return {};
    }));
}

void TransferWorld::set_branch(const sdk::RecordKey& branch, const sdk::Json& members) {
    must(world.work(kAnn, [&](sdk::Context& context) -> sdk::Result<void> {
        const sdk::Document present = must(context.documents().read(branch));
        sdk::Json fields = present.fields;
        fields.update(members);
        const std::string repository = sdk::text_member(fields, nodes::kRepositoryId);
        must(context.documents().update({nodes::kBranchType, repository}, present.id, fields));
        return {};
    }));
}

sdk::Result<Items> TransferWorld::take_out(const sdk::ContentSelection& selection,
                                           std::size_t user) {
    Items items;
    omissions = {};
    auto done = world.work(user, [&](sdk::Context& context) -> sdk::Result<void> {
        auto source = transfer.open(context, selection, omissions);
        if (!source) return source.error();
        return (*source)->for_each([&](const sdk::ContentItem& item) {
            items.push_back(item);
            return sdk::Result<void>();
        });
    });
    if (!done) return done.error();
    return items;
}

ReportedImport::ReportedImport(const sdk::ContentReport& report)
    : created(report.created),
      updated(report.updated),
      skipped(report.skipped),
      associations(report.associations),
      attachments(report.attachments),
      notes(report.notes) {
    must(report.ids.for_each([this](std::string_view id, std::string_view here) {
        ids.emplace(id, here);
        return sdk::Result<void>();
    }));
}

sdk::Result<ReportedImport> TransferWorld::bring_in(const Items& items,
                                                    const sdk::ContentTarget& target,
                                                    std::size_t user) {
    ListedItems source(items);
    return bring_in(source, target, user);
}

sdk::Result<ReportedImport> TransferWorld::bring_in(sdk::ContentSource& source,
                                                    const sdk::ContentTarget& target,
                                                    std::size_t user) {
    std::optional<ReportedImport> report;
    auto done = world.work(user, [&](sdk::Context& context) -> sdk::Result<void> {
        auto brought = transfer.import(context, source, target);
        if (!brought) return brought.error();
        report.emplace(*brought);
        return {};
    });
    if (!done) return done.error();
    has_written = *done;
    return *report;
}

}  // namespace stele::tests

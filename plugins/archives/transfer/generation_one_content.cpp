#include "transfer/generation_one_content.hpp"

#include <algorithm>
#include <tuple>

#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/members.hpp>

namespace stele::archives {

namespace {

using sdk::Json;

constexpr std::string_view kJsonEnding = ".json";
constexpr char kEdition[] = "1.0";

std::vector<std::string_view> segments_of(std::string_view path) {
    std::vector<std::string_view> segments;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        segments.push_back(path.substr(0, slash));
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    return segments;
}

std::string folder_of(std::string_view path) {
    return std::string(path.substr(0, path.rfind('/')));
}

std::string last_name_of(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

/// `/nodes/plum` of `/nodes/plum/translations/de`.
std::string master_of(std::string_view translation) {
    return folder_of(folder_of(translation));
}

/// `/nodes/plum`, however many slashes are written around it.
std::string id_of_path(std::string_view path) {
    while (path.starts_with('/'))
        path.remove_prefix(1);
    while (path.ends_with('/'))
        path.remove_suffix(1);
    return '/' + std::string(path);
}

Json& feature_of(Json& fields, const char* name) {
    Json& features = fields["_features"];
    if (!features.is_object()) features = Json::object();
    Json& feature = features[name];
    if (!feature.is_object()) feature = Json::object();
    return feature;
}

void set_default(Json& fields, const char* name, std::string_view value) {
    if (sdk::text_member(fields, name).empty()) fields[name] = value;
}

sdk::ContentItem link(std::string id, const char* type, std::string source, std::string target,
                      Json said) {
    sdk::ContentItem item;
    item.id = std::move(id);
    item.fields = std::move(said);
    item.fields["_type"] = type;
    item.fields["_is_association"] = true;
    item.fields["directionality"] = "DIRECTED";
    item.fields["source"] = std::move(source);
    item.fields["target"] = std::move(target);
    return item;
}

}  // namespace

sdk::Result<GenerationOneContent> GenerationOneContent::open(const ArchiveFiles& archive) {
    GenerationOneContent content(archive);
    auto walked = archive.for_each([&content](const sdk::ZipEntry& entry) -> sdk::Result<void> {
        const bool is_below = entry.path.size() > kBranchFolder.size() &&
                              entry.path.starts_with(kBranchFolder) &&
                              entry.path[kBranchFolder.size()] == '/';
        if (!is_below) return {};
        return content.take(entry.path.substr(kBranchFolder.size()));
    });
    if (!walked) return walked.error();
    std::stable_sort(content.items_.begin(), content.items_.end(),
                     [](const Item& one, const Item& other) { return one.kind < other.kind; });
    return content;
}

sdk::Result<void> GenerationOneContent::take(const std::string& path) {
    const std::vector<std::string_view> names = segments_of(std::string_view(path).substr(1));
    const std::string_view last = names.back();
    const std::string_view area = names.front();
    const bool is_node = area == "types" || area == "nodes";
    if (is_node && names.size() > 3 && names[names.size() - 2] == "attachments") {
        attachments_[folder_of(folder_of(path))].push_back(path);
    } else if (area == "associations" && names.size() == 5 && last == "association.json") {
        items_.push_back({Kind::association, path});
    } else if (is_node && names.size() == 3 && last == "node.json") {
        items_.push_back({area == "types" ? Kind::definition : Kind::node, path});
    } else if (is_node && names.size() == 4 && names[2] == "forms" && last.ends_with(kJsonEnding)) {
        items_.push_back({Kind::form, path});
    } else if (is_node && names.size() == 5 && names[2] == "translations" &&
               last == "translation.json") {
        masters_.insert(master_of(folder_of(path)));
        items_.push_back({Kind::translation, path});
    } else {
        return {};
    }
    return memory_.keep(path);
}

sdk::Result<Json> GenerationOneContent::read(const std::string& path) const {
    auto file = archive_->find(std::string(kBranchFolder) + path);
    if (!file) return file.error();
    if (!*file) return Json::object();
    return read_json(**file);
}

sdk::Result<std::vector<sdk::ContentItem::File>> GenerationOneContent::files_of(
    const std::string& folder) const {
    std::vector<sdk::ContentItem::File> files;
    const auto paths = attachments_.find(folder);
    if (paths == attachments_.end()) return files;
    std::set<std::string> taken;
    for (const std::string& path : paths->second) {
        auto found = archive_->find(std::string(kBranchFolder) + path);
        if (!found) return found.error();
        const std::string name = last_name_of(path);
        const std::size_t dot = name.rfind('.');
        std::string id = dot == 0 ? name : name.substr(0, dot);
        // Two files may differ by their endings alone.
        if (!taken.insert(id).second) id = name;
        taken.insert(id);
        files.push_back(
            {.attachment = {.id = std::move(id),
                            .file_name = name,
                            .content_type = sdk::media_type_of_name(name),
                            .length = (*found)->entry.size},
             .open = [file = **found]() -> sdk::Result<sdk::PieceSource> { return file.read(); }});
    }
    return files;
}

sdk::Result<sdk::ContentItem> GenerationOneContent::record_of(const Item& item,
                                                              const std::string& id) const {
    auto fields = read(item.path);
    if (!fields) return fields.error();
    sdk::ContentItem made;
    made.id = id;
    made.fields = *std::move(fields);
    made.fields["_is_association"] = false;
    auto files = files_of(id);
    if (!files) return files.error();
    made.files = *std::move(files);
    return made;
}

sdk::Result<sdk::ContentItem> GenerationOneContent::association_of(const Item& item) const {
    auto fields = read(item.path);
    if (!fields) return fields.error();
    sdk::ContentItem made;
    made.id = folder_of(item.path);
    made.fields = *std::move(fields);
    Json& said = made.fields;
    const std::vector<std::string_view> names = segments_of(std::string_view(made.id).substr(1));
    for (const auto& [end, path, name] :
         {std::tuple{"source", "_source", names[1]}, std::tuple{"target", "_target", names[3]}}) {
        const std::string told = sdk::text_member(said, path);
        said[end] = told.empty() ? "/nodes/" + std::string(name) : id_of_path(told);
        said.erase(path);
    }
    set_default(said, "_type", names[2]);
    set_default(said, "directionality", "DIRECTED");
    said["_is_association"] = true;
    return made;
}

sdk::Result<void> GenerationOneContent::visit_form(const Item& item, const Visit& visit) const {
    const std::string id = item.path.substr(0, item.path.size() - kJsonEnding.size());
    auto form = record_of(item, id);
    if (!form) return form.error();
    set_default(form->fields, "_type", "n:form");
    if (auto visited = visit(*std::move(form)); !visited) return visited;
    const std::string definition = folder_of(folder_of(item.path));
    return visit(
        link(id + "/form", "a:has_form", definition, id, {{"form-key", last_name_of(id)}}));
}

sdk::Result<void> GenerationOneContent::visit_translation(const Item& item,
                                                          const Visit& visit) const {
    const std::string id = folder_of(item.path);
    const std::string master = master_of(id);
    const std::string locale = last_name_of(id);
    auto translation = record_of(item, id);
    if (!translation) return translation.error();
    Json& fields = translation->fields;
    auto of_master = read(master + "/node.json");
    if (!of_master) return of_master.error();
    const std::string type = sdk::text_member(*of_master, "_type");
    set_default(fields, "_type", type.empty() ? "n:node" : type);
    feature_of(fields, "f:translation") = {
        {"enabled", true}, {"locale", locale}, {"edition", kEdition}, {"master-node-id", master}};
    feature_of(fields, "f:locale")["locale"] = locale;
    if (auto visited = visit(*std::move(translation)); !visited) return visited;
    return visit(link(id + "/translation", "a:has_translation", master, id,
                      {{"locale", locale}, {"edition", kEdition}}));
}

sdk::Result<void> GenerationOneContent::visit_item(const Item& item, const Visit& visit) const {
    if (item.kind == Kind::form) return visit_form(item, visit);
    if (item.kind == Kind::translation) return visit_translation(item, visit);
    if (item.kind == Kind::association) {
        auto association = association_of(item);
        return association ? visit(*std::move(association)) : association.error();
    }
    const std::string id = folder_of(item.path);
    auto record = record_of(item, id);
    if (!record) return record.error();
    if (item.kind == Kind::definition) set_default(record->fields, "_type", "d:type");
    if (masters_.contains(id))
        set_default(feature_of(record->fields, "f:multilingual"), "edition", kEdition);
    return visit(*std::move(record));
}

sdk::Result<void> GenerationOneContent::for_each(const Visit& visit) {
    for (const Item& item : items_) {
        if (auto visited = visit_item(item, visit); !visited) return visited;
    }
    return {};
}

sdk::Result<std::vector<std::string>> GenerationOneContent::tops() const {
    std::vector<std::string> nodes;
    std::set<std::string> reached;
    for (const Item& item : items_) {
        if (item.kind == Kind::node) nodes.push_back(folder_of(item.path));
        if (item.kind != Kind::association) continue;
        auto association = association_of(item);
        if (!association) return association.error();
        if (sdk::text_member(association->fields, "directionality") != "UNDIRECTED")
            reached.insert(sdk::text_member(association->fields, "target"));
    }
    std::vector<std::string> tops;
    std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(tops),
                 [&reached](const std::string& id) { return !reached.contains(id); });
    return tops.empty() ? nodes : tops;
}

}  // namespace stele::archives

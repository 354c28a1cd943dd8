#include "history/stored_content.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "history/deletion.hpp"
#include "history/history.hpp"

namespace stele::nodes {

namespace {

/// Walks up from a node, each folder once: its own paths are kept for all that lies in it.
class PathWalk {
public:
    explicit PathWalk(const StoredContent& content) : content_(content) {}

    sdk::Result<std::vector<std::string>> paths_of(const std::string& node) {
        auto found = paths(node);
        if (!found) return found.error();
        return **found;
    }

private:
    using Paths = std::vector<std::string>;

    static sdk::Error too_many() {
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.paths_too_many",
                               "a node has too many paths to look at them all");
    }

    sdk::Result<const Paths*> paths(const std::string& node) {
        const auto known = known_.find(node);
        // One that is on the way already lies in itself.
        if (known != known_.end()) return &known->second;
        if (known_.size() >= StoredContent::kMaxPaths) return too_many();
        Paths& own = known_[node];
        auto fields = content_.node(node);
        if (!fields) return fields.error();
        if (!*fields) return &own;
        if (sdk::text_member(**fields, member::kQName) == kRootQName) {
            own.push_back("/");
            return &own;
        }
        if (auto added = add_below_folders(node, name_of(**fields), own); !added)
            return added.error();
        return &own;
    }

    /// A slash of a name is no step of the path.
    static std::string segment_of(const std::string& name) {
        std::string segment;
        for (const char character : name) {
            if (character == '/')
                segment += "%2F";
            else
                segment += character;
        }
        return segment;
    }

    sdk::Result<void> add_below_folders(const std::string& node, const std::string& name,
                                        Paths& own) {
        const std::string segment = segment_of(name);
        std::vector<std::string> folders;
        auto walked = content_.graph().for_each_edge(
            node, Direction::incoming, association::kChild, [&folders](const Edge& edge) {
                if (edge.end == Direction::incoming) folders.push_back(edge.other);
                return folders.size() <= StoredContent::kMaxPaths;
            });
        if (!walked) return walked;
        for (const std::string& folder : folders) {
            auto above = paths(folder);
            if (!above) return above.error();
            for (const std::string& path : **above) {
                if (own.size() >= StoredContent::kMaxPaths) return too_many();
                own.push_back(path == "/" ? path + segment : path + '/' + segment);
            }
        }
        return {};
    }

    const StoredContent& content_;
    std::map<std::string, Paths> known_;
};

sdk::Result<std::optional<sdk::Json>> fields_of(const std::string& stored) {
    const auto record = sdk::StoredRecord::read(stored);
    if (!record) return std::optional<sdk::Json>();
    auto fields = sdk::parse_json(record->text, {.depth = 200});
    if (!fields) return fields.error();
    return std::optional<sdk::Json>(std::move(*fields));
}

}  // namespace

sdk::Result<StoredContent> StoredContent::of(const Services& services, const sdk::Reader& store,
                                             const sdk::RecordKey& branch) {
    auto present = services.branches.present(store, branch);
    if (!present) return present.error();
    return StoredContent(store, (*present)->space, (*present)->view);
}

sdk::Result<bool> StoredContent::is_creator(std::string_view node,
                                            const sdk::RecordKey& principal) const {
    const auto person = graph().find_person(principal);
    if (!person) return person.error();
    if (!*person) return false;
    auto fields = this->node(node);
    if (!fields) return fields.error();
    if (!*fields) return false;
    const Creator creator = creator_of(**fields);
    auto maker = graph().find_person(creator.domain_id, creator.id);
    if (!maker) return maker.error();
    return *maker == *person;
}

sdk::Result<StoredContent> StoredContent::before_deletion(const Services& services,
                                                          const sdk::Reader& store,
                                                          const sdk::RecordKey& branch,
                                                          std::string_view node) {
    auto present = of(services, store, branch);
    if (!present) return present;
    std::string stored;
    auto deletion = present->view_->find_version(record_key(kDeletionSlot, node), stored);
    if (!deletion) return deletion.error();
    if (!*deletion || (*deletion)->revision > present->view_->view().newest) return present;
    auto fields = fields_of(stored);
    if (!fields) return fields.error();
    // Only one that was changed says itself which changeset it is from.
    const auto said = *fields ? revision_of_deletion(**fields) : std::nullopt;
    const Revision revision = said.value_or((*deletion)->revision);
    View view = present->view_->view();
    for (Link& link : view.links)
        link.bound = std::min(link.bound, revision - 1);
    return StoredContent(store, *present->space_, std::move(view));
}

sdk::Result<std::optional<sdk::Json>> StoredContent::node(std::string_view id) const {
    std::string stored;
    auto found = view_->get_into(node_record_key(id), stored);
    if (!found) return found.error();
    return *found ? fields_of(stored) : std::optional<sdk::Json>();
}

sdk::Result<std::vector<std::string>> StoredContent::paths_of(std::string_view node) const {
    return PathWalk(*this).paths_of(std::string(node));
}

}  // namespace stele::nodes

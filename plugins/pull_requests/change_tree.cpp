#include "change_tree.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::pull_requests {

namespace {

/// The segments of `/a/b`, without empty ones.
std::vector<std::string> segments_of(std::string_view path) {
    std::vector<std::string> segments;
    while (!path.empty()) {
        const std::size_t end = path.find('/');
        if (end != 0) segments.emplace_back(path.substr(0, end));
        if (end == std::string_view::npos) break;
        path.remove_prefix(end + 1);
    }
    return segments;
}

class Folder {
public:
    Folder(std::string name, std::string path) : name_(std::move(name)), path_(std::move(path)) {}

    Folder& child(const std::string& name) {
        const auto found = by_name_.find(name);
        if (found != by_name_.end()) return *found->second;
        return add(name);
    }
    /// Two nodes may have one path: one that goes, and one that comes in its place.
    void put(const std::string& name, const sdk::Json& row) {
        Folder& found = child(name);
        (found.row_.is_null() ? found : add(name)).row_ = row;
    }

    sdk::Json json() const {
        sdk::Json folder = {{"name", name_}, {"path", path_}, {"children", sdk::Json::array()}};
        for (const Folder& child : children_)
            folder["children"].push_back(child.json());
        if (!row_.is_null()) folder.update(row_);
        return folder;
    }

private:
    Folder& add(const std::string& name) {
        Folder& made = children_.emplace_back(name, path_ == "/" ? "/" + name : path_ + "/" + name);
        by_name_.emplace(name, &made);
        return made;
    }

    std::string name_;
    std::string path_;
    sdk::Json row_;
    std::list<Folder> children_;
    std::map<std::string, Folder*> by_name_;
};

}  // namespace

void sort_by_path(std::vector<sdk::Json>& rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const sdk::Json& one, const sdk::Json& other) {
        const std::string path = sdk::text_member(one, "path");
        const std::string other_path = sdk::text_member(other, "path");
        if (path.empty() != other_path.empty()) return other_path.empty();
        return path < other_path;
    });
}

sdk::Json change_tree(const std::vector<sdk::Json>& rows) {
    Folder root("", "/");
    sdk::Json unplaced = sdk::Json::array();
    for (const sdk::Json& row : rows) {
        std::vector<std::string> segments = segments_of(sdk::text_member(row, "path"));
        if (segments.empty()) {
            unplaced.push_back(row);
            continue;
        }
        const std::string name = std::move(segments.back());
        segments.pop_back();
        Folder* folder = &root;
        for (const std::string& segment : segments)
            folder = &folder->child(segment);
        folder->put(name, row);
    }
    sdk::Json tree = root.json();
    tree["unplaced"] = std::move(unplaced);
    return tree;
}

}  // namespace stele::pull_requests

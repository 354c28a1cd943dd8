#include "transfer/selected_ids.hpp"

#include <algorithm>
#include <string_view>

namespace stele::nodes {

namespace {

/// Whether the bytes stand for the id, and for no other writing of it.
bool is_whole_id(const std::string& bytes, std::string_view id) {
    return !bytes.empty() && id_text(bytes) == id;
}

}  // namespace

sdk::Result<SelectedIds> SelectedIds::of(const sdk::TextTable& ids) {
    SelectedIds selected;
    selected.ids_.reserve(static_cast<std::size_t>(ids.size()));
    auto walked = ids.for_each([&selected](std::string_view id, std::string_view) {
        const std::string bytes = id_bytes(id);
        if (!is_whole_id(bytes, id)) {
            selected.others_.emplace(id);
        } else {
            std::copy(bytes.begin(), bytes.end(), selected.ids_.emplace_back().begin());
        }
        return sdk::Result<void>();
    });
    if (!walked) return walked.error();
    std::sort(selected.ids_.begin(), selected.ids_.end(), [](const Bytes& one, const Bytes& other) {
        return std::string_view(one.data(), one.size()) <
               std::string_view(other.data(), other.size());
    });
    return selected;
}

bool SelectedIds::contains(const std::string& id) const {
    const std::string bytes = id_bytes(id);
    if (!is_whole_id(bytes, id)) return others_.contains(id);
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), bytes,
                                        [](const Bytes& one, const std::string& other) {
                                            return std::string_view(one.data(), one.size()) < other;
                                        });
    return found != ids_.end() && std::string_view(found->data(), found->size()) == bytes;
}

sdk::Result<void> SelectedIds::for_each(
    const std::function<sdk::Result<void>(const std::string& id)>& visit) const {
    for (const Bytes& bytes : ids_) {
        auto visited = visit(id_text({bytes.data(), bytes.size()}));
        if (!visited) return visited;
    }
    for (const std::string& id : others_) {
        if (auto visited = visit(id); !visited) return visited;
    }
    return {};
}

}  // namespace stele::nodes

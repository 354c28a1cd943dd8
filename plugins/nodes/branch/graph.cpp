#include "branch/graph.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/key_tuple.hpp>

#include "branch/branch_store.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kPersonTag = kMiscTag;
constexpr char kPrincipalTag = 'K';

constexpr char kOut = 'o';
constexpr char kIn = 'i';
constexpr char kBoth = 'u';

std::string row(char tag, std::string_view node) {
    std::string key{kGraphSlot, tag};
    key += id_bytes(node);
    return key;
}

std::string edge_prefix(std::string_view node, char end, std::string_view type) {
    std::string key = row(kEdgeTag, node);
    key.push_back(end);
    if (!type.empty()) key = sdk::KeyWriter(key).text(type).key();
    return key;
}

std::string edge_row(std::string_view node, char end, const AssociationEnds& ends) {
    return edge_prefix(node, end, ends.type) + id_bytes(ends.association);
}

std::string name_row(std::string_view folder, std::string_view name, std::string_view association) {
    return sdk::KeyWriter(row(kNameTag, folder)).text(name).raw(id_bytes(association)).key();
}

std::string person_row(std::string_view domain_id, std::string_view principal_id) {
    const std::string prefix{kGraphSlot, kPersonTag};
    return sdk::KeyWriter(prefix).text(domain_id).text(principal_id).key();
}

std::string principal_row(std::string_view principal_key) {
    return std::string{kGraphSlot, kPrincipalTag}.append(principal_key);
}

std::vector<char> end_letters(Direction direction) {
    switch (direction) {
        case Direction::any:
            return {kIn, kOut, kBoth};
        case Direction::outgoing:
            return {kOut, kBoth};
        case Direction::incoming:
            return {kIn, kBoth};
        case Direction::mutual:
            return {kBoth};
    }
    return {};
}

Direction direction_of(char end) {
    if (end == kOut) return Direction::outgoing;
    return end == kIn ? Direction::incoming : Direction::mutual;
}

}  // namespace

std::optional<Direction> find_direction(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Direction>, 5> kNames{
        {{"any", Direction::any},
         {"both", Direction::any},
         {"outgoing", Direction::outgoing},
         {"incoming", Direction::incoming},
         {"mutual", Direction::mutual}}};
    for (const auto& [known, direction] : kNames) {
        if (std::equal(known.begin(), known.end(), name.begin(), name.end(),
                       [](char a, char b) { return a == (b | 0x20); }))
            return direction;
    }
    return std::nullopt;
}

std::string id_bytes(std::string_view id) {
    std::string bytes;
    if (id.size() != 2 * kIdBytes || !sdk::read_hex(id, bytes)) bytes.clear();
    return bytes;
}

std::string id_text(std::string_view bytes) {
    return sdk::hex_text(bytes);
}

sdk::Result<void> Graph::for_each_edge(std::string_view node, Direction direction,
                                       std::string_view type,
                                       const std::function<bool(const Edge&)>& visit) const {
    if (id_bytes(node).empty()) return {};
    const std::string of_node = row(kEdgeTag, node);
    std::vector<std::string> prefixes;
    if (direction == Direction::any && type.empty()) {
        prefixes.push_back(of_node);
    } else {
        for (const char end : end_letters(direction))
            prefixes.push_back(edge_prefix(node, end, type));
    }
    for (const std::string& prefix : prefixes) {
        const auto cursor =
            content_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            const std::string_view said = cursor->key().substr(of_node.size());
            sdk::KeyReader key(said.substr(1));
            Edge edge;
            edge.type = key.text().value_or(std::string());
            edge.association = id_text(key.rest());
            edge.other = id_text(cursor->value());
            edge.end = direction_of(said.front());
            if (!visit(edge)) return {};
        }
        if (auto status = cursor->status(); !status) return status;
    }
    return {};
}

sdk::Result<std::vector<std::string>> ancestors_of(const Graph& graph, std::string_view node) {
    std::vector<std::string> found{std::string(node)};
    for (std::size_t next = 0; next < found.size(); ++next) {
        const std::string at = found[next];
        auto walked = graph.for_each_edge(
            at, Direction::incoming, association::kChild, [&found](const Edge& edge) {
                if (edge.end == Direction::incoming &&
                    std::find(found.begin(), found.end(), edge.other) == found.end())
                    found.push_back(edge.other);
                return true;
            });
        if (!walked) return walked.error();
    }
    found.erase(found.begin());
    return found;
}

sdk::Result<std::optional<Edge>> Graph::find_child(std::string_view folder,
                                                   std::string_view name) const {
    const std::string prefix = sdk::KeyWriter(row(kNameTag, folder)).text(name).key();
    const auto cursor =
        content_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    if (cursor->is_valid()) {
        Edge edge;
        edge.association = id_text(cursor->key().substr(prefix.size()));
        edge.other = id_text(cursor->value());
        return std::optional<Edge>(std::move(edge));
    }
    if (auto status = cursor->status(); !status) return status.error();
    return std::optional<Edge>();
}

sdk::Result<Graph::Namesakes> Graph::namesakes(std::string_view folder, std::string_view name,
                                               std::string_view node) const {
    Namesakes found;
    const std::string prefix = sdk::KeyWriter(row(kNameTag, folder)).text(name).key();
    const auto cursor =
        content_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid() && !(found.has_node && found.has_other); cursor->next())
        (id_text(cursor->value()) == node ? found.has_node : found.has_other) = true;
    if (auto status = cursor->status(); !status) return status.error();
    return found;
}

sdk::Result<bool> Graph::has_edge(const AssociationEnds& ends) const {
    std::string value;
    return content_.get_into(edge_row(ends.source, ends.is_undirected ? kBoth : kOut, ends), value);
}

sdk::Result<std::optional<std::string>> Graph::node_at(const std::string& row) const {
    auto node = content_.get(row);
    if (!node) return node.error();
    if (!*node) return std::optional<std::string>();
    return std::optional<std::string>(id_text(**node));
}

sdk::Result<std::optional<std::string>> Graph::find_person(std::string_view domain_id,
                                                           std::string_view principal_id) const {
    return node_at(person_row(domain_id, principal_id));
}

sdk::Result<std::optional<std::string>> Graph::find_person(std::string_view principal_key) const {
    return node_at(principal_row(principal_key));
}

sdk::Result<bool> Graph::has_both_rows(const AssociationEnds& ends) const {
    auto known = has_edge(ends);
    if (!known || !*known) return known;
    std::string value;
    return content_.get_into(edge_row(ends.target, ends.is_undirected ? kBoth : kIn, ends), value);
}

sdk::Result<std::vector<Graph::Member>> Graph::members(std::string_view folder) const {
    std::vector<Member> found;
    const std::string prefix = row(kNameTag, folder);
    const auto cursor =
        content_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        sdk::KeyReader key(cursor->key().substr(prefix.size()));
        Member member;
        member.name = key.text().value_or(std::string());
        member.association = id_text(key.rest());
        member.child = id_text(cursor->value());
        found.push_back(std::move(member));
    }
    if (auto status = cursor->status(); !status) return status.error();
    return found;
}

sdk::Result<bool> Graph::has_member(std::string_view folder, const Member& member) const {
    std::string child;
    auto found = content_.get_into(name_row(folder, member.name, member.association), child);
    if (!found || !*found) return found;
    return id_text(child) == member.child;
}

void GraphWriter::put(const AssociationEnds& ends) {
    const char from = ends.is_undirected ? kBoth : kOut;
    const char to = ends.is_undirected ? kBoth : kIn;
    content_.put(edge_row(ends.source, from, ends), id_bytes(ends.target));
    content_.put(edge_row(ends.target, to, ends), id_bytes(ends.source));
}

void GraphWriter::remove(const AssociationEnds& ends) {
    content_.remove(edge_row(ends.source, ends.is_undirected ? kBoth : kOut, ends));
    content_.remove(edge_row(ends.target, ends.is_undirected ? kBoth : kIn, ends));
}

void GraphWriter::put_name(std::string_view folder, std::string_view name,
                           std::string_view association, std::string_view child) {
    content_.put(name_row(folder, name, association), id_bytes(child));
}

void GraphWriter::remove_name(std::string_view folder, std::string_view name,
                              std::string_view association) {
    content_.remove(name_row(folder, name, association));
}

void GraphWriter::put_person(const sdk::Principal& principal, std::string_view node) {
    content_.put(person_row(principal.domain_id, principal.id), id_bytes(node));
    content_.put(principal_row(principal.key), id_bytes(node));
}

}  // namespace stele::nodes

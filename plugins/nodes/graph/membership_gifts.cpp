#include "graph/membership_gifts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace stele::nodes {

namespace {

constexpr char kOwner[] = "owner";

/// Measures what the members of one folder have from it, for one node that is to be a member.
class MembershipGift {
public:
    MembershipGift(const BranchContent& content, const sdk::Document& node)
        : content_(content), authorities_(content.context().authorities()), node_(node) {}

    /// Whether whoever acts holds all that comes down to the node, or its holders have it already.
    sdk::Result<bool> is_covered(const sdk::Document& folder) {
        const auto made = is_maker(content_.principal().key);
        if (!made || *made) return made;
        auto sources = new_sources(folder.id);
        if (!sources) return sources.error();
        for (const std::string& source : *sources) {
            auto covered = covers_all_of(source);
            if (!covered || !*covered) return covered;
        }
        return true;
    }

private:
    /// The folder and those above it, as far as nothing reaches the node from them yet.
    sdk::Result<std::vector<std::string>> new_sources(const std::string& folder) {
        auto above = content_.ancestors(folder);
        if (!above) return above.error();
        auto present = content_.ancestors(node_.id);
        if (!present) return present.error();
        above->insert(above->begin(), folder);
        present->push_back(node_.id);
        std::erase_if(*above, [&present](const std::string& source) {
            return std::find(present->begin(), present->end(), source) != present->end();
        });
        return above;
    }

    sdk::Result<bool> covers_all_of(const std::string& source) {
        auto folder = content_.node(source);
        if (!folder) return folder.error();
        auto acl = authorities_.acl(folder->key);
        if (!acl) return acl.error();
        for (const sdk::AclEntry& entry : *acl) {
            for (const std::string& role : entry.roles) {
                auto covered = covers(entry.principal, role);
                if (!covered || !*covered) return covered;
            }
        }
        return covers_maker_of(*folder);
    }

    sdk::Result<bool> covers_maker_of(const sdk::Document& folder) {
        const Creator creator = creator_of(folder.fields);
        const Creator own = creator_of(node_.fields);
        const bool is_same = creator.id == own.id && creator.domain_id == own.domain_id;
        if (is_same || creator.id.empty()) return true;
        auto maker = content_.services().principals.find(
            content_.context().as_system(), fmt::format("{}/{}", creator.domain_id, creator.id));
        // The server, or somebody who is gone.
        if (!maker && sdk::is_missing(maker.error())) return true;
        if (!maker) return maker.error();
        auto covered = covers(maker->key, kOwner);
        if (!covered || *covered) return covered;
        return is_maker(maker->key);
    }

    sdk::Result<bool> covers(const sdk::RecordKey& holder, const std::string& role) {
        auto held = holds(content_.principal().key, role);
        if (!held || *held) return held;
        return holds(holder, role);
    }

    /// By what reaches the node's own members, too.
    sdk::Result<bool> holds(const sdk::RecordKey& principal, const std::string& role) {
        const auto place = std::make_pair(principal, role);
        if (const auto known = held_.find(place); known != held_.end()) return known->second;
        auto held = authorities_.covers_grant(principal, node_.key, role, false);
        if (held) held_.emplace(place, *held);
        return held;
    }

    /// Whether they made the node or a folder that it lies in.
    sdk::Result<bool> is_maker(const sdk::RecordKey& principal) {
        const Graph graph = content_.graph();
        const auto person = graph.find_person(principal);
        if (!person) return person.error();
        if (!*person) return false;
        auto places = content_.ancestors(node_.id);
        if (!places) return places.error();
        places->insert(places->begin(), node_.id);
        for (const std::string& place : *places) {
            auto record = content_.node(place);
            if (!record) return record.error();
            const Creator creator = creator_of(record->fields);
            const auto maker = graph.find_person(creator.domain_id, creator.id);
            if (!maker) return maker.error();
            if (*maker == *person) return true;
        }
        return false;
    }

    const BranchContent& content_;
    sdk::Authorities& authorities_;
    const sdk::Document& node_;
    std::map<std::pair<sdk::RecordKey, std::string>, bool> held_;
};

}  // namespace

sdk::Result<void> check_membership_gives_nothing(const BranchContent& content,
                                                 const AssociationEnds& ends) {
    if (content.changes().is_server_alone(content.context())) return {};
    auto folder = content.node(ends.source);
    if (!folder) return folder.error();
    auto node = content.node(ends.target);
    if (!node) return node.error();
    auto covered = MembershipGift(content, *node).is_covered(*folder);
    if (!covered) return covered.error();
    if (*covered) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "nodes.membership_gives_rights",
        fmt::format("in that folder others, or you, would have rights on node {} that you lack",
                    node->id));
}

}  // namespace stele::nodes

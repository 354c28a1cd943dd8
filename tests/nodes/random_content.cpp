#include "tests/nodes/random_content.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "branch/vocabulary.hpp"
#include "tests/nodes/content_check.hpp"

namespace stele::tests {

using sdk::Json;

namespace {

constexpr std::size_t kMaxBranches = 4;

}  // namespace

ModelBranch begin_content(ContentWorld& world) {
    for (const std::size_t user : {0, 1})
        must(world.ask(user, {.method = "POST",
                              .path = "/{branchId}/nodes",
                              .values = {world.master()},
                              .body = {{"name", "first of user " + std::to_string(user)}}}));
    const ShownContent shown(world, world.master());
    ModelState state;
    for (const auto& [id, text] : shown.records(nodes::kNodeType))
        state.records[id] = model_record(id, must(sdk::parse_json(text)));
    return {world.master(), {{shown.tip(), std::make_shared<const ModelState>(std::move(state))}}};
}

RandomContent::RandomContent(ContentWorld& world, const ModelBranch& base, std::uint64_t seed)
    : world_(world), random_(seed), comparison_(world, random_), base_(base.tip()) {
    fork_from(base, 0);
}

void RandomContent::step() {
    at_ = random_.below(branches_.size());
    user_ = random_.below(2);
    static const std::vector<std::pair<void (RandomContent::*)(), std::size_t>> kSteps = {
        {&RandomContent::create, 8},
        {&RandomContent::update, 5},
        {&RandomContent::remove, 3},
        {&RandomContent::associate, 6},
        {&RandomContent::unassociate, 2},
        {&RandomContent::move, 3},
        {&RandomContent::restore_version, 2},
        {&RandomContent::restore_deletion, 3},
        {&RandomContent::purge, 1},
        {&RandomContent::purge_everything, 1},
        {&RandomContent::fork, 2},
        {&RandomContent::reset, 1}};
    std::size_t all = 0;
    for (const auto& [step, weight] : kSteps)
        all += weight;
    std::size_t choice = random_.below(all);
    for (const auto& [step, weight] : kSteps) {
        if (choice < weight) {
            (this->*step)();
            break;
        }
        choice -= weight;
    }
    comparison_.compare_tip(branch());
    if (random_.one_in(4)) comparison_.compare_answers(branch(), user_);
    if (random_.one_in(6)) {
        const ModelBranch& any = random_.any_of(branches_);
        comparison_.compare_whole(any, random_.below(any.points.size()));
    }
}

void RandomContent::compare_everything() {
    for (const ModelBranch& branch : branches_) {
        comparison_.compare_whole(branch, branch.points.size() - 1);
        comparison_.compare_whole(branch, random_.below(branch.points.size()));
        comparison_.compare_answers(branch, 0);
        const auto faults = check_content(world_, branch.id, false);
        if (!faults.empty()) throw Difference("a check of the branch says " + faults.front());
    }
}

RandomContent::Ids RandomContent::own_nodes() const {
    Ids ids = node_ids(tip());
    std::erase_if(ids, [this](const std::string& id) { return base_.records.contains(id); });
    return ids;
}

RandomContent::Ids RandomContent::folders() const {
    Ids ids = own_nodes();
    ids.push_back(root_of(tip()));
    return ids;
}

RandomContent::Ids RandomContent::deletions() const {
    Ids ids;
    for (const auto& [id, deletion] : tip().deletions)
        ids.push_back(id);
    return ids;
}

ModelChange RandomContent::begin_change() {
    made_.clear();
    return {tip(), world_.user_name(user_)};
}

Json RandomContent::random_fields() {
    Json fields = {{"title", "n" + std::to_string(random_.below(9))}, {"rank", random_.below(8)}};
    const auto letter = [this] {
        return std::string(1, static_cast<char>('a' + random_.below(3)));
    };
    if (random_.one_in(2)) fields["group"] = letter();
    if (random_.one_in(3)) fields["tags"] = {letter(), letter()};
    if (random_.one_in(3)) fields["place"] = {{"x", random_.below(8)}};
    return fields;
}

void RandomContent::tell(const ContentWorld::Request& request, bool is_allowed) {
    story_ += std::string(is_allowed ? "\n" : "\nrefused: ");
    story_ += std::string(request.method).append(" ").append(request.path);
    for (const std::string& value : request.values)
        story_ += " " + value;
    for (const auto& [name, value] : request.parameters)
        story_.append(" ").append(name).append("=").append(value);
    if (!request.body.empty()) story_ += " " + sdk::dump_json(request.body);
}

void RandomContent::learn_ids(ModelChange& change, const Json& answer) {
    if (!made_.empty()) change.rename(made_, answer.at("_doc").get<std::string>());
    if (change.unknown_ids().empty()) return;
    const ShownContent shown(world_, branch().id);
    sdk::PageRequest everything;
    everything.limit = -1;
    const auto unknown = change.unknown_ids();
    for (const std::string& made_up : unknown) {
        const ModelRecord& wanted = *change.state().records.at(made_up);
        auto found = shown.query(nodes::kNodeType,
                                 {{"_type", wanted.type},
                                  {"source", wanted.source},
                                  {"target", wanted.target},
                                  {"directionality", wanted.text("directionality")}},
                                 everything);
        std::erase_if(found.ids, [&change](const std::string& id) {
            return change.state().records.contains(id);
        });
        if (found.ids.size() != 1)
            throw Difference("not one new association " + sdk::dump_json(wanted.fields));
        change.rename(made_up, found.ids.front());
    }
}

void RandomContent::carry_out(ModelChange& change, const ContentWorld::Request& request,
                              bool is_allowed) {
    is_allowed = is_allowed && !change.is_unfit();
    tell(request, is_allowed);
    const auto answer = world_.ask(user_, request);
    if (!is_allowed) {
        if (answer) throw Difference("this had to be refused");
        return;
    }
    if (!answer) throw Difference(answer.error().code + ": " + answer.error().message);
    if (!change.has_changes()) return;
    learn_ids(change, *answer);
    const std::string changeset = ShownContent(world_, branch().id).tip();
    if (changeset == branch().points.back().changeset) throw Difference("nothing was written");
    branches_[at_].points.push_back(
        {changeset, std::make_shared<const ModelState>(change.finish(changeset))});
}

void RandomContent::fork_from(const ModelBranch& parent, std::size_t point) {
    const ContentWorld::Request request{
        .method = "POST",
        .path = "",
        .values = {},
        .parameters = {{"branch", parent.id}, {"changeset", parent.points[point].changeset}},
        .body = {{"title", "branch"}}};
    tell(request, true);
    const Json made = must(world_.ask(user_, request));
    const auto end = parent.points.begin() + static_cast<std::ptrdiff_t>(point) + 1;
    ModelBranch branch{made.at("_doc").get<std::string>(), {parent.points.begin(), end}};
    branches_.push_back(std::move(branch));
}

void RandomContent::fork() {
    if (branches_.size() == kMaxBranches) return create();
    const ModelBranch parent = branch();
    fork_from(parent, random_.below(parent.points.size()));
    at_ = branches_.size() - 1;
}

void RandomContent::reset() {
    const std::size_t point = random_.below(branch().points.size());
    const ContentWorld::Request request{.method = "POST",
                                        .path = "/{branchId}/reset/start",
                                        .values = {branch().id},
                                        .parameters = {{"id", branch().points[point].changeset}}};
    tell(request, true);
    const Json started = must(world_.ask(user_, request));
    const Json ended = must(world_.wait(started.at("_doc").get<std::string>()));
    if (ended.at("state") != "FINISHED") throw Difference("reset: " + sdk::dump_json(ended));
    branches_[at_].points.resize(point + 1);
}

void RandomContent::create() {
    ModelChange change = begin_change();
    ContentWorld::Request request{.method = "POST",
                                  .path = "/{branchId}/nodes",
                                  .values = {branch().id},
                                  .body = random_fields()};
    made_ = change.create_node(request.body);
    if (!random_.one_in(3)) {
        const std::string folder = random_.any_of(folders());
        request.parameters = {{"rootNodeId", folder}, {"parentFolderPath", "/"}};
        change.make_container(folder);
        change.associate(folder, made_, kMembership, false);
    }
    carry_out(change, request);
}

void RandomContent::update() {
    const Ids nodes = own_nodes();
    if (nodes.empty()) return create();
    const std::string node = random_.any_of(nodes);
    ModelChange change = begin_change();
    const Json fields = random_fields();
    change.update(node, fields);
    carry_out(change, {.method = "PUT",
                       .path = "/{branchId}/nodes/{nodeId}",
                       .values = {branch().id, node},
                       .body = fields});
}

void RandomContent::remove() {
    const Ids nodes = own_nodes();
    if (nodes.empty()) return create();
    std::string gone = random_.any_of(nodes);
    const auto associations = tip().associations(gone);
    if (!associations.empty() && random_.one_in(4)) gone = random_.any_of(associations)->id;
    ModelChange change = begin_change();
    change.remove(gone);
    carry_out(
        change,
        {.method = "DELETE", .path = "/{branchId}/nodes/{nodeId}", .values = {branch().id, gone}});
}

RandomContent::Target RandomContent::random_target() {
    static const Ids kTypes = {"a:linked", "a:owned", kMembership, "a:linked"};
    return {random_.any_of(folders()), random_.any_of(own_nodes()), random_.any_of(kTypes),
            random_.one_in(3)};
}

void RandomContent::associate() {
    if (own_nodes().empty()) return create();
    const Target target = random_target();
    ModelChange change = begin_change();
    const auto between = tip().associations(target.node);
    const bool is_there =
        std::any_of(between.begin(), between.end(), [&](const ModelRecordPtr& one) {
            return one->source == target.node && one->target == target.other &&
                   one->type == target.type && one->is_undirected == target.is_undirected;
        });
    if (!is_there) change.associate(target.node, target.other, target.type, target.is_undirected);
    carry_out(change, {.method = "POST",
                       .path = "/{branchId}/nodes/{nodeId}/associate",
                       .values = {branch().id, target.node},
                       .parameters = {
                           {"node", target.other},
                           {"type", target.type},
                           {"directionality", target.is_undirected ? "UNDIRECTED" : "DIRECTED"}}});
}

void RandomContent::unassociate() {
    if (own_nodes().empty()) return create();
    Target target = random_target();
    const auto present = tip().associations(target.other);
    if (!present.empty() && !random_.one_in(5)) {
        const ModelRecord& one = *random_.any_of(present);
        target = {one.source, one.target, one.type, one.is_undirected};
        if (target.is_undirected && random_.one_in(2)) std::swap(target.node, target.other);
    }
    ModelChange change = begin_change();
    for (const ModelRecordPtr& one : tip().associations(target.node)) {
        const bool is_there = one->source == target.node && one->target == target.other;
        const bool is_back = one->source == target.other && one->target == target.node;
        const bool is_meant = is_there || (target.is_undirected && is_back);
        if (is_meant && one->type == target.type && one->is_undirected == target.is_undirected)
            change.remove(one->id);
    }
    carry_out(change, {.method = "POST",
                       .path = "/{branchId}/nodes/{nodeId}/unassociate",
                       .values = {branch().id, target.node},
                       .parameters = {
                           {"node", target.other},
                           {"type", target.type},
                           {"directionality", target.is_undirected ? "UNDIRECTED" : "DIRECTED"}}});
}

void RandomContent::move() {
    if (own_nodes().empty()) return create();
    const std::string node = random_.any_of(own_nodes());
    const std::string folder = random_.any_of(folders());
    ModelChange change = begin_change();
    const auto memberships = tip().incoming(node, kMembership);
    const bool is_member =
        std::any_of(memberships.begin(), memberships.end(),
                    [&folder](const ModelRecordPtr& one) { return one->source == folder; });
    if (!is_member) {
        change.make_container(folder);
        change.associate(folder, node, kMembership, false);
    }
    for (const ModelRecordPtr& one : memberships) {
        if (one->source != folder) change.remove(one->id);
    }
    carry_out(change, {.method = "POST",
                       .path = "/{branchId}/nodes/{nodeId}/move",
                       .values = {branch().id, node},
                       .parameters = {{"targetNodeId", folder}}});
}

void RandomContent::restore_version() {
    if (own_nodes().empty()) return create();
    const Ids nodes = own_nodes();
    Ids changed = nodes;
    std::erase_if(changed,
                  [this](const std::string& id) { return branch().versions(id).size() < 2; });
    const std::string node = random_.any_of(changed.empty() ? nodes : changed);
    const ModelRecordPtr version = random_.any_of(branch().versions(node));
    ModelChange change = begin_change();
    change.restore_version(node, *version);
    carry_out(change, {.method = "POST",
                       .path = "/{branchId}/nodes/{nodeId}/versions/{changesetId}/restore",
                       .values = {branch().id, node, version->changeset}});
}

void RandomContent::restore_deletion() {
    if (deletions().empty()) return remove();
    const std::string id = random_.any_of(deletions());
    const ModelRecord& last = *tip().deletions.at(id).last;
    const auto lives = [this](const std::string& node) { return tip().records.contains(node); };
    const bool is_allowed = !last.is_association || (lives(last.source) && lives(last.target));
    ModelChange change = begin_change();
    if (is_allowed) change.restore_deletion(id);
    carry_out(change,
              {.method = "POST",
               .path = "/{branchId}/deletions/{nodeId}/restore",
               .values = {branch().id, id}},
              is_allowed);
}

void RandomContent::purge() {
    if (deletions().empty()) return remove();
    const std::string id = random_.any_of(deletions());
    ModelChange change = begin_change();
    change.purge(id);
    ContentWorld::Request request{
        .method = "DELETE", .path = "/{branchId}/deletions/{nodeId}", .values = {branch().id, id}};
    if (random_.one_in(2))
        request = {.method = "POST",
                   .path = "/{branchId}/deletions/delete",
                   .values = {branch().id},
                   .body = {{"_docs", {id}}}};
    carry_out(change, request);
}

void RandomContent::purge_everything() {
    ModelChange change = begin_change();
    change.purge_everything();
    carry_out(
        change,
        {.method = "POST", .path = "/{branchId}/deletions/purgeall", .values = {branch().id}});
}

}  // namespace stele::tests

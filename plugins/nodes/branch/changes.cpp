#include "branch/changes.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/movable_snapshot.hpp>

#include "branch/folder_names.hpp"
#include "branch/graph.hpp"
#include "branch/vocabulary.hpp"
#include "version/collection_reader.hpp"
#include "version/copied_rows.hpp"

namespace stele::nodes {

namespace {

constexpr char kPartName[] = "nodes.changes";
constexpr char kReadonly[] = "readonly";
constexpr char kSnapshot[] = "snapshot";
constexpr char kFrozen[] = "frozen";
constexpr char kBlocksDirectCommits[] = "blockDirectCommits";
constexpr char kValidatesContent[] = "validateContent";

sdk::Result<Changes::BranchRules> rules_in(const std::string& branch) {
    Changes::BranchRules rules;
    // Nearly no branch has any: parsing, which every write would pay for, is for those that may.
    constexpr std::array kAll{kArchived,        kReadonly, kSnapshot, kFrozen, kBlocksDirectCommits,
                              kValidatesContent};
    const std::size_t last_true = branch.rfind("true");
    const bool may_have_rules =
        last_true != std::string::npos &&
        std::any_of(kAll.begin(), kAll.end(), [&](const char* name) {
            return branch.find(std::string("\"") + name + "\":") < last_true;
        });
    if (!may_have_rules) return rules;
    auto fields = sdk::parse_json(branch, {.depth = 200});
    if (!fields) return fields.error();
    const auto has = [&](const char* name) { return sdk::flag_member(*fields, name, false); };
    rules.is_archived = has(kArchived);
    rules.is_readonly = has(kReadonly) || has(kSnapshot);
    rules.is_frozen = has(kFrozen);
    rules.blocks_direct_commits = has(kBlocksDirectCommits);
    rules.validates_content = has(kValidatesContent);
    return rules;
}

}  // namespace

Changes& Changes::of(sdk::Context& context, const BranchStore& branches) {
    if (auto* const present = context.part(kPartName)) return static_cast<Changes&>(*present);
    std::unique_ptr<Changes> made(new Changes(branches));
    Changes& changes = *made;
    context.keep(kPartName, std::move(made));
    return changes;
}

sdk::Result<Changes::Changeset*> Changes::changeset(sdk::Context& context,
                                                    const sdk::RecordKey& branch) {
    const auto present = changesets_.find(branch);
    const bool is_servers = context.session().is_system && !actor_;
    if (present != changesets_.end()) {
        Changeset& found = *present->second;
        // What the server makes first for somebody, such as their person, is part of what they do.
        if (found.is_servers && !is_servers)
            found.note.set_user(actor_ ? *actor_ : context.principal());
        found.is_servers = found.is_servers && is_servers;
        return &found;
    }
    auto place = branches_.find(context.transaction(), branch);
    if (!place) return place.error();
    VersionSpace space = branches_.space(*place);
    auto view = find_view(context.transaction(), space, place->line);
    if (!view) return view.error();
    auto made =
        std::make_unique<Changeset>(Changeset{std::move(space),
                                              nullptr,
                                              nullptr,
                                              new_note(actor_ ? *actor_ : context.principal()),
                                              {},
                                              {}});
    made->is_servers = is_servers;
    LineWriter::Place changeset_place{.attempt = context.attempt()};
    changeset_place.is_first = view->newest == 0;
    if (!changeset_place.is_first) changeset_place.step = lines_[made->space.revision_counter()]++;
    made->writer = std::make_unique<LineWriter>(context.transaction(), made->space,
                                                std::move(*view), changeset_place);
    return changesets_.emplace(branch, std::move(made)).first->second.get();
}

bool Changes::writes_to(const BranchPlace& place) const {
    const std::string& counter = branches_.space(place).revision_counter();
    const auto is_on = [&counter](const auto& changeset) {
        return changeset->space.revision_counter() == counter;
    };
    return std::any_of(changesets_.begin(), changesets_.end(),
                       [&](const auto& written) { return is_on(written.second); }) ||
           std::any_of(ended_.begin(), ended_.end(), is_on);
}

sdk::Result<std::shared_ptr<const sdk::Reader>> Changes::first_rows(const sdk::Reader& reader,
                                                                    const BranchPlace& place) {
    auto& rows = first_rows_[{place.platform, place.repository}];
    if (rows) return rows;
    const VersionSpace space = branches_.space(place);
    auto copied = std::make_shared<CopiedRows>();
    std::string kinds = space.kind(kFirstLine, {});
    for (const std::string& prefix : {space.present(kFirstLine), kinds, space.record({})}) {
        if (auto added = copied->add(reader, prefix); !added) return added.error();
    }
    rows = std::move(copied);
    return rows;
}

sdk::Result<void> Changes::load(sdk::Context& context, const sdk::RecordKey& branch,
                                const BranchStore::ReservedLine& line,
                                std::unique_ptr<LineLoad> load) {
    VersionSpace space = branches_.space(line.place);
    auto view = find_view(context.transaction(), space, line.place.line);
    if (!view) return view.error();
    view->newest = std::max(view->newest, line.from.bound);
    auto made =
        std::make_unique<Changeset>(Changeset{std::move(space),
                                              std::move(load),
                                              nullptr,
                                              new_note(actor_ ? *actor_ : context.principal()),
                                              {},
                                              {},
                                              line});
    const LineWriter::Place place{.attempt = context.attempt(),
                                  .step = lines_[made->space.revision_counter()]++,
                                  .is_load = true};
    made->writer = std::make_unique<LineWriter>(*made->load, made->space, std::move(*view), place);
    changesets_.insert_or_assign(branch, std::move(made));
    return {};
}

LineLoad* Changes::load_of(const sdk::RecordKey& branch) const {
    const auto found = changesets_.find(branch);
    return found == changesets_.end() ? nullptr : found->second->load.get();
}

sdk::Result<void> Changes::move_on(sdk::Context& context) {
    const auto is_load = [](const auto& written) { return written.second->load != nullptr; };
    const bool may = !keeps_state_ && std::all_of(changesets_.begin(), changesets_.end(), is_load);
    if (!may) return {};
    auto moved = sdk::move_on(context.transaction());
    if (!moved) return moved.error();
    if (*moved) ++moves_;
    return {};
}

sdk::Result<void> Changes::settle_loads(sdk::Context& context) {
    if (!changesets_.empty()) {
        if (auto moved = move_on(context); !moved) return moved;
    }
    for (const auto& [branch, changeset] : changesets_) {
        if (!changeset->load) continue;
        if (auto settled = changeset->load->settle(); !settled) return settled;
    }
    return {};
}

sdk::Result<LineWriter*> Changes::writer(sdk::Context& context, const sdk::RecordKey& branch) {
    auto found = changeset(context, branch);
    if (!found) return found.error();
    return (*found)->writer.get();
}

sdk::Result<ChangesetNote*> Changes::note(sdk::Context& context, const sdk::RecordKey& branch) {
    auto found = changeset(context, branch);
    if (!found) return found.error();
    return &(*found)->note;
}

sdk::Result<Changes::BranchRules> Changes::rules(sdk::Context& context,
                                                 const sdk::RecordKey& branch) {
    const auto known = rules_.find(branch);
    if (known != rules_.end()) return known->second;
    auto text = context.documents().read_text(branch);
    if (!text) return text.error();
    auto rules = rules_in(*text);
    if (rules) rules_.emplace(branch, *rules);
    return rules;
}

sdk::Result<sdk::Transaction*> Changes::collection(sdk::Context& context,
                                                   const sdk::SpaceCollection& collection,
                                                   char slot) {
    auto found = changeset(context, collection.container);
    if (!found) return found.error();
    auto& kept = (*found)->collections[collection.type];
    if (!kept)
        kept = std::make_unique<CollectionWriter>(context.transaction(), *(*found)->writer,
                                                  collection, slot);
    return kept.get();
}

void Changes::set_system(const std::string& node, sdk::Json members) {
    auto& kept = systems_[node];
    if (!kept) kept = std::make_unique<sdk::Json>(sdk::Json::object());
    kept->update(members);
}

std::unique_ptr<sdk::Json> Changes::take_system(const std::string& node) {
    auto taken = systems_.extract(node);
    return taken ? std::move(taken.mapped()) : nullptr;
}

sdk::Result<void> Changes::note_name(sdk::Context& context, const sdk::RecordKey& branch,
                                     NewName name) {
    auto found = changeset(context, branch);
    if (!found) return found.error();
    (*found)->new_names.push_back(std::move(name));
    return {};
}

sdk::Result<void> Changes::check_new_names(const Changeset& changeset) {
    const Graph graph(*changeset.writer);
    for (const NewName& now : changeset.new_names) {
        auto found = graph.namesakes(now.folder, now.name, now.node);
        if (!found) return found.error();
        if (found->has_node && found->has_other) return name_taken(now.name);
    }
    return {};
}

sdk::Result<void> Changes::write_last(sdk::Context& context) {
    for (const auto& [name, write] : last_writes_) {
        if (auto written = write(context); !written) return written;
    }
    return {};
}

sdk::Result<void> Changes::end(Changeset& changeset) const {
    if (auto names = check_new_names(changeset); !names) return names;
    const auto lines = lines_.find(changeset.space.revision_counter());
    const std::uint64_t later =
        lines == lines_.end() ? 0 : lines->second - 1 - changeset.writer->step();
    auto finished = changeset.writer->finish(changeset.note.encode(), later);
    if (!finished || !changeset.load) return finished;
    return changeset.load->commit_rest();
}

sdk::Result<void> Changes::drop_empty_load(sdk::Context& context, const sdk::RecordKey& branch) {
    const auto found = changesets_.find(branch);
    if (found == changesets_.end() || !found->second->load || found->second->load->has_loaded())
        return {};
    auto hidden = branches_.hide_line(context.transaction(), branch, found->second->reserved);
    if (!hidden) return hidden;
    // Nothing has got its number, and nothing a later one yet.
    const auto lines = lines_.find(found->second->space.revision_counter());
    if (--lines->second == 0) lines_.erase(lines);
    changesets_.erase(found);
    return {};
}

sdk::Result<void> Changes::end_first(sdk::Context& context, const sdk::RecordKey& branch) {
    if (auto written = write_last(context); !written) return written;
    last_writes_.clear();
    const auto found = changesets_.find(branch);
    if (found == changesets_.end()) return {};
    if (auto ended = end(*found->second); !ended) return ended;
    ended_.push_back(std::move(found->second));
    changesets_.erase(found);
    return {};
}

sdk::Result<void> Changes::finish(sdk::Context& context) {
    if (auto written = write_last(context); !written) return written;
    for (auto& [branch, changeset] : changesets_) {
        if (auto ended = end(*changeset); !ended) return ended;
        ended_.push_back(std::move(changeset));
    }
    changesets_.clear();
    return {};
}

void Changes::complete(const sdk::Transaction& committed, std::string& body) {
    for (const auto& changeset : ended_) {
        const auto revision = changeset->writer->revision(committed);
        if (!revision) continue;
        const std::string bare = '"' + changeset->note.random_part + '"';
        const std::string whole = '"' + changeset_id(*revision, changeset->note.random_part) + '"';
        std::string told;
        std::size_t begin = 0;
        for (std::size_t at = body.find(bare); at != std::string::npos;
             at = body.find(bare, begin)) {
            told.append(body, begin, at - begin).append(whole);
            begin = at + bare.size();
        }
        if (begin == 0) continue;
        told.append(body, begin);
        body = std::move(told);
    }
}

}  // namespace stele::nodes

#include "transfer/content_export.hpp"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/record_space.hpp>

#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"
#include "transfer/content_items.hpp"
#include "transfer/export_rules.hpp"
#include "transfer/export_selection.hpp"
#include "transfer/selected_ids.hpp"

namespace stele::nodes {

namespace {

using Visit = std::function<sdk::Result<void>(const sdk::ContentItem& item)>;

/// Whether a stored record may be of a kind, by its text, which is as the server writes JSON: each
/// kind has a walk of its own, and parsing all of them in each is most of what an export costs.
bool may_be(ItemKind kind, std::string_view stored) {
    const auto says = [stored](std::string_view text) {
        return stored.find(text) != std::string_view::npos;
    };
    if (kind == ItemKind::definition) return says(R"("_type":"d:)");
    if (kind == ItemKind::node) return true;
    return says(R"("_is_association":true)") || !says(R"("_is_association":false)");
}

/// What of a branch leaves. Holds ids where nodes were named, otherwise nothing: each walk is a
/// scan for each kind.
class BranchSource : public sdk::ContentSource {
public:
    BranchSource(BranchContent content, ItemMaker items)
        : content_(std::make_unique<BranchContent>(std::move(content))), items_(items) {}

    sdk::Result<void> prepare(const sdk::ContentSelection& selection,
                              sdk::ContentOmissions& omissions) {
        auto rules = ExportRules::open(*content_, selection);
        if (!rules) return rules.error();
        rules_.emplace(std::move(*rules));
        state_.emplace(rules_->reader());
        if (auto found = find_root(); !found) return found;
        if (!selection.nodes.empty()) {
            auto ids = select_ids(*rules_, selection, omissions);
            if (!ids) return ids.error();
            if (auto added = ids->put(root_, {}); !added) return added;
            auto selected = SelectedIds::of(*ids);
            if (!selected) return selected.error();
            selected_ = *std::move(selected);
        }
        if (rules_->reads_all()) return {};
        hidden_ = 0;
        std::uint64_t shown = 0;
        const auto visit = [&shown](const sdk::ContentItem&) {
            ++shown;
            return sdk::Result<void>();
        };
        if (auto walked = for_each(visit); !walked) return walked;
        shown_ = shown;
        omissions.unreadable += hidden_;
        return {};
    }
    bool reads_context() const override { return true; }
    /// Of what is hidden the number tells nothing.
    sdk::Result<std::uint64_t> count() override {
        if (shown_) return *shown_;
        if (selected_) return selected_->size();
        return count_all();
    }

protected:
    virtual sdk::Result<std::uint64_t> count_all() const = 0;
    const BranchContent& content() const { return *content_; }
    const ExportRules& rules() const { return *rules_; }
    const ViewReader& state() const { return *state_; }
    const std::optional<SelectedIds>& selected() const { return selected_; }
    bool is_selected(const std::string& id) const { return !selected_ || selected_->contains(id); }
    const std::string& root() const { return root_; }

    /// Hands a version over where it is of the kind and leaves.
    sdk::Result<void> consider(ItemKind kind, const std::string& id, const VersionPlace& place,
                               std::string_view stored, const Visit& visit) {
        if (!may_be(kind, stored)) return {};
        auto record = version_record(stored, "node " + id);
        if (!record) return record.error();
        if (kind_of(*record) != kind) return {};
        complete_changeset(*record, place.revision);
        auto verdict = rules_->judge(*state_, id, place, *record);
        if (!verdict) return verdict.error();
        if (*verdict == ExportRules::Verdict::is_hidden && id == root_)
            return visit(items_.item(id, bare_root(*record)));
        if (*verdict == ExportRules::Verdict::is_hidden) ++hidden_;
        if (*verdict != ExportRules::Verdict::leaves) return {};
        return visit(items_.item(id, std::move(*record)));
    }

    void add_hidden() { ++hidden_; }

    sdk::Result<std::uint64_t> count_rows(const sdk::Reader& reader,
                                          const sdk::KeyRange& range) const {
        Pace pace(content_->context());
        std::uint64_t count = 0;
        const auto cursor = reader.scan(range, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (auto may = pace.step(); !may) return may.error();
            ++count;
        }
        if (auto read = cursor->status(); !read) return read.error();
        return count;
    }

private:
    sdk::Result<void> find_root() {
        auto root = content_->node(kRootAlias);
        if (!root) return root.error();
        root_ = root->id;
        return {};
    }

    /// What each branch has: whatever comes down to others needs a place to begin in.
    static sdk::Json bare_root(const sdk::Json& root) {
        return {{"_doc", root.at("_doc")},
                {member::kQName, kRootQName},
                {member::kType, type::kRoot},
                {member::kIsAssociation, false}};
    }

    std::unique_ptr<BranchContent> content_;
    ItemMaker items_;
    std::optional<ExportRules> rules_;
    std::optional<ViewReader> state_;
    std::optional<SelectedIds> selected_;
    std::string root_;
    std::uint64_t hidden_ = 0;
    /// What a walk hands over, where one was made.
    std::optional<std::uint64_t> shown_;
};

/// One state of the branch.
class StateSource final : public BranchSource {
public:
    using BranchSource::BranchSource;

    sdk::Result<void> for_each(const Visit& visit) override {
        for (const ItemKind kind : kItemKinds) {
            if (auto walked = walk(kind, visit); !walked) return walked;
        }
        return {};
    }

protected:
    sdk::Result<std::uint64_t> count_all() const override {
        const std::string all = record_key(kNodeSlot, {});
        return count_rows(state(), {all, sdk::prefix_end(all)});
    }

private:
    sdk::Result<void> walk(ItemKind kind, const Visit& visit) {
        Pace pace(content().context());
        if (selected()) {
            return selected()->for_each([&](const std::string& id) -> sdk::Result<void> {
                if (auto may = pace.step(); !may) return may;
                return take(kind, id, visit);
            });
        }
        const std::string all = record_key(kNodeSlot, {});
        const auto cursor = state().scan({all, sdk::prefix_end(all)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (auto may = pace.step(); !may) return may;
            const std::string id = node_of_record_key(cursor->key());
            if (auto taken = take(kind, id, visit); !taken) return taken;
        }
        return cursor->status();
    }

    sdk::Result<void> take(ItemKind kind, const std::string& id, const Visit& visit) {
        std::string stored;
        auto version = state().find_version(node_record_key(id), stored);
        if (!version) return version.error();
        if (!*version) return {};
        return consider(kind, id, {(*version)->line, (*version)->revision}, stored, visit);
    }
};

/// Changeset after changeset.
class HistorySource final : public BranchSource {
public:
    using BranchSource::BranchSource;

    sdk::Result<void> for_each(const Visit& visit) override {
        if (auto begun = begin(visit); !begun) return begun;
        const std::vector<Link>& links = rules().view().links;
        for (auto link = links.rbegin(); link != links.rend(); ++link) {
            if (auto walked = walk_line(*link, visit); !walked) return walked;
        }
        return {};
    }

protected:
    sdk::Result<std::uint64_t> count_all() const override {
        std::uint64_t rows = 0;
        for (const Link& link : rules().view().links) {
            std::string begin = space().written(link.line);
            std::string end = begin;
            append_number(begin, rules().first_revision());
            append_number(end, std::min(link.bound, rules().last_revision()));
            auto of_line = count_rows(store(), {begin, sdk::prefix_end(end)});
            if (!of_line) return of_line;
            rows += *of_line;
        }
        return rows;
    }

private:
    const sdk::Reader& store() const { return content().context().transaction(); }
    const VersionSpace& space() const { return state().space(); }

    /// The root comes first where its own versions are not asked for.
    sdk::Result<void> begin(const Visit& visit) {
        std::string stored;
        auto version = state().find_version(node_record_key(root()), stored);
        if (!version) return version.error();
        if (!*version || rules().is_in_range((*version)->revision)) return {};
        return consider(ItemKind::node, root(), {(*version)->line, (*version)->revision}, stored,
                        visit);
    }

    sdk::Result<void> walk_line(const Link& link, const Visit& visit) {
        Pace pace(content().context());
        const std::string rows = space().changes(link.line);
        const auto cursor =
            store().scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (auto may = pace.step(); !may) return may;
            const Revision revision = read_number(cursor->key().substr(rows.size()));
            if (revision > link.bound) break;
            if (!rules().is_in_range(revision)) continue;
            for (const ItemKind kind : kItemKinds) {
                auto walked = walk_changeset(kind, {link.line, revision}, visit);
                if (!walked) return walked;
            }
        }
        return cursor->status();
    }

    sdk::Result<void> walk_changeset(ItemKind kind, const VersionPlace& place, const Visit& visit) {
        std::string rows = space().written(place.line);
        auto in_row = row_revision(store(), space(), place.line, place.revision);
        if (!in_row) return in_row.error();
        append_number(rows, *in_row);
        Pace pace(content().context());
        const auto cursor =
            store().scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (auto may = pace.step(); !may) return may;
            const std::string id = node_of_record_key(cursor->key().substr(rows.size()));
            if (id.empty() || !is_selected(id)) continue;
            const bool is_removed = cursor->value() == std::string_view(&kRemoved, 1);
            auto taken = is_removed ? take_removal(kind, id, place, visit)
                                    : take_version(kind, id, place, visit);
            if (!taken) return taken;
        }
        return cursor->status();
    }

    sdk::Result<void> take_version(ItemKind kind, const std::string& id, const VersionPlace& place,
                                   const Visit& visit) {
        auto in_row = row_revision(store(), space(), place.line, place.revision);
        if (!in_row) return in_row.error();
        auto stored = store().get(space().record(node_record_key(id), place.line, *in_row));
        if (!stored) return stored.error();
        if (!*stored || (*stored)->empty()) return {};
        std::string record = (*stored)->substr(1);
        // Bytes that are no record are told by whoever reads them.
        (void)sdk::StoredRecord::unpack(record);
        return consider(kind, id, place, record, visit);
    }

    /// Of the kind that it was, and known to whoever could know the node.
    sdk::Result<void> take_removal(ItemKind kind, const std::string& id, const VersionPlace& place,
                                   const Visit& visit) {
        const History history(store(), space(), rules().view());
        auto before = history.before(id, place);
        if (!before) return before.error();
        if (!*before) return {};
        auto record = history.read(id, **before);
        if (!record) return record.error();
        if (!*record || kind_of(**record) != kind) return {};
        auto note = content().services().branches.note(store(), content().place(), place.revision);
        if (!note) return note.error();
        (**record)[member::kSystem]["modified_on"] = {{"ms", note->made_ms}};
        auto verdict = rules().judge(state(), id, place, **record);
        if (!verdict) return verdict.error();
        if (*verdict == ExportRules::Verdict::is_hidden) add_hidden();
        if (*verdict != ExportRules::Verdict::leaves) return {};
        return visit(ItemMaker::removal(id, changeset_id(place.revision, note->random_part)));
    }
};

template <class Source>
sdk::Result<std::unique_ptr<sdk::ContentSource>> prepared(BranchContent content,
                                                          const sdk::ContentSelection& selection,
                                                          sdk::ContentOmissions& omissions) {
    auto items = ItemMaker::open(content, selection.has_attachments);
    if (!items) return items.error();
    auto source = std::make_unique<Source>(std::move(content), *items);
    if (auto ready = source->prepare(selection, omissions); !ready) return ready.error();
    return std::unique_ptr<sdk::ContentSource>(std::move(source));
}

}  // namespace

sdk::Result<std::unique_ptr<sdk::ContentSource>> open_export(Services& services,
                                                             sdk::Context& context,
                                                             const sdk::ContentSelection& selection,
                                                             sdk::ContentOmissions& omissions) {
    auto content = BranchContent::open(services, context, selection.branch);
    if (!content) return content.error();
    auto may = content->may(selection.branch, sdk::Permission::read);
    if (!may) return may.error();
    if (!*may)
        return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_unknown",
                               "there is no such branch");
    return selection.has_history
               ? prepared<HistorySource>(std::move(*content), selection, omissions)
               : prepared<StateSource>(std::move(*content), selection, omissions);
}

}  // namespace stele::nodes

#include "line_owners.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "vocabulary.hpp"

namespace stele::node_rules {

sdk::ContentView LineOwner::at(std::uint64_t revision) const {
    sdk::ContentView then = view;
    if (!then.links.empty()) then.links.front().last_revision = revision;
    return then;
}

sdk::Result<void> LineOwners::look_at_branches(sdk::Context& context,
                                               const sdk::RecordKey& repository) {
    return services_.families.for_each(
        context, kBranch, repository, [&](const sdk::RecordKey& branch) -> sdk::Result<bool> {
            auto view = services_.log.view(context.transaction(), branch);
            if (!view && sdk::is_missing(view.error())) return true;
            if (!view) return view.error();
            repositories_[repository] = view->space;
            auto& lines = lines_[view->space];
            while (!view->links.empty()) {
                const sdk::ContentView::Link link = view->links.front();
                lines[link.line] = LineOwner{branch, *view};
                if (!link.goes_on) break;
                view->links.erase(view->links.begin());
            }
            return true;
        });
}

sdk::Result<void> LineOwners::look_for_repositories(sdk::Context& context) {
    return services_.families.for_each(context, kRepository, context.platform().root,
                                       [&](const sdk::RecordKey& repository) -> sdk::Result<bool> {
                                           if (repositories_.contains(repository)) return true;
                                           auto looked = look_at_branches(context, repository);
                                           return looked ? sdk::Result<bool>(true) : looked.error();
                                       });
}

sdk::Result<void> LineOwners::look(const sdk::PlatformScope& platform,
                                   const sdk::ContentSpace& space) {
    return services_.registrar.run_as_system(
        platform, [&](sdk::Context& context) -> sdk::Result<void> {
            for (const auto& [repository, known] : repositories_) {
                if (known == space) return look_at_branches(context, sdk::RecordKey(repository));
            }
            return look_for_repositories(context);
        });
}

sdk::Result<std::optional<LineOwner>> LineOwners::find(const sdk::PlatformScope& platform,
                                                       const sdk::ContentSpace& space,
                                                       std::uint64_t line) {
    const auto known = lines_[space].find(line);
    if (known != lines_[space].end()) return known->second;
    if (auto looked = look(platform, space); !looked) return looked.error();
    // A line is there no sooner than its branch, so one that no branch has by now is nobody's.
    return lines_[space].try_emplace(line, std::nullopt).first->second;
}

namespace {

/// Its id: the log tells versions as they were written, when they did not know its number yet.
std::string changeset_of(const sdk::ContentVersion& version) {
    const auto fields = sdk::parse_json(version.text, {.depth = 200});
    const auto system = fields ? fields->find(kSystem) : sdk::Json::const_iterator();
    if (!fields || system == fields->end()) return {};
    const std::string id = sdk::text_member(*system, "changeset");
    if (version.revision == 1) return "0:root";
    // Clients count from 0.
    return id.find(':') == std::string::npos ? fmt::format("{}:{}", version.revision - 1, id) : id;
}

}  // namespace

/// What the changeset says of its branch.
sdk::Result<bool> LineOwners::was_of(sdk::Context& context, const LineOwner& owner,
                                     const std::string& changeset) const {
    auto branch = context.documents().read(owner.branch);
    if (!branch) return branch.error();
    auto repository = services_.families.container_of(context, owner.branch);
    if (!repository) return repository.error();
    if (!*repository) return false;
    auto reply = services_.operations.on_record(
        context, **repository, {.path = "/changesets/{changesetId}", .values = {changeset}});
    if (!reply) return reply.error();
    auto record = sdk::parse_json(reply->body());
    if (!record) return record.error();
    return sdk::text_member(*record, kBranch) == branch->id;
}

sdk::Result<bool> LineOwners::is_own(const sdk::PlatformScope& platform, const LineOwner& owner,
                                     const sdk::ContentVersion& version) {
    if (!owner.view.links.empty() && owner.view.links.front().line == version.line) return true;
    const auto known = former_.find({owner.branch, version.line});
    if (known != former_.end()) return known->second;
    const std::string changeset = changeset_of(version);
    if (changeset.empty()) return false;
    bool is_own = false;
    auto asked = services_.registrar.run_as_system(platform,
                                                   [&](sdk::Context& context) -> sdk::Result<void> {
                                                       auto was = was_of(context, owner, changeset);
                                                       if (!was && !sdk::is_missing(was.error()))
                                                           return was.error();
                                                       is_own = was && *was;
                                                       return {};
                                                   });
    if (!asked) return asked.error();
    return former_[{owner.branch, version.line}] = is_own;
}

}  // namespace stele::node_rules

#include "branch/loading.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

namespace stele::nodes {

namespace {

/// A repetition knows what its former attempts have left.
sdk::Result<void> collect_given_up(Services& services, sdk::Context& own, BranchPlace place) {
    auto lines = services.branches.given_up_lines(own.transaction(), place);
    if (!lines) return lines.error();
    for (const Line line : *lines) {
        place.line = line;
        auto started = services.jobs.start(own, collection_of(place, 0));
        if (!started) return started.error();
    }
    return {};
}

/// Of a repository that the operation has made itself nobody else counts the lines.
sdk::Result<BranchPlace> reserve(const BranchContent& content, bool is_own) {
    Services& services = content.services();
    const std::size_t attempt = content.context().attempt();
    BranchPlace place = content.place();
    if (is_own) {
        auto line = services.branches.next_line(content.context().transaction(), place);
        if (!line) return line.error();
        place.line = *line;
    }
    auto done = services.registrar.run_as_system(
        content.context().platform(), [&](sdk::Context& own) -> sdk::Result<void> {
            if (!is_own) {
                auto line = services.branches.next_line(own.transaction(), content.place());
                if (!line) return line.error();
                place.line = *line;
            }
            services.branches.reserve_line(own.transaction(), place);
            auto started = services.jobs.start(own, collection_of(place, kBetweenLooksMs));
            if (!started) return started.error();
            return attempt == 0 ? sdk::Result<void>() : collect_given_up(services, own, place);
        });
    if (!done) return done.error();
    return place;
}

/// A reserved line, and what it comes from.
struct Beginning {
    BranchStore::ReservedLine line;
    LineLoad::Base base;
};

/// From what the branch shows in a picture from behind the reservation.
sdk::Result<Beginning> from_committed(const BranchContent& content, const BranchPlace& place) {
    LineLoad::Base base{content.services().registrar.engine().snapshot()};
    auto line = content.services().branches.reserved_line(*base.rows, content.place(), place.line);
    if (!line) return line.error();
    base.newest = line->from.bound;
    return Beginning{*std::move(line), std::move(base)};
}

/// Of a new repository: from the changeset that it begins with.
sdk::Result<Beginning> from_first(const BranchContent& content, const BranchPlace& place) {
    auto rows = content.changes().first_rows(content.context().transaction(), content.place());
    if (!rows) return rows.error();
    return Beginning{{place, {content.place().line, kFirstRevision}},
                     {*std::move(rows), kFirstRevision, true}};
}

/// What the commit would find out at the end is told before. `branch` is empty where the operation
/// has made it.
sdk::Result<void> renew(sdk::Engine& engine, const BranchStore& branches,
                        const sdk::RecordKey& branch, const BranchStore::ReservedLine& line) {
    const auto conflict = [](std::string reason) {
        return sdk::make_error(sdk::ErrorKind::conflict, "engine.conflict",
                               "The data was changed by somebody else meanwhile.",
                               std::move(reason));
    };
    const auto present = engine.snapshot();
    auto is_overtaken = branches.is_overtaken(*present, line);
    if (!is_overtaken) return is_overtaken.error();
    if (*is_overtaken) return conflict("a branch was written while content was loaded into it");
    if (!branch.empty()) {
        auto leads_elsewhere = branches.leads_elsewhere(*present, branch, line);
        if (!leads_elsewhere) return leads_elsewhere.error();
        if (*leads_elsewhere)
            return conflict("a branch was reset, loaded or removed while content was loaded");
    }
    bool is_ours = true;
    auto renewed =
        sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
            auto held = branches.renew_line(transaction, line.place);
            if (!held) return held.error();
            is_ours = *held;
            return {};
        });
    if (!renewed || is_ours) return renewed;
    return conflict("a load has rested for so long that it was given up");
}

}  // namespace

sdk::NewJob collection_of(const BranchPlace& place, std::int64_t wait_ms) {
    return {.type = kCollection,
            .input = {{kCollectedRepository, place.repository}, {kCollectedLine, place.line}},
            .start_ms = sdk::now_ms() + wait_ms};
}

sdk::Result<bool> may_load(const BranchContent& content) {
    Services& services = content.services();
    sdk::Engine& engine = services.registrar.engine();
    if (!LineLoad::is_possible(engine)) return false;
    if (content.changes().is_own(content.place()))
        return !content.changes().writes(content.branch());
    if (content.changes().writes_to(content.place())) return false;
    const auto committed = engine.snapshot();
    auto place = services.branches.find(*committed, content.branch());
    if (!place && sdk::is_missing(place.error())) return false;
    if (!place) return place.error();
    if (place->line != content.place().line || place->repository != content.place().repository)
        return false;
    // What the operation has forked it has numbered, and may be numbered otherwise in the end.
    auto has_forked = services.branches.has_more_lines(content.context().transaction(), *committed,
                                                       content.place());
    if (!has_forked) return has_forked;
    return !*has_forked;
}

sdk::Result<void> expect_content(Services& services, sdk::Context& context) {
    sdk::Engine& engine = services.registrar.engine();
    if (!LineLoad::is_possible(engine)) return {};
    auto has_numbered = services.branches.has_more_repositories(
        context.transaction(), *engine.snapshot(), context.platform().number);
    if (!has_numbered) return has_numbered.error();
    if (!*has_numbered) Changes::of(context, services.branches).expect_content();
    return {};
}

sdk::Result<void> begin_load(const BranchContent& content) {
    Services& services = content.services();
    sdk::Context& context = content.context();
    sdk::Engine& engine = services.registrar.engine();
    const BranchStore& branches = services.branches;
    const bool is_own = content.changes().is_own(content.place());
    auto place = reserve(content, is_own);
    if (!place) return place.error();
    auto beginning = is_own ? from_first(content, *place) : from_committed(content, *place);
    if (!beginning) return beginning.error();
    const BranchStore::ReservedLine& line = beginning->line;
    const sdk::Reader& counted = is_own ? context.transaction() : *beginning->base.rows;
    auto shown = branches.show_line(context.transaction(), counted, content.branch(), line);
    if (!shown) return shown;
    const auto before_piece = [&branches, &engine, line,
                               branch = is_own ? sdk::RecordKey() : content.branch()] {
        return renew(engine, branches, branch, line);
    };
    const auto at_end = [&branches, &engine, place = line.place] {
        branches.give_up_line(engine, place);
    };
    auto load = std::make_unique<LineLoad>(context.transaction(), engine,
                                           branches.space(line.place), line.place.line,
                                           beginning->base, LineLoad::Hooks{before_piece, at_end});
    return content.changes().load(context, content.branch(), line, std::move(load));
}

}  // namespace stele::nodes

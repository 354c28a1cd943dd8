#include "publication.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "release_state.hpp"
#include "vocabulary.hpp"

namespace stele::releases {

namespace {

constexpr char kPublicationJob[] = "release";

class Publication {
public:
    Publication(const ReleaseServices& services, sdk::Job& job)
        : services_(services),
          job_(job),
          collection_{kReleaseType, sdk::text_member(job.input(), kRepositoryId)},
          id_(sdk::text_member(job.input(), kReleaseId)) {}

    sdk::Result<sdk::Json> run() {
        sdk::Json told = {{kReleaseId, id_}, {member::kIsReleased, false}};
        auto done = in_transaction([&](sdk::Context& context) -> sdk::Result<void> {
            auto release = context.documents().read(collection_, id_);
            if (!release) return release.error();
            if (!is_wanted(release->fields)) return {};
            auto members = publish(services_, context, collection_.container, release->fields);
            if (!members) return members.error();
            told[member::kHasConflicts] = members->value(member::kHasConflicts, false);
            return say(context, *members);
        });
        const bool has_ended = !done && (sdk::is_refusal(done.error()) ||
                                         done.error().kind == sdk::ErrorKind::too_large);
        if (has_ended) {
            if (auto ended = end_schedule(); !ended) return ended.error();
        }
        if (!done) return done.error();
        auto kept = keep_snapshot(told);
        if (!kept) return kept.error();
        return told;
    }

private:
    template <class Work>
    sdk::Result<void> in_transaction(const Work& work) {
        return services_.operations.run_as(
            job_.platform(), job_.run_as(), [&](sdk::Context& context) -> sdk::Result<void> {
                if (auto held = job_.confirm(context.transaction()); !held) return held;
                return work(context);
            });
    }

    sdk::Result<void> say(sdk::Context& context, const sdk::Json& members) const {
        auto patched = context.documents().patch(collection_, id_, members);
        return patched ? sdk::Result<void>() : patched.error();
    }

    /// Whoever has changed the schedule has another job.
    bool is_wanted(const sdk::Json& release) const {
        return sdk::text_member(release, member::kJob) == job_.id() &&
               sdk::flag_member(release, member::kIsScheduled, false) &&
               !sdk::flag_member(release, member::kIsReleased, false);
    }

    sdk::Result<void> end_schedule() {
        return in_transaction([this](sdk::Context& context) -> sdk::Result<void> {
            auto release = context.documents().read(collection_, id_);
            if (!release && sdk::is_missing(release.error())) return {};
            if (!release) return release.error();
            if (!is_wanted(release->fields)) return {};
            return say(context, {{member::kIsScheduled, false}});
        });
    }

    /// What the master was with the release, once the changeset is known.
    sdk::Result<void> keep_snapshot(sdk::Json& told) {
        return in_transaction([&](sdk::Context& context) -> sdk::Result<void> {
            auto release = context.documents().read(collection_, id_);
            if (!release && sdk::is_missing(release.error())) return {};
            if (!release) return release.error();
            const bool is_released = sdk::flag_member(release->fields, member::kIsReleased, false);
            told[member::kIsReleased] = is_released;
            const std::string present = sdk::text_member(release->fields, member::kSnapshot);
            if (!present.empty()) told[member::kSnapshot] = present;
            if (!is_released || !present.empty()) return {};
            auto snapshot = make_snapshot(context, release->fields);
            if (!snapshot) return snapshot.error();
            told[member::kSnapshot] = *snapshot;
            return say(context, {{member::kSnapshot, *snapshot}});
        });
    }

    /// By the server: it is no work of whoever releases, who need not be allowed to make branches.
    sdk::Result<std::string> make_snapshot(sdk::Context& context, const sdk::Json& release) const {
        auto repository = context.documents().read({kRepositoryType, ""}, collection_.container);
        if (!repository) return repository.error();
        auto changeset = released_changeset(context, release);
        if (!changeset) return changeset.error();
        auto made = services_.operations.on_record(
            context.as_system(), repository->key,
            {.method = "POST",
             .path = "/snapshots",
             .parameters = {{"branch", kMasterAlias}, {"changeset", *changeset}},
             .body = {{member::kTitle, sdk::text_member(release, member::kTitle)}}});
        if (!made) return made.error();
        return sdk::text_member(sdk::Json::parse(made->body()), "_doc");
    }

    /// Its id is known once the release is committed. Where nothing was to be merged, the master
    /// was that before.
    sdk::Result<std::string> released_changeset(sdk::Context& context,
                                                const sdk::Json& release) const {
        auto master = master_of(context.as_system(), collection_.container);
        if (!master) return master.error();
        const std::string word = sdk::text_member(release, member::kChangesetWord);
        return word.empty() ? services_.merging.tip(context, *master)
                            : services_.merging.changeset_id(*master, word);
    }

    const ReleaseServices& services_;
    sdk::Job& job_;
    const sdk::CollectionName collection_;
    const std::string id_;
};

}  // namespace

void define_publication(const ReleaseServices& services) {
    services.jobs.define({.name = kPublicationJob, .run = [&services](sdk::Job& job) {
                              return Publication(services, job).run();
                          }});
}

sdk::Result<std::string> start_publication(const ReleaseServices& services, sdk::Context& context,
                                           const std::string& repository,
                                           const std::string& release, std::int64_t start_ms) {
    return services.jobs.start(context,
                               {.type = kPublicationJob,
                                .input = {{kRepositoryId, repository}, {kReleaseId, release}},
                                .start_ms = start_ms});
}

sdk::Result<sdk::Json> publish(const ReleaseServices& services, sdk::Context& context,
                               const std::string& repository, const sdk::Json& release) {
    auto branches = branches_of(context, repository, release);
    if (!branches) return branches.error();
    if (auto may = require_approval(context, repository); !may) return may.error();
    if (auto same = check_unchanged(services, context, *branches, release); !same)
        return same.error();
    auto outcome = services.merging.merge(context, *branches, {.passes_block = true});
    if (!outcome) return outcome.error();
    sdk::Json members = {{member::kIsScheduled, false}};
    if (!outcome->is_merged) {
        members[member::kHasConflicts] = true;
        return members;
    }
    members[member::kIsReleased] = true;
    members[member::kHasConflicts] = false;
    members[member::kChangesetWord] = outcome->changeset;
    return members;
}

}  // namespace stele::releases

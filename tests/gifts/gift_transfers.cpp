// Exports and imports among the steps: an export shows nothing that its starter may not READ, and
// everything else; an import does nothing that its starter could not do by single operations.
#include <set>

#include <stele/sdk/members.hpp>

#include "tests/gifts/gift_archives.hpp"
#include "tests/gifts/gift_steps.hpp"

namespace stele::kernel::gifts {

namespace {

GiftServer::Parameters coordinates(const std::string& artifact) {
    return {{"group", "walk"}, {"artifact", artifact}, {"version", "1"}};
}

/// As manifests and lists of rights name principals.
sdk::Json named(const std::string& type, const std::string& domain, const std::string& name) {
    return {{"type", type}, {"domain", domain}, {"name", name}};
}

std::string lines_of(const std::vector<std::string>& mistakes) {
    std::string lines;
    for (const std::string& mistake : mistakes)
        lines += "\n    " + mistake;
    return lines;
}

std::string last_message(const sdk::Json& job) {
    const auto entries = job.find("log_entries");
    if (entries == job.end() || entries->empty()) return {};
    return sdk::text_member(entries->back(), "message");
}

}  // namespace

sdk::Json GiftSteps::ended(const std::string& job) {
    return value_of(server_.jobs().wait(server_.platform(), job, std::chrono::minutes(1)));
}

bool GiftSteps::may(const Person& person, const sdk::RecordKey& record,
                    sdk::Permission permission) const {
    const auto reader = server_.services().engine->snapshot();
    return world_.permissions(*reader, person.key(), record).contains({permission});
}

std::string GiftSteps::reference_of(const sdk::RecordKey& record) {
    std::string reference;
    server_.work([&](sdk::Context& context) -> sdk::Result<void> {
        reference = value_of(context.reference(record));
        return {};
    });
    return reference;
}

std::optional<Taken> GiftSteps::export_record(const Person& caller) {
    const Place& place = pick(world_.places);
    if (!server_.has_route("POST", place.route + "/export")) return std::nullopt;
    const bool may_read = may(caller, place.key, sdk::Permission::read) &&
                          may(caller, world_.vault, sdk::Permission::create_subobjects);
    const std::string artifact = new_name();
    const bool is_by_reference = may_read && below(3) == 0;
    const bool is_started =
        is_by_reference
            ? request(caller, "POST", "/transfer/export", {}, coordinates(artifact),
                      {{"sources", {reference_of(place.key)}}})
            : request(caller, "POST", place.route + "/export", place.values, coordinates(artifact));
    if (!is_started) {
        if (!may_read) return std::nullopt;
        return Taken{.wrong = "an export of what may be read was refused: " + refusal_};
    }
    const sdk::Json job = ended(reply_.at("_doc").get<std::string>());
    if (job.at("state") != "FINISHED")
        return Taken{.wrong = "an export failed: " + last_message(job)};
    const auto files = read_archive(server_, job.at("archiveId").get<std::string>());
    const auto mistakes = mistakes_of_export(world_, caller, place, files);
    if (mistakes.empty()) return Taken{};
    return Taken{.wrong = "an export is wrong:" + lines_of(mistakes)};
}

/// Of everything that lies in a place, whoever may read it.
GiftSteps::Kept GiftSteps::keep_export() {
    const Place* place = &pick(world_.places);
    while (!server_.has_route("POST", place->route + "/export"))
        place = &pick(world_.places);
    Kept kept{*place, new_name()};
    auto started = server_.request(world_.keeper.session, "POST", place->route + "/export",
                                   place->values, coordinates(kept.artifact));
    // It may be gone.
    if (!started) return kept;
    const sdk::Json job = ended(started->at("_doc").get<std::string>());
    if (job.at("state") != "FINISHED") throw std::runtime_error(last_message(job));
    auto files = read_archive(server_, job.at("archiveId").get<std::string>());
    std::vector<sdk::RecordKey> readers;
    for (std::size_t i = 0; i < world_.actor_count(); ++i)
        readers.push_back(world_.users[i].key());
    put_archive(server_, kept.artifact, files, readers);
    kept.is_there = true;
    return kept;
}

sdk::Json GiftSteps::any_principal() {
    if (below(3) > 0) {
        const Person& person = pick(world_.users);
        return named("USER", person.domain, person.session->principal.name);
    }
    static const std::vector<std::string> kNames{"reds", "blues", "greens"};
    return named("GROUP", world_.domain, pick(kNames));
}

/// What somebody writes by hand for a place, to get what they do not have.
GiftSteps::Kept GiftSteps::craft(const Place& place, const Person& caller) {
    Kept kept{place, new_name()};
    const std::string reference = reference_of(place.key);
    const std::string word = reference.substr(0, reference.find("://"));
    const std::string folder = folder_of(place);
    const auto somebody = [&] {
        return below(2) == 0 ? named("USER", caller.domain, caller.session->principal.name)
                             : any_principal();
    };
    sdk::Json fields = sdk::Json::object();
    if (below(3) == 0) fields["description"] = new_name();
    if (word == "accessPolicy" && below(2) == 0)
        fields["statements"] = {{{"action", "grant"}, {"roles", {any_role()}}}};
    if (word == "authenticationGrant" && below(2) == 0) {
        const Person& person = pick(world_.users);
        fields["principalDomainId"] = person.domain;
        fields["principalId"] = person.id;
        fields["allowOpenDriverAuthentication"] = true;
    }
    if (word == "project" && below(2) == 0) fields["stackId"] = pick(world_.stacks).id();
    if (place.has_teams && below(4) == 0) fields["enableAuthorities"] = false;
    // Half of them want one thing only, so that nothing else is what they are refused for.
    enum List : std::size_t { kAcl, kTeams, kRoles, kMembers, kTargets, kLists };
    const bool is_team_wanted = place.has_teams && below(3) == 0;
    const std::size_t only = is_team_wanted ? kTeams : below(2 * kLists);
    const auto has = [only](List list, bool usually) {
        return only < kLists ? only == list : usually;
    };
    ArchiveFiles files;
    const auto write = [&](const std::string& name, const sdk::Json& value) {
        files[folder + "/" + name] = sdk::dump_json(value);
    };
    write(word + ".json", fields);
    if (has(kAcl, below(3) > 0)) {
        sdk::Json entry = somebody();
        entry["authorities"] = {any_role()};
        write("acl.json", sdk::Json::array({entry}));
    }
    if (place.has_teams && has(kTeams, below(2) == 0)) {
        const std::string key = place.key == world_.focus.key && below(2) == 0 ? world_.crew
                                : is_team_wanted || below(2) == 0              ? "owners"
                                                                               : new_name();
        sdk::Json team{{"key", key},
                       {"roleKeys", sdk::Json::array()},
                       {"members", sdk::Json::array({somebody()})}};
        if (!is_team_wanted && below(2) == 0) team["roleKeys"].push_back(any_role());
        write("teams.json", sdk::Json::array({team}));
    }
    if (place.has_teams && has(kRoles, below(4) == 0)) {
        const sdk::Json role{{"roleKey", below(2) == 0 ? "helper" : "guide"},
                             {"permissions", {"CONNECT", "READ", "UPDATE", "MODIFY_PERMISSIONS"}}};
        write("roles.json", sdk::Json::array({role}));
    }
    if (word == "group" && has(kMembers, true))
        write("members.json", sdk::Json::array({somebody()}));
    if (word == "accessPolicy" && has(kTargets, below(2) == 0))
        write("targets.json", sdk::Json::array({somebody()}));
    if (word == "stack" && below(2) == 0) {
        const Place& store = pick(world_.stores);
        const std::string key = reference_of(store.key);
        write("companions.json", {{"first", key}});
        files[folder_of(store) + "/" + key.substr(0, key.find("://")) + ".json"] = "{}";
    }
    sdk::Json chain;
    server_.work([&](sdk::Context& context) -> sdk::Result<void> {
        chain = chain_of(context, place.key);
        return {};
    });
    files["manifest.json"] = sdk::dump_json({{"model", "3.0.0"},
                                             {"group", "walk"},
                                             {"artifact", kept.artifact},
                                             {"version", "1"},
                                             {"tipChangesetOnly", true},
                                             {"sources", sdk::Json::array({chain})}});
    put_archive(server_, kept.artifact, files, {caller.key()});
    kept.is_there = true;
    return kept;
}

std::optional<Taken> GiftSteps::import_archive(const Person& caller) {
    if (kept_.empty() || below(4) == 0) {
        Kept kept = keep_export();
        if (kept.is_there) kept_.push_back(std::move(kept));
    }
    const bool is_crafted = kept_.empty() || below(3) > 0;
    // What holds nothing but rights is one of many places.
    const Place& wanted = below(4) > 0    ? pick(world_.places)
                          : below(2) == 0 ? pick(world_.groups)
                                          : pick(world_.policies);
    // Something that is gone has no archive that is about it.
    if (is_crafted && world_.is_gone(wanted.key)) return std::nullopt;
    if (is_crafted && !server_.has_route("POST", wanted.route + "/import")) return std::nullopt;
    const Kept chosen = is_crafted ? craft(wanted, caller) : pick(kept_);
    // Onto the place, or into what it lies in.
    Place target = chosen.place;
    if (!is_crafted && below(2) == 0) {
        for (const Place& place : world_.places) {
            const bool is_around = lies_in(chosen.place, place) &&
                                   place.values.size() + 1 == chosen.place.values.size();
            if (is_around) target = place;
        }
    }
    static const std::vector<std::string> kStrategies{"CLONE", "CLONE", "COPY_EVERYTHING"};
    sdk::Json settings{{"strategy", pick(kStrategies)}, {"copyOnExisting", below(3) > 0}};
    if (below(5) == 0) {
        settings["substitutions"] = {{pick(world_.users).id, caller.id},
                                     {pick(world_.places).id(), pick(world_.places).id()}};
    }
    const RecordTable before(world_, caller);
    const bool is_started =
        below(4) == 0 && !world_.is_gone(target.key)
            ? request(
                  caller, "POST", "/transfer/import", {},
                  [&] {
                      auto parameters = coordinates(chosen.artifact);
                      parameters.emplace_back("target", reference_of(target.key));
                      return parameters;
                  }(),
                  settings)
            : request(caller, "POST", target.route + "/import", target.values,
                      coordinates(chosen.artifact), settings);
    if (!is_started) return std::nullopt;
    const sdk::Json job = ended(reply_.at("_doc").get<std::string>());
    const bool is_finished = job.at("state") == "FINISHED";
    told_ += is_finished ? " (finished)" : " (" + last_message(job) + ")";
    if (is_finished) ++succeeded()[is_crafted ? "import by hand" : "import of an export"];
    return brought(caller, before, is_finished);
}

Taken GiftSteps::brought(const Person& caller, const RecordTable& before, bool is_finished) {
    const RecordTable after(world_, caller);
    std::set<std::string> types;
    for (const Place& place : world_.places) {
        const auto row = before.rows().find(place.key);
        if (row != before.rows().end()) types.insert(row->second.type);
    }
    Taken taken{.made = after.new_principals(before)};
    std::vector<std::string> mistakes = after.mistakes_since(before, types);
    if (!is_finished && after.rows().size() != before.rows().size())
        mistakes.push_back("it failed and left something behind");
    if (!mistakes.empty()) taken.wrong = "an import is wrong:" + lines_of(mistakes);
    // Whose rights the authentication grant gives now.
    const auto owner_in = [this](const RecordTable& table) {
        const auto row = table.rows().find(world_.grant.key);
        return row == table.rows().end() ? std::string()
                                         : sdk::text_member(row->second.fields, "principalId");
    };
    if (owner_in(after) == owner_in(before)) return taken;
    for (std::size_t i = 0; i < world_.users.size(); ++i) {
        if (world_.users[i].id != owner_in(after)) continue;
        world_.grant_owner = i;
        taken.principal = world_.users[i].key();
    }
    return taken;
}

}  // namespace stele::kernel::gifts

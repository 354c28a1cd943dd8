// Content goes out of one branch and into another (docs/reference/nodes_transfer.md), with
// everything of a server around it but its protocol.
#include <algorithm>

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/members.hpp>

#include "tests/nodes/transfer_world.hpp"

namespace stele::tests {

namespace {

std::vector<std::string> titles_of(const Items& items) {
    std::vector<std::string> found;
    for (const sdk::ContentItem& item : items) {
        std::string title = sdk::text_member(item.fields, "title");
        if (!title.empty()) found.push_back(std::move(title));
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// A branch with something of every kind, and an empty one of another repository.
struct Orchard : TransferWorld {
    Orchard() {
        feature = make(branch, {{"_type", "d:feature"}, {"_qname", "orc:ripe"}, {"title", "Ripe"}});
        grows = make(branch, {{"_type", "d:association"},
                              {"_qname", "orc:grows"},
                              {"_parent", "a:linked"},
                              {"title", "Grows"}});
        fruit = make(
            branch,
            {{"_type", "d:type"},
             {"_qname", "orc:fruit"},
             {"_parent", "n:node"},
             {"title", "Fruit"},
             {"properties",
              {{"near", {{"type", "object"}, {"_relator", {{"associationType", "orc:grows"}}}}}}}});
        plum_type = make(branch, {{"_type", "d:type"},
                                  {"_qname", "orc:plum"},
                                  {"_parent", "orc:fruit"},
                                  {"title", "Plums"}});
        form = make(branch, {{"_type", "n:form"}, {"title", "Plum form"}});
        join(branch, plum_type, form, "a:has_form", {{"form-key", "master"}});
        folder = make(branch, {{"title", "Garden"}, {"_features", {{"f:container", empty()}}}});
        join(branch, root(branch), folder, "a:child");
        tree = make(branch, {{"_type", "orc:fruit"}, {"_qname", "orc:tree"}, {"title", "Tree"}});
        plum = make(branch, {{"_type", "orc:plum"},
                             {"title", "Plum"},
                             {"near", {{"id", tree}}},
                             {"_features", {{"orc:ripe", {{"since", "June"}}}}}});
        join(branch, folder, tree, "a:child");
        join(branch, folder, plum, "a:child");
        german = make(
            branch,
            {{"title", "Pflaume"},
             {"_features",
              {{"f:translation", {{"master-node-id", plum}, {"locale", "de"}, {"edition", "1.0"}}},
               {"f:locale", {{"locale", "de"}}}}}});
        join(branch, plum, german, "a:has_translation", {{"locale", "de"}, {"edition", "1.0"}});
        attach(branch, plum, "default", "a picture of a plum");
        attach(branch, plum, "second", std::string(600'000, 'x'));
        join(branch, tree, plum, "a:linked", {{"season", "summer"}});
    }

    static sdk::Json empty() { return sdk::Json::object(); }
    sdk::ContentSelection whole() const { return {.branch = branch}; }
    sdk::ContentTarget other(sdk::TransferStrategy strategy = {}) const {
        return {.branch = target, .strategy = strategy};
    }

    sdk::RecordKey branch = world.add_repository();
    sdk::RecordKey target = world.add_repository();
    std::string feature, grows, fruit, plum_type, form, folder, tree, plum, german;
};

}  // namespace

TEST_CASE("a branch that went through an empty one says the same, in other ids") {
    Orchard orchard;
    const Items items = must(orchard.take_out(orchard.whole()));
    CHECK(orchard.omissions.unreadable == 0);
    const auto report = must(orchard.bring_in(items, orchard.other()));
    CHECK(report.notes.empty());
    CHECK(report.ids.at(orchard.plum) != orchard.plum);
    const Items again = must(orchard.take_out({.branch = orchard.target}));
    const auto there = in_words_of(items, report.ids);
    const auto here = in_words_of(again, {});
    CHECK(there.size() == here.size());
    for (const auto& [id, fields] : there) {
        INFO(fields.dump(1));
        // Who has written here has a person of the branch's own.
        if (sdk::text_member(fields, "_type") == "n:person") continue;
        REQUIRE(here.contains(id));
        INFO(here.at(id).dump(1));
        // The root is each branch's own.
        if (sdk::text_member(fields, "_type") != "n:root")
            CHECK(sdk::is_same_json(fields, here.at(id)));
    }
    CHECK(bytes_of(titled(again, "Plum"), "default") == "a picture of a plum");
    CHECK(bytes_of(titled(again, "Plum"), "second") == std::string(600'000, 'x'));
    CHECK(report.attachments == 2);
    // Three types of definitions and a feature, the form, and four nodes.
    CHECK(report.created == 9);
}

TEST_CASE("what properties and features name are the copies, with their associations") {
    Orchard orchard;
    const Items items = must(orchard.take_out(orchard.whole()));
    const auto ids = must(orchard.bring_in(items, orchard.other())).ids;
    const std::string plum = ids.at(orchard.plum);
    const sdk::Json fields = orchard.read(orchard.target, plum);
    CHECK(fields["near"]["id"] == ids.at(orchard.tree));
    const std::string reference = sdk::text_member(fields["near"], "ref");
    std::string expected;
    orchard.change(orchard.target, [&](const nodes::BranchContent& content) {
        expected = must(content.context().reference(must(content.node(ids.at(orchard.tree))).key));
    });
    CHECK(reference == expected);
    CHECK(fields["near"]["qname"] == "orc:tree");
    CHECK(orchard.targets(orchard.target, plum, "orc:grows") ==
          std::vector<std::string>{ids.at(orchard.tree)});
    const sdk::Json german = orchard.read(orchard.target, ids.at(orchard.german));
    CHECK(german["_features"]["f:translation"]["master-node-id"] == plum);
}

TEST_CASE("built-in definitions and places of persons stay where they are") {
    Orchard orchard;
    const Items items = must(orchard.take_out(orchard.whole()));
    for (const sdk::ContentItem& item : items) {
        CHECK(sdk::text_member(item.fields, "_qname") != "a:child");
        CHECK_FALSE(sdk::text_member(item.fields, "target_type") == "n:person");
        CHECK_FALSE(item.fields.dump().find("objectId") != std::string::npos);
    }
    // Whoever writes first has a person here by itself, and no other comes.
    must(orchard.bring_in(items, orchard.other()));
    CHECK(orchard.count(orchard.target, {{"_type", "n:person"}}) == 1);
    CHECK(orchard.count(orchard.target, {{"_type", "n:root"}}) == 1);
}

TEST_CASE("a clone keeps ids, and a second one changes nothing") {
    Orchard orchard;
    const Items items = must(orchard.take_out(orchard.whole()));
    const auto first = must(orchard.bring_in(items, orchard.other(kClone)));
    CHECK(first.created == 9);
    CHECK(first.ids.at(orchard.plum) == orchard.plum);
    CHECK(orchard.has_written);
    const std::string tip = orchard.tip(orchard.target);
    const auto second = must(orchard.bring_in(items, orchard.other(kClone)));
    CHECK_FALSE(orchard.has_written);
    CHECK(orchard.tip(orchard.target) == tip);
    CHECK(second.created == 0);
    CHECK(second.updated == 0);
    CHECK(second.associations == 0);
    CHECK(second.attachments == 0);
}

TEST_CASE("a clone of what has changed brings it up to date in one changeset") {
    Orchard orchard;
    const Items items = must(orchard.take_out(orchard.whole()));
    must(orchard.bring_in(items, orchard.other(kClone)));
    orchard.change(orchard.branch, [&](const nodes::BranchContent& content) {
        sdk::Json fields = must(content.node(orchard.plum)).fields;
        fields["weight"] = 40;
        must(content.context().documents().update(content.nodes(), orchard.plum, fields));
    });
    orchard.attach(orchard.branch, orchard.plum, "default", "another picture");
    const std::string tip = orchard.tip(orchard.target);
    const auto report =
        must(orchard.bring_in(must(orchard.take_out(orchard.whole())), orchard.other(kClone)));
    CHECK(report.updated == 1);
    CHECK(report.created == 0);
    CHECK(orchard.read(orchard.target, orchard.plum)["weight"] == 40);
    const Items again = must(orchard.take_out({.branch = orchard.target}));
    CHECK(bytes_of(titled(again, "Plum"), "default") == "another picture");
    CHECK(bytes_of(titled(again, "Plum"), "second") == std::string(600'000, 'x'));
    const auto number = [](const std::string& changeset) { return std::stoi(changeset); };
    CHECK(number(orchard.tip(orchard.target)) == number(tip) + 1);
}

TEST_CASE("the children of a node come with it into a folder of another branch") {
    // docs/specification/merge_and_transfer.md T2, statement 28
    Orchard orchard;
    const std::string top = orchard.make(orchard.branch, {{"title", "Top"}});
    for (int index = 0; index < 8; ++index) {
        const std::string child = orchard.make(
            orchard.branch, {{"title", "child " + std::to_string(index)}, {"kind", "child"}});
        orchard.join(orchard.branch, top, child, "a:child");
    }
    const Items items = must(orchard.take_out({.branch = orchard.branch, .nodes = {top}}));
    const std::string place = orchard.make(orchard.target, {{"title", "Place"}});
    sdk::ContentTarget target = orchard.other();
    target.folder = place;
    target.subjects = {top};
    const auto ids = must(orchard.bring_in(items, target)).ids;
    CHECK(orchard.count(orchard.target, {{"kind", "child"}}) == 8);
    CHECK(orchard.targets(orchard.target, place, "a:child") ==
          std::vector<std::string>{ids.at(top)});
    CHECK(orchard.targets(orchard.target, ids.at(top), "a:child").size() == 8);
    // Without subjects they are what nothing leads to.
    target.subjects = {};
    must(orchard.bring_in(items, target));
    CHECK(orchard.targets(orchard.target, place, "a:child").size() == 2);
    CHECK(orchard.count(orchard.target, {{"_features.f:filename.filename", "Top (2)"}}) == 1);
}

TEST_CASE("a node that is cloned into another repository is read under its id") {
    // docs/specification/merge_and_transfer.md T13
    Orchard orchard;
    const Items items = must(orchard.take_out({.branch = orchard.branch, .nodes = {orchard.plum}}));
    const auto report = must(orchard.bring_in(items, orchard.other(kClone)));
    const sdk::Json plum = orchard.read(orchard.target, orchard.plum);
    CHECK(plum["title"] == "Plum");
    // The tree stayed, and what named it goes with a note.
    CHECK_FALSE(plum.contains("near"));
    CHECK(report.notes.size() == 1);
    const std::string tip = orchard.tip(orchard.target);
    must(orchard.bring_in(items, orchard.other(kClone)));
    CHECK(orchard.tip(orchard.target) == tip);
}

TEST_CASE("nodes come with what they need, and with what else is asked for") {
    Orchard orchard;
    const sdk::ContentSelection plain{.branch = orchard.branch, .nodes = {orchard.plum}};
    CHECK(
        titles_of(must(orchard.take_out(plain))) ==
        std::vector<std::string>{"Fruit", "Pflaume", "Plum", "Plum form", "Plums", "Ripe", "Root"});
    sdk::ContentSelection with_targets = plain;
    with_targets.has_relators = true;
    CHECK(titled(must(orchard.take_out(with_targets)), "Tree").id == orchard.tree);
    sdk::ContentSelection with_folders = plain;
    with_folders.has_folders = true;
    const Items in_folders = must(orchard.take_out(with_folders));
    CHECK(titled(in_folders, "Garden").id == orchard.folder);
    const auto links = [](const Items& items, const std::string& type) {
        return std::count_if(items.begin(), items.end(), [&](const sdk::ContentItem& item) {
            return sdk::text_member(item.fields, "_type") == type;
        });
    };
    // From the root to the garden, and from there to the plum.
    CHECK(links(in_folders, "a:child") == 2);
    sdk::ContentSelection with_links = plain;
    with_links.has_relating_associations = true;
    CHECK(links(must(orchard.take_out(plain)), "a:linked") == 0);
    CHECK(links(must(orchard.take_out(with_links)), "a:linked") == 1);
}

TEST_CASE("a file that is brought into two folders again is one in each, and up to date") {
    // docs/specification/merge_and_transfer.md T9, T10
    Orchard orchard;
    const auto bring = [&](const std::string& folder) {
        sdk::ContentTarget target{.branch = orchard.branch, .folder = folder};
        target.copies_on_existing = false;
        target.subjects = {orchard.plum};
        must(orchard.bring_in(
            must(orchard.take_out({.branch = orchard.branch, .nodes = {orchard.plum}})), target));
    };
    const std::string q = orchard.make(orchard.branch, {{"title", "q"}});
    const std::string l = orchard.make(orchard.branch, {{"title", "l"}});
    for (const std::string& folder : {q, l})
        bring(folder);
    orchard.change(orchard.branch, [&](const nodes::BranchContent& content) {
        sdk::Json fields = must(content.node(orchard.plum)).fields;
        fields["value"] = "new";
        must(content.context().documents().update(content.nodes(), orchard.plum, fields));
    });
    for (const std::string& folder : {q, l})
        bring(folder);
    for (const std::string& folder : {q, l}) {
        const auto members = orchard.targets(orchard.branch, folder, "a:child");
        REQUIRE(members.size() == 1);
        CHECK(members.front() != orchard.plum);
        CHECK(orchard.read(orchard.branch, members.front())["value"] == "new");
        CHECK(orchard.targets(orchard.branch, members.front(), "a:has_translation").size() == 1);
        // What does not come is named as before, because it is here.
        CHECK(orchard.read(orchard.branch, members.front())["near"]["id"] == orchard.tree);
        CHECK(orchard.targets(orchard.branch, members.front(), "orc:grows") ==
              std::vector<std::string>{orchard.tree});
    }
}

TEST_CASE("definitions come first, parents before what extends them, however they are listed") {
    Orchard orchard;
    Items items = must(orchard.take_out(orchard.whole()));
    std::reverse(items.begin(), items.end());
    orchard.set_branch(orchard.target, {{"validateContent", true}});
    const auto report = must(orchard.bring_in(items, orchard.other()));
    CHECK(report.created == 9);
    CHECK(orchard.read(orchard.target, "orc:plum")["_parent"] == "orc:fruit");
}

TEST_CASE("a definition that is here stays, and is told of where it differs") {
    Orchard orchard;
    const std::string present = orchard.make(
        orchard.target, {{"_type", "d:type"}, {"_qname", "orc:fruit"}, {"title", "Own"}});
    const Items items = must(orchard.take_out(orchard.whole()));
    const auto report = must(orchard.bring_in(items, orchard.other()));
    CHECK(report.ids.at(orchard.fruit) == present);
    CHECK(orchard.read(orchard.target, "orc:fruit")["title"] == "Own");
    REQUIRE_FALSE(report.notes.empty());
    CHECK_THAT(report.notes.front(), Catch::Contains("orc:fruit"));
    const sdk::RecordKey third = orchard.world.add_repository();
    orchard.make(third, {{"_type", "d:type"}, {"_qname", "orc:fruit"}, {"title", "Own"}});
    must(orchard.bring_in(items, {.branch = third, .strategy = kClone}));
    CHECK(orchard.read(third, "orc:fruit")["title"] == "Fruit");
}

TEST_CASE("a name that is taken stays with who has it") {
    Orchard orchard;
    orchard.make(orchard.target, {{"_qname", "orc:tree"}, {"title", "Other"}});
    const Items items = must(orchard.take_out(orchard.whole()));
    const auto report = must(orchard.bring_in(items, orchard.other()));
    const std::string tree = report.ids.at(orchard.tree);
    CHECK(orchard.read(orchard.target, tree)["_qname"] == "o:" + tree);
    CHECK(orchard.read(orchard.target, report.ids.at(orchard.plum))["near"]["qname"] ==
          "o:" + tree);
    CHECK(report.notes.size() == 1);
    const auto refused = orchard.bring_in(items, orchard.other(kClone));
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "nodes.import_qname_taken");
    CHECK_THAT(refused.error().message, Catch::Contains(orchard.tree));
}

TEST_CASE("ids that are no server's are fine for copies, and refused for clones") {
    Orchard orchard;
    const Items items{
        item_of({{"_doc", "made-up root"}, {"_qname", "r:root"}, {"_type", "n:root"}}),
        item_of({{"_doc", "/nodes/a"}, {"title", "A"}, {"to", {{"ref", "node://p/r/b//nodes/b"}}}}),
        item_of({{"_doc", "b"},
                 {"title", "B"},
                 {"to", {{"id", "c"}, {"typeQName", "n:node"}, {"title", "gone"}}}}),
        association_of("x", "a:child", "made-up root", "b")};
    auto report = must(orchard.bring_in(items, orchard.other()));
    CHECK(orchard.targets(orchard.target, orchard.root(orchard.target), "a:child").back() ==
          report.ids.at("b"));
    CHECK(orchard.read(orchard.target, report.ids.at("b")).contains("to") == false);
    const auto refused = orchard.bring_in(items, orchard.other(kClone));
    REQUIRE(refused.has_error());
    REQUIRE(refused.error().violations.size() == 1);
    CHECK(refused.error().violations.front().code == "nodes.import_id_unfit");
    CHECK_THAT(refused.error().message, Catch::Contains("/nodes/a"));
}

TEST_CASE("an association of an archive that does not call itself one is one") {
    // docs/specification/merge_and_transfer.md 5.2
    Orchard orchard;
    const Items items{item_of({{"_doc", "a"}, {"title", "A"}}),
                      item_of({{"_doc", "b"}, {"title", "B"}, {"source", "x"}, {"target", "y"}}),
                      item_of({{"_doc", "l"},
                               {"_qname", "o:l"},
                               {"_type", "a:linked"},
                               {"source", "a"},
                               {"source_type", "n:node"},
                               {"target", "b"},
                               {"directionality", "UNDIRECTED"},
                               {"season", "summer"}})};
    const auto report = must(orchard.bring_in(items, orchard.other()));
    CHECK(report.created == 2);
    CHECK(report.associations == 1);
    const sdk::Json link = orchard.read(orchard.target, report.ids.at("l"));
    CHECK(link["source"] == report.ids.at("a"));
    CHECK(link["directionality"] == "UNDIRECTED");
    CHECK(link["season"] == "summer");
    CHECK(orchard.read(orchard.target, report.ids.at("b"))["source"] == "x");
}

TEST_CASE("a branch that is brought in by names again doubles nothing") {
    Orchard orchard;
    sdk::ContentTarget target = orchard.other();
    target.copies_on_existing = false;
    const Items items = must(orchard.take_out(
        {.branch = orchard.branch, .nodes = {orchard.folder}, .has_folders = true}));
    for (int times = 0; times < 2; ++times)
        must(orchard.bring_in(items, target));
    CHECK(orchard.targets(orchard.target, orchard.root(orchard.target), "a:child").size() == 1);
    CHECK(orchard.count(orchard.target, {{"title", "Plum"}}) == 1);
    CHECK(orchard.count(orchard.target, {{"title", "Pflaume"}}) == 1);
}

TEST_CASE("links to nowhere are dropped and told of, or refused where everything is required") {
    Orchard orchard;
    const Items items{item_of({{"_doc", "a"},
                               {"title", "A"},
                               {"list",
                                {{{"id", "b"}, {"ref", "node://p/r/x/b"}},
                                 {{"id", "zz"}, {"ref", "node://p/r/x/zz"}}}},
                               {"text", "zz"}}),
                      item_of({{"_doc", "b"}, {"title", "B"}}),
                      association_of("l", "a:linked", "a", "zz")};
    const auto report = must(orchard.bring_in(items, orchard.other()));
    CHECK(report.notes.size() == 2);
    const sdk::Json a = orchard.read(orchard.target, report.ids.at("a"));
    REQUIRE(a["list"].size() == 1);
    CHECK(a["list"][0]["id"] == report.ids.at("b"));
    CHECK(a["text"] == "zz");
    sdk::ContentTarget strict = orchard.other();
    strict.requires_all = true;
    const std::string tip = orchard.tip(orchard.target);
    const auto refused = orchard.bring_in(items, strict);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "nodes.import_link_missing");
    CHECK(orchard.tip(orchard.target) == tip);
}

TEST_CASE("whole texts are substituted, and texts that only contain them are not") {
    Orchard orchard;
    sdk::ContentTarget target = orchard.other();
    target.substitutions = {
        {"${site}", "orchard"}, {"orc:old", "n:node"}, {"gone", orchard.root(orchard.target)}};
    const auto report = must(orchard.bring_in(
        {item_of(
             {{"_doc", "a"}, {"_type", "orc:old"}, {"title", "${site}"}, {"text", "at ${site}"}}),
         association_of("l", "a:child", "gone", "a")},
        target));
    const sdk::Json a = orchard.read(orchard.target, report.ids.at("a"));
    CHECK(a["title"] == "orchard");
    CHECK(a["text"] == "at ${site}");
    CHECK(a["_type"] == "n:node");
    CHECK(orchard.targets(orchard.target, orchard.root(orchard.target), "a:child").back() ==
          report.ids.at("a"));
}

TEST_CASE("a definition that gets another name stands for the one of that name") {
    Orchard orchard;
    const std::string present = orchard.make(
        orchard.target, {{"_type", "d:type"}, {"_qname", "orc:new"}, {"title", "Present"}});
    sdk::ContentTarget target = orchard.other();
    target.substitutions = {{"orc:old", "orc:new"}};
    const auto report = must(orchard.bring_in(
        {item_of({{"_doc", "d"}, {"_type", "d:type"}, {"_qname", "orc:old"}, {"title", "Old"}}),
         item_of({{"_doc", "a"}, {"_type", "orc:old"}, {"title", "A"}})},
        target));
    CHECK(report.ids.at("d") == present);
    CHECK(orchard.read(orchard.target, report.ids.at("a"))["_type"] == "orc:new");
    CHECK(report.created == 1);
}

TEST_CASE("what was brought under a key is found by it the next time") {
    // docs/specification/merge_and_transfer.md, statement 37
    Orchard orchard;
    Items items{item_of({{"_doc", "a"},
                         {"title", "A"},
                         {"_key", "the key"},
                         {"_existing", {{"_key", "the key"}}}})};
    const auto first = must(orchard.bring_in(items, orchard.other()));
    CHECK(first.created == 1);
    const std::string id = first.ids.at("a");
    CHECK_FALSE(orchard.read(orchard.target, id).contains("_existing"));
    orchard.change(orchard.target, [&](const nodes::BranchContent& content) {
        must(content.context().documents().update(content.nodes(), id, {{"title", "by hand"}}));
    });
    items.front().fields["title"] = "B";
    const auto second = must(orchard.bring_in(items, orchard.other()));
    CHECK(second.updated == 1);
    CHECK(second.ids.at("a") == id);
    CHECK(orchard.read(orchard.target, id)["title"] == "B");
    must(orchard.bring_in(items, orchard.other()));
    CHECK_FALSE(orchard.has_written);
}

TEST_CASE("what comes can tell its former id") {
    Orchard orchard;
    sdk::ContentTarget target = orchard.other();
    target.keeps_source_ids = true;
    const auto ids = must(orchard.bring_in({item_of({{"_doc", "a"}, {"title", "A"}})}, target)).ids;
    CHECK(orchard.read(orchard.target, ids.at("a"))["_source_doc"] == "a");
}

TEST_CASE(
    "an association that claims to stand for a property does not, unless one names its target") {
    Orchard orchard;
    const Items items = must(orchard.take_out(orchard.whole()));
    const auto ids = must(orchard.bring_in(items, orchard.other())).ids;
    sdk::ContentItem claim =
        association_of("c", "orc:grows", ids.at(orchard.plum), ids.at(orchard.form));
    claim.fields["_features"]["f:relator"] = {{"propertyHolder", "source"},
                                              {"propertyPath", "near"}};
    const auto report = must(orchard.bring_in({claim}, orchard.other()));
    CHECK(report.associations == 0);
    CHECK(report.notes.size() == 1);
    CHECK_FALSE(orchard.has_written);
}

TEST_CASE("a property stands for associations only with what it may name") {
    Orchard orchard;
    const auto define = [&](const sdk::RecordKey& on) {
        orchard.make(
            on,
            {{"_type", "d:type"},
             {"_qname", "orc:note"},
             {"title", "Note"},
             {"properties",
              {{"about",
                {{"type", "object"},
                 {"_relator", {{"associationType", "a:linked"}, {"nodeType", "orc:note"}}}}}}}});
    };
    define(orchard.target);
    const auto named = [](const char* id) {
        return sdk::Json{{"id", id}, {"ref", std::string("node://p/r/b/") + id}};
    };
    const auto report = must(orchard.bring_in(
        {item_of({{"_doc", "a"}, {"_type", "orc:note"}, {"title", "A"}, {"about", named("b")}}),
         item_of({{"_doc", "b"}, {"_type", "orc:note"}, {"title", "B"}, {"about", named("c")}}),
         item_of({{"_doc", "c"}, {"title", "C"}})},
        orchard.other()));
    CHECK(orchard.targets(orchard.target, report.ids.at("a"), "a:linked") ==
          std::vector<std::string>{report.ids.at("b")});
    CHECK(orchard.targets(orchard.target, report.ids.at("b"), "a:linked").empty());
    CHECK(orchard.read(orchard.target, report.ids.at("b"))["about"]["id"] == report.ids.at("c"));
    CHECK(report.notes.size() == 1);
}

TEST_CASE("what leads to a person leads to the person of that principal") {
    Orchard orchard;
    const std::size_t ben = 1;
    std::string anns;
    orchard.change(orchard.branch, [&](const nodes::BranchContent& content) {
        anns = must(content.ensure_person(content.principal()));
    });
    orchard.join(orchard.branch, orchard.plum, anns, "a:linked");
    const std::string bens_node = orchard.make(orchard.branch, {{"title", "Ben's"}}, ben);
    std::string bens;
    orchard.change(
        orchard.branch,
        [&](const nodes::BranchContent& content) {
            bens = must(content.ensure_person(content.principal()));
        },
        ben);
    orchard.join(orchard.branch, bens_node, bens, "a:linked");
    const Items items = must(orchard.take_out(orchard.whole()));
    const auto report = must(orchard.bring_in(items, orchard.other()));
    const auto linked = orchard.targets(orchard.target, report.ids.at(orchard.plum), "a:linked");
    REQUIRE(linked.size() == 1);
    CHECK(orchard.read(orchard.target, linked.front())["principal-id"] == "ann");
    CHECK(orchard.count(orchard.target, {{"_type", "n:person"}}) == 1);
    // Ben has never been here.
    CHECK(report.notes.size() == 1);
    CHECK(orchard.targets(orchard.target, report.ids.at(bens_node), "a:linked").empty());
}

TEST_CASE("tags are found by their words and stay one each") {
    Orchard orchard;
    const sdk::Json tagged = {{"f:taggable", {{"tags", {"ripe"}}}}};
    orchard.make(orchard.branch, {{"title", "One"}, {"_features", tagged}});
    const Items items = must(orchard.take_out(orchard.whole()));
    for (int times = 0; times < 2; ++times)
        must(orchard.bring_in(items, orchard.other()));
    CHECK(orchard.count(orchard.target, {{"_type", "n:tag"}}) == 1);
    CHECK(orchard.count(orchard.target, {{"_type", "a:has_tag"}}) == 2);
}

TEST_CASE("bytes of attachments count in the repository that they come into") {
    Orchard orchard;
    const Items items = must(orchard.take_out(orchard.whole()));
    orchard.set_repository_of(orchard.target, {{"maxsize", 500'000}});
    const std::string tip = orchard.tip(orchard.target);
    for (const auto strategy : {sdk::TransferStrategy::copy_everything, kClone}) {
        const auto refused = orchard.bring_in(items, orchard.other(strategy));
        REQUIRE(refused.has_error());
        CHECK(refused.error().code == "data_store.full");
        CHECK_THAT(refused.error().message, Catch::Contains(orchard.plum));
    }
    CHECK(orchard.tip(orchard.target) == tip);
    sdk::ContentTarget bare = orchard.other();
    bare.has_attachments = false;
    CHECK(must(orchard.bring_in(items, bare)).attachments == 0);
}

TEST_CASE("a history has every version, changeset by changeset, and what went") {
    Orchard orchard;
    const std::string from = orchard.tip(orchard.branch);
    const std::string gone = orchard.make(orchard.branch, {{"title", "first"}});
    orchard.change(orchard.branch, [&](const nodes::BranchContent& content) {
        must(content.context().documents().update(content.nodes(), gone, {{"title", "second"}}));
    });
    const std::string middle = orchard.tip(orchard.branch);
    orchard.remove(orchard.branch, gone);
    sdk::ContentSelection selection{.branch = orchard.branch};
    selection.has_history = true;
    selection.start_changeset = from;
    const Items items = must(orchard.take_out(selection));
    // Root and node twice, then nothing but the deletion.
    REQUIRE(items.size() == 4);
    CHECK(sdk::text_member(items[0].fields, "_qname") == "r:root");
    CHECK(items[1].fields["title"] == "first");
    CHECK(items[2].fields["title"] == "second");
    CHECK(items[2].changeset == middle);
    CHECK(items[2].fields["_system"]["changeset"] == middle);
    CHECK(items[3].is_removed);
    CHECK(items[3].changeset == orchard.tip(orchard.branch));
    CHECK(items[3].fields == sdk::Json({{"_doc", gone}, {"_system", {{"deleted", true}}}}));
    selection.end_changeset = middle;
    CHECK(must(orchard.take_out(selection)).size() == 3);
    // Of all versions the last one comes, and of what went none.
    selection.end_changeset.clear();
    selection.start_changeset.clear();
    const auto report = must(orchard.bring_in(must(orchard.take_out(selection)), orchard.other()));
    CHECK(report.created == 9);
    CHECK_FALSE(report.ids.contains(gone));
}

TEST_CASE("a state is the one after its changeset") {
    Orchard orchard;
    const std::string node = orchard.make(orchard.branch, {{"title", "before"}});
    const std::string then = orchard.tip(orchard.branch);
    orchard.remove(orchard.branch, node);
    sdk::ContentSelection selection{.branch = orchard.branch};
    selection.changeset = then;
    CHECK(titled(must(orchard.take_out(selection)), "before").id == node);
    selection.changeset = "99999:00000000000000000000";
    CHECK(orchard.take_out(selection).error().code == "nodes.changeset_unknown");
    selection.changeset = then.substr(0, then.find(':')) + ":00000000000000000000";
    CHECK(orchard.take_out(selection).error().code == "nodes.changeset_unknown");
}

TEST_CASE("only what changed in a range leaves, and the root") {
    Orchard orchard;
    const std::string from = orchard.tip(orchard.branch);
    orchard.make(orchard.branch, {{"title", "late"}});
    sdk::ContentSelection selection{.branch = orchard.branch};
    selection.start_changeset = from;
    CHECK(titles_of(must(orchard.take_out(selection))) == std::vector<std::string>{"Root", "late"});
    selection.start_changeset.clear();
    selection.end_ms = 1;
    CHECK(titles_of(must(orchard.take_out(selection))) == std::vector<std::string>{"Root"});
}

}  // namespace stele::tests

#include "search_fixture.hpp"

#include <algorithm>
#include <random>

#include "words.hpp"

namespace stele::node_search {

namespace {

/// Four books and what is not found.
struct Library : SearchWorld {
    Library() {
        log.write(
            1,
            {{"war", R"({"title":"War and Peace","author":{"name":"Leo Tolstoy"}})"},
             {"art", R"({"title":"The Art of War","year":-500,"sold":true})"},
             {"hobbit", R"({"title":"The Hobbit","tags":["There and","Back Again"]})"},
             {"link", R"({"title":"War War War","_is_association":true})"},
             {"peace",
              R"({"title":"Peace","_system":{"created_by":"bilbo","created_on":{"iso_8601":"2026-11-22T14:20:31Z","year":2026}}})"}});
    }
};

Ids sorted(Ids ids) {
    std::sort(ids.begin(), ids.end());
    return ids;
}

}  // namespace

TEST_CASE("a search finds whole words in every value, without regard to case") {
    Library world;
    CHECK(sorted(world.ids("WAR")) == Ids{"art", "war"});
    CHECK(sorted(world.ids("and")) == Ids{"hobbit", "war"});
    CHECK(world.ids("tolstoy") == Ids{"war"});
    CHECK(world.ids("500") == Ids{"art"});
    CHECK(world.ids("again") == Ids{"hobbit"});
    CHECK(world.ids("wa").empty());
    CHECK(world.ids("true").empty());
    CHECK(world.ids("sold:true") == Ids{"art"});
    CHECK(world.ids("bilbo").empty());
    CHECK(world.ids("_system.created_by:Bilbo") == Ids{"peace"});
    CHECK(world.ids("_system.created_on.iso_8601:\"2026-11-22T14:20:31Z\"") == Ids{"peace"});
    CHECK(world.ids("_system.created_on.iso_8601:\"2026-11-23T14:20:31Z\"").empty());
    CHECK(world.ids("_system.created_on.iso_8601:2026*") == Ids{"peace"});
    CHECK(world.ids("_system.created_on.iso_8601:2025*").empty());
    CHECK(world.ids("_system.created_on.year:2026").empty());
    CHECK(world.ids("_exists_:_system.created_by").size() == 4);
    CHECK(world.ids("_exists_:_system.created_on.year").empty());
}

TEST_CASE("types and names of nodes are found whole or by their beginning") {
    SearchWorld world;
    world.log.write(1, {{"note", R"({"_type":"my:note","_qname":"o:one","title":"my own"})"},
                        {"plain", R"({"_type":"n:node","_qname":"o:two","title":"node"})"}});
    CHECK(world.ids("_type:\"my:note\"") == Ids{"note"});
    CHECK(world.ids("_type:my*") == Ids{"note"});
    CHECK(world.ids("_type:my\\:no*") == Ids{"note"});
    CHECK(world.ids("_type:*ote") == Ids{"note"});
    world.log.write(1, {{"other", R"({"_type":"mycorp:note"})"}});
    CHECK(world.ids("_type:my\\:*") == Ids{"note"});
    CHECK(sorted(world.ids("_type:my*")) == Ids{"note", "other"});
    CHECK(world.ids(sdk::Json{{"match", {{"_type", "my:note"}}}}) == Ids{"note"});
    CHECK(world.ids("_type:note").empty());
    CHECK(world.ids("\"my:note\"") == Ids{"note"});
    CHECK(world.ids("\"o:two\"") == Ids{"plain"});
    CHECK(world.ids("node") == Ids{"plain"});
    CHECK(world.ids("\"my own\"") == Ids{"note"});
    CHECK(world.ids("_exists_:_type") == Ids{"note", "other", "plain"});
    CHECK(world.ids("_exists_:title AND NOT _type:my*") == Ids{"plain"});
}

TEST_CASE("fields, phrases, logic and wildcards narrow a search") {
    Library world;
    CHECK(world.ids("author.name:leo") == Ids{"war"});
    CHECK(world.ids("title:leo").empty());
    CHECK(world.ids("title:\"war and peace\"") == Ids{"war"});
    CHECK(world.ids("\"and war\"").empty());
    CHECK(world.ids("\"war and peace and\"").empty());
    CHECK(world.ids("\"war peace\"~1") == Ids{"war"});
    CHECK(world.ids("\"and back\"").empty());
    CHECK(world.ids("tags:\"and back\"").empty());
    CHECK(world.ids("\"peace leo\"").empty());
    CHECK(world.ids("war AND peace") == Ids{"war"});
    CHECK(world.ids("war -peace") == Ids{"art"});
    CHECK(sorted(world.ids("NOT war")) == Ids{"hobbit", "peace"});
    CHECK(sorted(world.ids("title:War and Peace")) == Ids{"art", "hobbit", "peace", "war"});
    CHECK(world.ids("hob*") == Ids{"hobbit"});
    CHECK(world.ids("h?bb*t") == Ids{"hobbit"});
    CHECK(world.ids("title:*bit") == Ids{"hobbit"});
    CHECK(world.ids("hobit~") == Ids{"hobbit"});
    CHECK(world.ids("tags:*") == Ids{"hobbit"});
    CHECK(world.ids("*").size() == 4);
    CHECK(world.ids("...").empty());
    CHECK(world.ids("war AND ...").size() == 2);
}

TEST_CASE("objects of the search language search") {
    Library world;
    const auto ids = [&](const char* object) {
        return sorted(world.ids(sdk::Json::parse(object)));
    };
    CHECK(ids(R"({"match_all":{}})") == Ids{"art", "hobbit", "peace", "war"});
    CHECK(ids(R"({"match":{"title":"the peace"}})") == Ids{"art", "hobbit", "peace", "war"});
    CHECK(ids(R"({"match_phrase_prefix":{"title":"art of w"}})") == Ids{"art"});
    CHECK(ids(R"({"prefix":{"title":"pea"}})") == Ids{"peace", "war"});
    CHECK(ids(R"({"bool":{"filter":{"term":{"title":"war"}}}})") == Ids{"art", "war"});
    CHECK(ids(R"({"bool":{"must":{"term":{"title":"war"}},"must_not":{"exists":{"field":"year"}},
                          "should":{"term":{"title":"nothing"}}}})") == Ids{"war"});
}

TEST_CASE("ranges find numbers, dates and words between their ends") {
    Library world;
    world.log.write(1, {{"n1", R"({"n":-5,"tags":["b"],"on":"2024-01-05"})"},
                        {"n2", R"({"n":2.5,"tags":["c","x"],"on":"2024-01-05T10:00:00+02:00"})"},
                        {"n3", R"({"n":[10,300],"tags":["d"],"on":"2025-06-01"})"},
                        {"n4", R"({"n":"7","on":"no date"})"}});
    const auto ids = [&](const char* field, const char* ends) {
        return sorted(world.ids(sdk::Json{{"range", {{field, sdk::Json::parse(ends)}}}}));
    };
    CHECK(ids("n", R"({"gte":-5,"lt":10})") == Ids{"n1", "n2"});
    CHECK(ids("n", R"({"gt":-5,"lte":10})") == Ids{"n2", "n3"});
    CHECK(ids("n", R"({"gt":"10"})") == Ids{"n3"});
    CHECK(ids("n", R"({"lt":-5})").empty());
    CHECK(ids("year", R"({"lt":0})") == Ids{"art"});
    CHECK(ids("on", R"({"gte":"2024-01-05","lt":"2024-01-06"})") == Ids{"n1", "n2"});
    CHECK(ids("on", R"({"gt":"2024-01-05T07:59:59Z","lte":"2024-01-05T08:00:00Z"})") == Ids{"n2"});
    CHECK(ids("on", R"({"gt":"2024-01-05T08:00:00Z"})") == Ids{"n3"});
    CHECK(ids("tags", R"({"gte":"B","lte":"c"})") == Ids{"hobbit", "n1", "n2"});
    CHECK(ids("tags", R"({"gt":"c"})") == Ids{"hobbit", "n2", "n3"});
    const char* const kMade = "_system.created_on.iso_8601";
    CHECK(ids(kMade, R"({"gte":"2026-11-22","lt":"2026-11-23"})") == Ids{"peace"});
    CHECK(ids(kMade, R"({"gt":"2026-11-22T14:20:31Z"})").empty());
    CHECK(ids(kMade, R"({"gte":"2026"})") == Ids{"peace"});
    CHECK(
        sorted(world.ids(sdk::Json::parse(
            R"({"bool":{"must":[{"range":{"n":{"gt":0}}}],"must_not":{"term":{"tags":"x"}}}})"))) ==
        Ids{"n3"});
    CHECK(sorted(world.ids(sdk::Json::parse(
              R"({"bool":{"should":[{"range":{"n":{"gt":0}}},{"match":{"title":"hobbit"}}]}})"))) ==
          Ids{"hobbit", "n2", "n3"});
    world.log.write(1, {{"n3", R"({"n":1})"}});
    CHECK(ids("n", R"({"gte":1})") == Ids{"n2", "n3"});
    CHECK(ids("n", R"({"gte":3})").empty());
}

TEST_CASE("the best come first, ties by creation, which ids tell") {
    SearchWorld world;
    world.log.write(1, {{"b", R"({"t":"apple"})"}});
    world.log.write(1, {{"a", R"({"t":"apple"})"}, {"c", R"({"t":"apple apple apple"})"}});
    world.log.write(1, {{"b", R"({"t":"apple"})"}});
    CHECK(world.ids("apple") == Ids{"c", "a", "b"});
    const auto two = world.find("apple", 1, {.hits = 2});
    REQUIRE(two.has_value());
    CHECK(two->total == 3);
    CHECK(two->best.size() == 2);
    CHECK(two->best[0].score > two->best[1].score);
}

TEST_CASE("what is not accepted is neither found nor counted") {
    Library world;
    const auto accepts = [](std::string_view id) -> sdk::Result<bool> { return id != "art"; };
    const auto found = world.find("war", 1, {.accepts = accepts});
    REQUIRE(found.has_value());
    CHECK(found->total == 1);
    CHECK(found->best.front().id == "war");
}

TEST_CASE("what attachments say is found, alone and by its path") {
    SearchWorld world;
    world.log.attached["a"] = "A pear tree. Another pear.";
    world.log.write(1, {{"a", R"({"t":"apple"})"}, {"b", R"({"t":"pear"})"}});
    CHECK(world.ids("tree") == Ids{"a"});
    CHECK(world.ids("pear").size() == 2);
    CHECK(world.ids("_attachments:pear") == Ids{"a"});
    CHECK(world.ids(R"(_attachments:"pear tree")") == Ids{"a"});
    CHECK(world.ids("t:tree").empty());
    // The next version has none.
    world.log.attached.clear();
    world.log.write(1, {{"a", R"({"t":"apple"})"}});
    CHECK(world.ids("tree").empty());
    CHECK(world.ids("apple") == Ids{"a"});
}

TEST_CASE("a search that would look at too much says so") {
    SearchWorld world;
    std::vector<std::pair<std::string, std::string>> nodes;
    for (int i = 0; i < 1001; ++i)
        nodes.emplace_back("n" + std::to_string(i), R"({"t":"apple"})");
    world.log.write(1, nodes);
    const auto accepts = [](std::string_view) -> sdk::Result<bool> { return true; };
    const auto found = world.find("apple", 1, {.accepts = accepts});
    REQUIRE(found.has_value());
    CHECK(found->is_truncated);
    CHECK(found->total == 1000);
    // Where nothing needs to be looked at, all are counted.
    CHECK(world.find("apple")->total == 1001);
    CHECK_FALSE(world.find("apple")->is_truncated);
    world.log.write(1, {{"n0", ""}});
    CHECK(world.find("apple", 1, {.accepts = accepts})->total == 1000);
    CHECK_FALSE(world.find("apple", 1, {.accepts = accepts})->is_truncated);
}

TEST_CASE("patterns that too many words fit are refused") {
    SearchWorld world;
    std::string text;
    for (int i = 0; i < 2001; ++i)
        text += "w" + std::to_string(i) + " ";
    world.log.write(1, {{"n", sdk::Json{{"t", text}}.dump()}});
    const auto found = world.find("w*");
    REQUIRE(found.has_error());
    CHECK(found.error().code == "node_search.pattern_too_wide");
    CHECK(found.error().kind == sdk::ErrorKind::invalid);
    CHECK(world.ids("w199*") == Ids{"n"});
}

TEST_CASE("one node puts a bounded number of values and words into the index, the first of them") {
    SearchWorld world;
    sdk::Json node = {{"title", "first"}, {"price", sdk::Json::array()}, {"own", 7}};
    for (int i = 0; i < 1500; ++i) {
        node["price"].push_back(i);
        node["price"].push_back(i);
    }
    std::string words;
    for (int i = 0; i < 30'000; ++i)
        words += "w" + std::to_string(i) + " ";
    node["text"] = words + "first";
    node["_system"] = {{"created_by", "bilbo"}};
    world.log.write(1, {{"n", node.dump()}});
    const auto in_range = [&](const char* field, int from) {
        return world.ids(sdk::Json{{"range", {{field, {{"gte", from}}}}}});
    };
    CHECK(in_range("price", 999) == Ids{"n"});
    CHECK(in_range("price", 1000).empty());
    CHECK(in_range("own", 7) == Ids{"n"});
    CHECK(world.ids("w15000") == Ids{"n"});
    CHECK(world.ids("w29999").empty());
    // A word that is known is found wherever it stands, and places are what they were.
    CHECK(world.ids("text:first") == Ids{"n"});
    CHECK(world.ids("\"w15000 first\"").empty());
    CHECK(world.ids("_system.created_by:bilbo") == Ids{"n"});
}

TEST_CASE("a fork shows what it has overridden, removed and inherited") {
    SearchWorld world;
    world.log.write(1, {{"kept", R"({"t":"apple"})"}, {"changed", R"({"t":"apple"})"}});
    world.log.write(1, {{"removed", R"({"t":"apple"})"}});
    const std::uint64_t line = world.log.fork(1, world.log.revision());
    world.log.write(line, {{"changed", R"({"t":"pear"})"}, {"removed", ""}});
    world.log.write(1, {{"later", R"({"t":"apple"})"}});
    world.log.write(1, {{"kept", ""}});
    CHECK(world.ids("apple", line) == Ids{"kept"});
    CHECK(world.ids("pear", line) == Ids{"changed"});
    CHECK(world.ids("pear").empty());
    CHECK(world.ids("apple") == Ids{"changed", "later", "removed"});
}

TEST_CASE("searches agree with a scan of what branches show, whatever was written") {
    const std::vector<std::string> vocabulary = {"apple", "pear", "plum"};
    for (unsigned seed = 1; seed <= 15; ++seed) {
        CAPTURE(seed);
        SearchWorld world({.index = {.pending_documents = 7}, .documents_at_once = 5});
        std::mt19937 random(seed);
        const auto below = [&](std::uint64_t bound) { return random() % bound; };
        std::uint64_t lines = 1;
        for (int step = 0; step < 40; ++step) {
            if (below(6) == 0 && world.log.revision() > 0)
                lines = world.log.fork(1 + below(lines), 1 + below(world.log.revision()));
            std::map<std::string, std::string> nodes;
            for (std::uint64_t i = 0; i <= below(3); ++i) {
                const std::string text = "{\"t\":\"" + vocabulary[below(3)] + "\"}";
                nodes["n" + std::to_string(below(6))] = below(4) == 0 ? "" : text;
            }
            world.log.write(1 + below(lines), {nodes.begin(), nodes.end()});
            if (below(3) != 0) continue;
            const std::string& word = vocabulary[below(3)];
            const std::uint64_t line = 1 + below(lines);
            Ids wanted;
            for (const auto& [id, text] : world.log.shown_on(line)) {
                if (text.find(word) != std::string::npos) wanted.push_back(id);
            }
            CAPTURE(step, word, line);
            REQUIRE(sorted(world.ids(word, line)) == wanted);
        }
    }
}

TEST_CASE("scores and their order do not move with nodes that are not accepted") {
    SearchWorld world;
    world.log.write(1, {{"a", R"({"t":"apple apple pear"})"}, {"b", R"({"t":"pear pear apple"})"}});
    const auto accepts = [](std::string_view id) -> sdk::Result<bool> { return id.size() == 1; };
    const auto found = [&] {
        const auto hits = world.find("apple pear", 1, {.accepts = accepts});
        REQUIRE(hits.has_value());
        std::vector<std::pair<std::string, double>> scores;
        for (const sdk::NodeHit& hit : hits->best)
            scores.emplace_back(hit.id, hit.score);
        return scores;
    };
    const auto before = found();
    REQUIRE(before.size() == 2);
    for (int i = 0; i < 20; ++i)
        world.log.write(1, {{"hidden" + std::to_string(i), R"({"t":"apple and much more"})"}});
    CHECK(found() == before);
}

}  // namespace stele::node_search

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

struct Libraries : ResourceFixture {
    /// Two libraries, each with a shelf of the same id and a book of the same id on it.
    Libraries() {
        for (const std::string library : {"north", "south"}) {
            const sdk::RecordKey key = create({"library", ""}, {{"_doc", library}});
            const sdk::RecordKey shelf =
                create({"shelf", library, key}, {{"_doc", "master"}, {"of", library}});
            create({"book", "master", shelf}, {{"_doc", "first"}, {"of", library}});
            shelves.push_back(shelf);
        }
    }
    sdk::Json read(const std::string& path) { return json(system(), "GET", path); }

    std::vector<sdk::RecordKey> shelves;
};

}  // namespace

TEST_CASE_METHOD(Libraries, "records of containers with one id do not mix below the second level") {
    for (const std::string library : {"north", "south"}) {
        const std::string books = "/libraries/" + library + "/shelves/master/books";
        CHECK(read(books + "/first").at("of") == library);
        CHECK(read(books).at("total_rows") == 1);
        CHECK(read(books).at("rows").at(0).at("of") == library);
    }
    json(system(), "POST", "/libraries/north/shelves/master/books", {{"_doc", "second"}});
    CHECK(read("/libraries/north/shelves/master/books").at("total_rows") == 2);
    CHECK(read("/libraries/south/shelves/master/books").at("total_rows") == 1);
    const auto elsewhere = request(system(), "GET", "/libraries/south/shelves/master/books/second");
    CHECK(elsewhere.error().code == "document.unknown");
}

TEST_CASE_METHOD(Libraries, "a removed container takes along only what lies inside it") {
    json(system(), "DELETE", "/libraries/north");
    CHECK(read("/libraries/south/shelves/master/books/first").at("of") == "south");
    create({"library", ""}, {{"_doc", "north"}});
    CHECK(read("/libraries/north/shelves").at("total_rows") == 0);
}

TEST_CASE_METHOD(Libraries,
                 "the owner of a container that came again under its id reaches inside") {
    json(system(), "DELETE", "/libraries/north");
    const sdk::RecordKey again = create({"library", ""}, {{"_doc", "north"}});
    create({"shelf", "north"}, {{"_doc", "master"}});
    const auto owner = make_user("owner");
    CHECK_FALSE(request(owner, "GET", "/libraries/north/shelves/master").has_value());
    grant(again, owner, "owner");
    CHECK(request(owner, "GET", "/libraries/north/shelves/master").has_value());
}

TEST_CASE_METHOD(Libraries, "rights reach only what lies inside, whatever ids others have") {
    const auto keeper = make_user("keeper");
    grant(shelves[0], keeper, "collaborator", true);
    CHECK(request(keeper, "PUT", "/libraries/north/shelves/master/books/first").has_value());
    const auto other = request(keeper, "PUT", "/libraries/south/shelves/master/books/first");
    CHECK(other.error().kind == sdk::ErrorKind::not_found);
}

TEST_CASE_METHOD(Libraries, "references lead through every container") {
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        for (const std::string library : {"north", "south"}) {
            const std::string text = "book://" + platform().id + "/" + library + "/master/first";
            auto key = context.find_reference(text);
            if (!key) return key.error();
            CHECK(value_of(context.documents().read(*key)).fields.at("of") == library);
            CHECK(value_of(context.reference(*key)) == text);
        }
        return {};
    });
}

TEST_CASE_METHOD(Libraries, "a reference leads there whatever the case of what it names") {
    std::string platform_id = platform().id;
    for (char& c : platform_id)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    REQUIRE(platform_id != platform().id);
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        const std::string path = "/north/master/first";
        const auto wanted = value_of(context.find_reference("book://" + platform().id + path));
        for (const std::string& text :
             {"book://" + platform_id + path, "BOOK://" + platform_id + "/North/MASTER/First"}) {
            INFO(text);
            CHECK(value_of(context.find_reference(text)) == wanted);
        }
        CHECK(context.find_reference("book://other" + path).error().kind ==
              sdk::ErrorKind::not_found);
        return {};
    });
}

TEST_CASE_METHOD(Libraries, "plugins name a container by its key where its id is not enough") {
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        sdk::Documents& documents = context.documents();
        CHECK(documents.read({"book", "master"}, "first").error().code ==
              "resource.container_ambiguous");
        CHECK(documents.read({"book", "", shelves[1]}, "first")->fields.at("of") == "south");
        CHECK(documents.read({"shelf", "south"}, "master")->fields.at("of") == "south");
        const auto wrong = documents.read({"shelf", "", shelves[1]}, "master");
        CHECK(wrong.error().code == "resource.container_ambiguous");
        const auto unknown = documents.read({"shelf", "west"}, "master");
        CHECK(unknown.error().message == "there is no library west");
        return {};
    });
}

TEST_CASE_METHOD(Libraries,
                 "a record says in which container it lies, and so does its collection") {
    const sdk::Json book = read("/libraries/south/shelves/master/books/first");
    CHECK(book.at("shelfId") == "master");
    const auto request = begin(system(), "GET", "/libraries/south/shelves/master/books/first");
    REQUIRE(request->run().has_value());
    CHECK(request->call().collection().container == "master");
    CHECK(request->call().collection().container_key == shelves[1]);
}

TEST_CASE_METHOD(Libraries, "a path leads where it led at the state that a request reads") {
    const std::string book = "/libraries/north/shelves/master/books/first";
    const bool is_remembered = GENERATE(false, true);
    if (is_remembered) CHECK(read(book).at("of") == "north");
    const auto early = begin(system(), "GET", book);
    json(system(), "DELETE", "/libraries/north/shelves/master");
    CHECK(request(system(), "GET", book).error().code == "document.unknown");
    const sdk::RecordKey shelf = create({"shelf", "north"}, {{"_doc", "master"}});
    create({"book", "master", shelf}, {{"_doc", "first"}, {"of", "another"}});
    CHECK(read(book).at("of") == "another");
    sdk::Reply reply = value_of(early->run());
    CHECK(value_of(sdk::parse_json(reply.take_body())).at("of") == "north");
    CHECK(read(book).at("of") == "another");
    CHECK(read("/libraries/south/shelves/master/books/first").at("of") == "south");
}

TEST_CASE_METHOD(Libraries, "a read that writes conflicts with a change of what it lies in") {
    const std::string book = "/libraries/north/shelves/master/books/first";
    const bool is_remembered = GENERATE(false, true);
    if (is_remembered) read(book);
    const auto early = begin(system(), "GET", book + "?carve=here");
    REQUIRE(early->run().has_value());
    json(system(), "PUT", "/libraries/north/shelves/master", {{"of", "another"}});
    const auto committed = early->commit();
    REQUIRE_FALSE(committed.has_value());
    CHECK(committed.error().code == "engine.conflict");
}

TEST_CASE_METHOD(Libraries, "what nobody knows counts as a container until somebody reads") {
    const sdk::RecordKey shelf = create({"shelf", "north"}, {{"_doc", "new"}});
    const sdk::RecordKey book = create({"book", "new", shelf}, {{"_doc", "first"}});
    Records fresh(services.registry, services.documents, services.platforms, services.sealer);
    REQUIRE(fresh.is_container(book));
    REQUIRE(fresh.is_container(shelf));
    SECTION("anything") {
        value_of(fresh.resource_of(*services.engine->snapshot(), shelves.front()));
        CHECK_FALSE(fresh.is_container(book));
        CHECK(fresh.is_container(shelf));
    }
    SECTION("but nothing is learnt from a state that may never be") {
        const auto transaction = services.engine->begin();
        transaction->put("key", "value");
        value_of(fresh.resource_of(*transaction, shelves.front()));
        CHECK(fresh.is_container(book));
    }
}

TEST_CASE_METHOD(Libraries, "what is known of collections is forgotten when there are too many") {
    const sdk::RecordKey shelf = create({"shelf", "north"}, {{"_doc", "new"}});
    const sdk::RecordKey book = create({"book", "new", shelf}, {{"_doc", "first"}});
    Records known(services.registry, services.documents, services.platforms, services.sealer);
    REQUIRE(value_of(known.resource_of(*services.engine->snapshot(), book)) != nullptr);
    REQUIRE_FALSE(known.is_container(book));

    constexpr int kSteps = 64;
    constexpr int kOfStep = 1024;
    std::vector<sdk::RecordKey> others;
    for (int step = 0; step < kSteps; ++step) {
        const auto transaction = services.engine->begin();
        for (int i = 0; i < kOfStep; ++i) {
            const auto id = value_of(services.documents.open_collection(
                *transaction, platform().number, "book", fmt::format("shelf {} {}", step, i)));
            others.push_back(storage::record_key(id, std::string(storage::kSequenceSize, '1')));
        }
        expect(sdk::commit_and_wait(*transaction));
    }
    const auto reader = services.engine->snapshot();
    for (const sdk::RecordKey& other : others)
        value_of(known.resource_of(*reader, other));
    CHECK_FALSE(known.is_container(others.back()));
    // What is not known counts as a container.
    CHECK(known.is_container(book));
    REQUIRE(value_of(known.resource_of(*reader, book)) != nullptr);
    CHECK_FALSE(known.is_container(book));
}

/// A collection gets the number behind the last one that its transaction sees, so two first uses
/// at once take the same; one of them fails at its commit, and until then must see what it wrote.
TEST_CASE_METHOD(ResourceFixture, "first uses that take one number do not see each other's") {
    const auto first = begin(system(), "POST", "/libraries", {{"_doc", "north"}});
    REQUIRE(first->run().has_value());
    WorkContext context(services, system());
    const auto library = value_of(context.documents().create({"library", ""}, {{"_doc", "south"}}));
    // The other one is quicker, and everybody knows now what the number means.
    const auto reader = make_user("reader");
    WorkContext other(services, system());
    CHECK(value_of(other.documents().read(reader->principal.key)).id == "reader");
    CHECK(json(system(), "GET", "/readers/reader").at("_doc") == "reader");

    auto read = context.documents().read(library.key);
    REQUIRE(read.has_value());
    CHECK(read->id == "south");
    const auto shelf =
        context.documents().create({"shelf", "south", library.key}, {{"_doc", "master"}});
    REQUIRE(shelf.has_value());
    CHECK(value_of(context.documents().read({"library", ""}, "south")).key == library.key);
    CHECK(sdk::commit_and_wait(context.transaction()).error().code == "engine.conflict");
    CHECK(first->commit().error().code == "engine.conflict");

    create({"library", ""}, {{"_doc", "south"}});
    CHECK(json(system(), "GET", "/libraries/south").at("_doc") == "south");
    CHECK(json(system(), "GET", "/readers/reader").at("_doc") == "reader");
}

}  // namespace stele::kernel::resource::testing

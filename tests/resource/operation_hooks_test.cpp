#include <catch2/catch.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/resource/registry/descriptor_check.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

constexpr std::size_t kMaxLeaves = 3;

sdk::ResourceDescriptor leaf_descriptor() {
    sdk::ResourceDescriptor descriptor;
    descriptor.type = "leaf";
    descriptor.container = "library";
    descriptor.path = "leaves";
    descriptor.placeholder = "leafId";
    descriptor.fields = {{.name = "veins", .kind = sdk::FieldKind::array, .most = 2}};
    descriptor.operations.query_by_get = true;
    descriptor.permissions.list = sdk::Permission::update;
    descriptor.creating = {
        .parameters = {{"below"}}, .is_placed = true, .most = kMaxLeaves, .takes_forms = true};
    descriptor.listing.has_own_rows = true;
    descriptor.querying.aliases = {"query/deep"};
    descriptor.reading = {.parameters = {{"loud"}}, .is_shown = true};
    return descriptor;
}

/// Leaves hang on twigs, which are leaves themselves and are made where they are missing.
class LeafFamily final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override { return leaf_descriptor(); }

    sdk::Result<sdk::Json> locate(const sdk::Call&, const sdk::Parameters& parameters,
                                  sdk::Json& fields) override {
        const std::string member = sdk::text_member(fields, "below");
        fields.erase("below");
        const std::string below = member.empty() ? parameters("below").value_or("") : member;
        return below.empty() ? sdk::Json() : sdk::Json{{"twig", below}};
    }
    sdk::Result<std::optional<sdk::Document>> place(const sdk::Call& call,
                                                    const sdk::Document& record,
                                                    const sdk::Json& where) override {
        const std::string twig = sdk::text_member(where, "twig");
        if (twig == "rotten")
            return sdk::make_error({{"below", "leaf.twig_rotten", "nothing hangs there"}});
        sdk::Documents& documents = call.context().documents();
        auto present = documents.read(call.collection(), twig);
        if (!present && !sdk::is_missing(present.error())) return present.error();
        if (!present) present = documents.create(call.collection(), {{"_doc", twig}});
        if (!present) return present.error();
        auto hung = documents.patch(call.collection(), record.id, {{"twig", twig}});
        if (!hung) return hung.error();
        return std::optional(*std::move(hung));
    }
    sdk::Result<sdk::Attachment> keep_file(const sdk::Call&, const sdk::IncomingFile& file,
                                           const sdk::PieceSource& read) override {
        sdk::Attachment kept;
        kept.id = file.id;
        kept.file_name = file.file_name;
        std::string piece;
        do {
            if (auto got = read(piece); !got) return got.error();
            kept.object_id += piece;
        } while (!piece.empty());
        return kept;
    }
    sdk::Result<void> attach(const sdk::Call& call,
                             const std::vector<sdk::FiledRecord>& files) override {
        ++forms;
        for (const sdk::FiledRecord& filed : files) {
            auto put = call.context().documents().patch(
                call.collection(), filed.record.id,
                {{"file", filed.file.file_name}, {"bytes", filed.file.object_id}});
            if (!put) return put.error();
        }
        return {};
    }
    sdk::Result<sdk::ShownRecord> show(const sdk::Call& call) override {
        sdk::Json shown = call.record().fields;
        shown["said"] = call.parameter("loud").value_or("nothing");
        return sdk::ShownRecord{sdk::dump_json(shown), call.record().id, call.record().version};
    }
    sdk::Result<void> complete_query(const sdk::Call&, sdk::Json& query) override {
        if (query.contains("refused")) return sdk::invalid_parameter("refused", "is unknown");
        if (const auto former = query.find("branch"); former != query.end()) {
            query["twig"] = *former;
            query.erase("branch");
        }
        return {};
    }
    sdk::Result<std::vector<sdk::Json>> rows(const sdk::Call&) override {
        return std::vector<sdk::Json>{{{"_doc", "b"}, {"n", 1}}, {{"_doc", "a"}, {"n", 2}}};
    }
    inline static int forms = 0;
};

/// Of which only the list differs.
class TwigFamily final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = "twig";
        descriptor.path = "twigs";
        descriptor.placeholder = "twigId";
        descriptor.listing = {.parameters = {{"long"}}, .takes_query = true};
        return descriptor;
    }
    sdk::Result<void> complete_query(const sdk::Call& call, sdk::Json& query) override {
        if (const auto length = call.parameter("long")) query["length"] = *length;
        return {};
    }
};

struct Leaves : ResourceFixture {
    Leaves() : ResourceFixture(families()) {
        create({"library", ""}, {{"_doc", "north"}});
        LeafFamily::forms = 0;
    }
    static std::vector<std::unique_ptr<sdk::Resource>> families() {
        std::vector<std::unique_ptr<sdk::Resource>> all;
        all.push_back(std::make_unique<LeafFamily>());
        all.push_back(std::make_unique<TwigFamily>());
        return all;
    }
    sdk::Json make(sdk::Json fields, const std::string& parameters = {}) {
        return json(system(), "POST", "/libraries/north/leaves" + parameters, std::move(fields));
    }
    sdk::Json found(const sdk::Json& condition) {
        return json(system(), "POST", "/libraries/north/leaves/query", condition);
    }
    sdk::Json send_form(const std::string& form) {
        auto request = begin(system(), "POST", "/libraries/north/leaves");
        request->send(form, "multipart/form-data; boundary=x");
        const sdk::Reply reply = value_of(request->run());
        expect(request->commit());
        return value_of(sdk::parse_json(reply.body()));
    }
    static std::string code_of(const sdk::Result<sdk::Reply>& reply) {
        REQUIRE(reply.has_error());
        const sdk::Error& error = reply.error();
        return error.violations.empty() ? error.code : error.violations.front().code;
    }
};

std::string part(const std::string& name, const std::string& more, const std::string& body) {
    return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"" + more + "\r\n\r\n" +
           body + "\r\n";
}

std::string json_part(const std::string& body) {
    return part("f", "; filename=\"f.json\"\r\nContent-Type: application/json", body);
}

}  // namespace

TEST_CASE_METHOD(Leaves, "a family puts new records where members and parameters say") {
    const sdk::Json leaf = make({{"title", "green"}, {"below", "oak"}});
    CHECK(leaf.at("ok") == true);
    CHECK(leaf.at("twig") == "oak");
    CHECK_FALSE(leaf.contains("below"));
    CHECK(make({{"title", "red"}}, "?below=elm").at("twig") == "elm");
    CHECK_FALSE(make({{"title", "fallen"}}).contains("twig"));
    CHECK(found({{"_doc", "oak"}}).at("total_rows") == 1);
    CHECK(found(sdk::Json::object()).at("total_rows") == 5);
}

TEST_CASE_METHOD(Leaves, "a record that finds no place is not made") {
    CHECK(code_of(request(system(), "POST", "/libraries/north/leaves?below=rotten")) ==
          "leaf.twig_rotten");
    CHECK(found(sdk::Json::object()).at("total_rows") == 0);
}

TEST_CASE_METHOD(Leaves, "an array makes a record of each object, or none") {
    const sdk::Json page =
        make(sdk::Json::array({{{"n", 1}}, {{"n", 2}, {"below", "oak"}}}), "?below=elm");
    CHECK(page.at("total_rows") == 2);
    CHECK(page.at("size") == 2);
    CHECK(page.at("offset") == 0);
    CHECK(page.at("rows").at(0).at("n") == 1);
    CHECK(page.at("rows").at(0).at("twig") == "elm");
    CHECK(page.at("rows").at(1).at("twig") == "oak");
    const auto refused = request(system(), "POST", "/libraries/north/leaves",
                                 sdk::Json::array({{{"n", 3}}, {{"below", "rotten"}}}));
    REQUIRE(refused.has_error());
    CHECK(refused.error().violations.at(0).path == "1.below");
    CHECK(refused.error().message.starts_with("leaf 1: "));
    CHECK(code_of(request(system(), "POST", "/libraries/north/leaves",
                          sdk::Json::array({sdk::Json::object(), 1}))) == "body.not_an_object");
    CHECK(found({{"n", 3}}).at("total_rows") == 0);
}

TEST_CASE_METHOD(Leaves, "an array has as many records as the family takes") {
    sdk::Json leaves = sdk::Json::array();
    for (std::size_t i = 0; i < kMaxLeaves; ++i)
        leaves.push_back(sdk::Json::object());
    CHECK(make(leaves).at("total_rows") == kMaxLeaves);
    leaves.push_back(sdk::Json::object());
    CHECK(code_of(request(system(), "POST", "/libraries/north/leaves", leaves)) ==
          "request.parameter_invalid");
    CHECK(make(sdk::Json::array()).at("total_rows") == 0);
    // What holds for one holds for each.
    const sdk::Json veined = {{"veins", {1, 2, 3}}};
    const auto refused =
        request(system(), "POST", "/libraries/north/leaves", sdk::Json::array({veined}));
    CHECK(code_of(refused) == "request.too_many_entries");
    CHECK(refused.error().violations.at(0).path == "0.veins");
    // Others take one object.
    CHECK(code_of(request(system(), "POST", "/libraries", sdk::Json::array())) ==
          "body.not_an_object");
}

TEST_CASE_METHOD(Leaves, "a form makes a record of each file") {
    const sdk::Json page =
        send_form(json_part(R"({"n":1})") + part("g", "; filename=\"g.txt\"", "bytes of g") +
                  part("property1__n", "", "two") + part("below", "", "oak") + "--x--\r\n");
    const sdk::Json& rows = page.at("rows");
    CHECK(page.at("total_rows") == 2);
    CHECK(rows.at(0).at("n") == 1);
    CHECK_FALSE(rows.at(0).contains("file"));
    CHECK(rows.at(0).at("twig") == "oak");
    CHECK(rows.at(1).at("n") == "two");
    CHECK(rows.at(1).at("file") == "g.txt");
    CHECK(rows.at(1).at("bytes") == "bytes of g");
    CHECK(rows.at(1).at("twig") == "oak");
    CHECK(LeafFamily::forms == 1);
    CHECK(send_form(json_part("{}") + "--x--\r\n").at("total_rows") == 1);
    CHECK(LeafFamily::forms == 2);
}

TEST_CASE_METHOD(Leaves, "a form that cannot be taken makes nothing") {
    const auto refused = [this](const std::string& form) {
        auto request = begin(system(), "POST", "/libraries/north/leaves");
        request->send(form + "--x--\r\n", "multipart/form-data; boundary=x");
        return code_of(request->run());
    };
    CHECK(refused(json_part("[1]")) == "body.not_an_object");
    std::string leaves;
    for (std::size_t i = 0; i < kMaxLeaves; ++i)
        leaves += json_part("{}");
    CHECK(refused(leaves + json_part("{}")) == "request.parameter_invalid");
    CHECK(send_form(leaves + "--x--\r\n").at("total_rows") == kMaxLeaves);
    CHECK(found(sdk::Json::object()).at("total_rows") == kMaxLeaves);
}

TEST_CASE_METHOD(Leaves, "a read answers what the family shows, with the record's tag") {
    const auto id = make({{"n", 1}}).at("_doc").get<std::string>();
    const std::string path = "/libraries/north/leaves/" + id;
    CHECK(json(system(), "GET", path).at("said") == "nothing");
    const sdk::Reply reply = value_of(request(system(), "GET", path + "?loud=leaf"));
    CHECK(value_of(sdk::parse_json(reply.body())).at("said") == "leaf");
    // No tag of the whole reply, so that it is never answered by 304.
    CHECK(reply.etag_value().empty());
    REQUIRE(reply.headers().size() == 1);
    CHECK(reply.headers().front() ==
          std::pair<std::string, std::string>("ETag", '"' + id + "-1\""));
}

TEST_CASE_METHOD(Leaves, "a query is completed by the family, whatever its name and method") {
    make({{"n", 1}, {"below", "oak"}});
    make({{"n", 2}});
    CHECK(found({{"branch", "oak"}}).at("rows").at(0).at("n") == 1);
    const std::string leaves = "/libraries/north/leaves";
    CHECK(json(system(), "POST", leaves + "/query/deep", {{"branch", "oak"}}).at("size") == 1);
    for (const std::string path : {"/query", "/query/deep"}) {
        INFO(path);
        const auto asked = [&](const std::string& query) {
            return request(system(), "GET", leaves + path + "?query=" + query);
        };
        const auto size = [&](const std::string& query) {
            return value_of(sdk::parse_json(value_of(asked(query)).body())).at("size");
        };
        CHECK(size(R"({"branch":"oak"})") == 1);
        CHECK(size("") == 3);
        CHECK(size("[]") == 3);
        CHECK(size("null") == 3);
        CHECK(code_of(asked("[1]")) == "request.parameter_invalid");
        CHECK(code_of(asked("{")) == "request.parameter_invalid");
        CHECK(code_of(asked(R"({"refused":1})")) == "request.parameter_invalid");
    }
}

TEST_CASE_METHOD(Leaves, "a list takes a query, and parameters, where its family says so") {
    for (const char* length : {"short", "long"})
        create({"twig", ""}, {{"_doc", length}, {"length", length}});
    const auto ids = [this](const std::string& parameters) {
        std::vector<std::string> found;
        const sdk::Json page = json(system(), "GET", "/twigs" + parameters);
        for (const sdk::Json& row : page.at("rows"))
            found.push_back(row.at("_doc").get<std::string>());
        return found;
    };
    using Ids = std::vector<std::string>;
    CHECK(ids("") == Ids{"short", "long"});
    CHECK(ids(R"(?query={"length":"long"})") == Ids{"long"});
    CHECK(ids("?long=short") == Ids{"short"});
    CHECK(code_of(request(system(), "GET", "/twigs?query=1")) == "request.parameter_invalid");
    // The query by GET is another thing, which this family does not offer.
    CHECK_THROWS(begin(system(), "GET", "/twigs/query/deep"));
}

TEST_CASE_METHOD(Leaves, "what a caller wants left out of rows is left out by the store") {
    create({"twig", ""}, {{"_doc", "one"}, {"length", "long"}});
    const auto row = [this](const std::string& path, const sdk::Json& condition) {
        return json(system(), "POST", "/twigs/query" + path, condition).at("rows").at(0);
    };
    const sdk::Json all = sdk::Json::object();
    CHECK(row("?full=false", all) == sdk::Json{{"_doc", "one"}});
    CHECK(row("?full=FALSE&metadata=false", all) == sdk::Json{{"_doc", "one"}});
    const sdk::Json bare = row("?metadata=false", all);
    CHECK_FALSE(bare.contains("_system"));
    CHECK(bare.at("length") == "long");
    CHECK(row("?full=true", all).contains("_system"));
    const sdk::Json projected = row("?metadata=false", {{"_fields", {{"length", 1}}}});
    CHECK(projected == sdk::Json{{"_doc", "one"}, {"length", "long"}});
}

TEST_CASE_METHOD(Leaves, "a family's own rows are sorted and cut like others") {
    const std::string leaves = "/libraries/north/leaves";
    const sdk::Json all = json(system(), "GET", leaves);
    CHECK(all.at("rows").at(0).at("_doc") == "b");
    CHECK(all.at("total_rows") == 2);
    const sdk::Json one = json(system(), "GET", leaves + R"(?limit=1&sort={"_doc":1})");
    CHECK(one.at("rows").at(0).at("_doc") == "a");
    CHECK(one.at("total_rows") == 2);
    CHECK(one.at("size") == 1);
    CHECK(json(system(), "GET", leaves + "?full=false").at("rows").at(0) ==
          sdk::Json{{"_doc", "b"}});
}

TEST_CASE_METHOD(Leaves, "list, query and bulk checks each need their own permission") {
    const auto user = make_user("visitor");
    const auto library =
        value_of(WorkContext(services, system()).documents().read({"library", ""}, "north"));
    grant(library.key, user, "consumer");
    const std::string leaves = "/libraries/north/leaves";
    CHECK(code_of(request(user, "GET", leaves)) == "authority.permission_missing");
    CHECK(json(user, "POST", leaves + "/query").at("total_rows") == 0);
    const sdk::Json checks = {{"checks", sdk::Json::array()}};
    CHECK(json(user, "POST", leaves + "/permissions/check", checks).contains("checks"));
}

TEST_CASE("what a family says of its operations must go together") {
    const auto is_refused = [](const sdk::ResourceDescriptor& descriptor) {
        const auto checked = check_descriptor("test", descriptor);
        return !checked && checked.error().code == "plugin.descriptor_incomplete";
    };
    CHECK_FALSE(is_refused(leaf_descriptor()));
    sdk::ResourceDescriptor descriptor = leaf_descriptor();
    descriptor.creating.most = 0;
    CHECK(is_refused(descriptor));
    for (const char* alias : {"", "/deep", "deep/", "{deep}"}) {
        INFO(alias);
        descriptor = leaf_descriptor();
        descriptor.querying.aliases = {alias};
        CHECK(is_refused(descriptor));
    }
}

}  // namespace stele::kernel::resource::testing

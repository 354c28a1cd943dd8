#include <atomic>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "kernel/job/budget.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

TEST_CASE_METHOD(ResourceFixture, "a long list of presented rows leaves piece by piece") {
    constexpr int kRows = 200;
    constexpr std::size_t kText = 16 * 1024;
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        for (int i = 0; i < kRows; ++i) {
            auto created = context.documents().create(
                {"library", ""}, {{"number", i}, {"text", std::string(kText, 'x')}});
            if (!created) return created.error();
        }
        return {};
    });
    auto listing = begin(system(), "GET", "/libraries?limit=-1&shout=loud");
    const sdk::Reply reply = value_of(listing->run());
    // The operation's transaction and everything that the request had lent are gone by now.
    listing.reset();
    REQUIRE(reply.source());
    CHECK(reply.body().empty());

    std::string text;
    std::size_t largest = 0;
    for (bool has_more = true; has_more;) {
        std::string piece;
        has_more = value_of(reply.source()(piece));
        largest = std::max(largest, piece.size());
        text += piece;
    }
    CHECK(largest < kRows * kText / 2);
    const sdk::Json page = value_of(sdk::parse_json(text));
    CHECK(page.at("total_rows") == kRows);
    CHECK(page.at("size") == kRows);
    for (int i = 0; i < kRows; ++i) {
        CHECK(page.at("rows").at(static_cast<std::size_t>(i)).at("number") == i);
        CHECK(page.at("rows").at(static_cast<std::size_t>(i)).at("shouted") == "loud");
    }
}

TEST_CASE_METHOD(ResourceFixture, "a short list of presented rows is answered whole") {
    create({"library", ""}, {{"_doc", "north"}});
    const sdk::Json page = json(system(), "GET", "/libraries?shout=loud");
    CHECK(page.at("rows").at(0).at("shouted") == "loud");
    CHECK_FALSE(json(system(), "GET", "/libraries").at("rows").at(0).contains("shouted"));
}

TEST_CASE_METHOD(ResourceFixture, "a large record is left to a worker before its handler runs") {
    create({"library", ""}, {{"_doc", "small"}, {"text", std::string(1000, 'x')}});
    create({"library", ""}, {{"_doc", "large"}, {"text", std::string(40'000, 'x')}});
    for (const char* path : {"/libraries/small", "/libraries/large"}) {
        INFO(path);
        const bool is_large = std::string_view(path).ends_with("large");
        const auto here = begin(system(), "GET", path);
        here->context().keep_reads_short();
        CHECK(here->run().has_value() != is_large);
        CHECK(here->context().has_met_long_record() == is_large);
        CHECK(begin(system(), "GET", path)->run().has_value());
        const auto removal = begin(system(), "DELETE", path);
        removal->context().keep_reads_short();
        CHECK(removal->run().has_value() != is_large);
        CHECK(removal->call().context().transaction().has_writes() != is_large);
    }
}

TEST_CASE_METHOD(ResourceFixture,
                 "a large record that a handler reads by itself is left to a worker, too") {
    const sdk::CollectionName libraries{"library", ""};
    const sdk::RecordKey small = create(libraries, {{"_doc", "small"}});
    const sdk::RecordKey large =
        create(libraries, {{"_doc", "large"}, {"text", std::string(40'000, 'x')}});
    for (const std::string id : {"small", "large"}) {
        const bool is_large = id == "large";
        const sdk::RecordKey& key = is_large ? large : small;
        for (const bool is_by_system : {false, true}) {
            WorkContext context(services, system());
            context.keep_reads_short();
            sdk::Context& asked = is_by_system ? context.as_system() : context;
            CHECK(asked.documents().read(key).has_value() != is_large);
            CHECK(asked.documents().read(libraries, id).has_value() != is_large);
            CHECK(asked.documents().read_text(key).has_value() != is_large);
            CHECK(context.has_met_long_record() == is_large);
        }
    }
}

TEST_CASE_METHOD(ResourceFixture, "no write makes a record larger than a body may be") {
    const sdk::CollectionName libraries{"library", ""};
    create(libraries, {{"_doc", "grown"}, {"text", std::string(4'000, 'x')}});
    services.max_record_bytes = 3'000;
    WorkContext context(services, system());
    const auto refusal = [](const auto& result) {
        return result ? std::string() : result.error().code;
    };
    const std::string kTooLarge = "resource.record_too_large";
    sdk::Documents& documents = context.documents();
    const sdk::Json large{{"text", std::string(3'000, 'x')}};
    const sdk::Json fitting{{"text", std::string(2'000, 'x')}};
    CHECK(refusal(documents.create(libraries, large)) == kTooLarge);
    const sdk::Document made = value_of(documents.create(libraries, fitting));
    CHECK(refusal(documents.update(libraries, made.id, large)) == kTooLarge);
    CHECK(refusal(documents.patch(libraries, made.id, {{"more", std::string(1'000, 'x')}})) ==
          kTooLarge);
    // One that is larger already may shrink, and not grow.
    CHECK(refusal(documents.patch(libraries, "grown", {{"a", "b"}})) == kTooLarge);
    CHECK(
        refusal(documents.patch(libraries, "grown", {{"text", std::string(3'500, 'x')}})).empty());
    CHECK(refusal(documents.update(libraries, "grown", fitting)).empty());
}

/// A query that no index serves, over some hundred records.
sdk::Json scan() {
    return {{"text", {{"$regex", "z"}}}};
}

TEST_CASE_METHOD(ResourceFixture, "a query that takes too long ends, and is explained when asked") {
    for (int i = 0; i < 200; ++i)
        create({"library", ""}, {{"text", "y"}});
    const std::atomic<bool> is_abandoned{false};
    const job::Budget none(job::Budget::Clock::time_point::max(), is_abandoned,
                           job::Budget::Clock::duration::zero());
    const job::Budget::Scope scope(&none);
    const auto refused = request(system(), "POST", "/libraries/query", scan());
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == "query.time_spent");
    CHECK(refused.error().kind == sdk::ErrorKind::unavailable);
    const sdk::Json page = json(system(), "POST", "/libraries/query?explain=true", scan());
    CHECK(page.at("rows").empty());
    CHECK(page.at("explain").at("truncated") == true);
    CHECK(page.at("explain").contains("access"));
}

TEST_CASE_METHOD(ResourceFixture, "a query of nobody's has all the time that it takes") {
    for (int i = 0; i < 200; ++i)
        create({"library", ""}, {{"text", "y"}});
    CHECK(json(system(), "POST", "/libraries/query", scan()).at("total_rows") == 0);
}

TEST_CASE_METHOD(ResourceFixture, "work for a caller who has gone away ends where it reads") {
    const sdk::RecordKey key = create({"library", ""}, {{"_doc", "north"}});
    const std::atomic<bool> is_abandoned{true};
    const job::Budget spent(job::Budget::Clock::time_point::max(), is_abandoned);
    WorkContext context(services, system());
    const job::Budget::Scope scope(&spent);
    const auto code = [](const auto& result) {
        return result ? std::string() : result.error().code;
    };
    CHECK(code(context.documents().query({"library", ""}, sdk::Json::object())) ==
          "http.budget_spent");
    CHECK(code(context.documents().read(key)) == "http.budget_spent");
    CHECK(code(context.documents().read({"library", ""}, "north")) == "http.budget_spent");
    CHECK(code(context.documents().create({"library", ""}, sdk::Json::object())) ==
          "http.budget_spent");
    CHECK(code(context.authorities().permissions(key, key)) == "http.budget_spent");
    CHECK(code(context.go_on()) == "http.budget_spent");
}

}  // namespace stele::kernel::resource::testing

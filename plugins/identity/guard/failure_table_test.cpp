#include "failure_table.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace stele::identity;

namespace {
constexpr Patience kPatience{3, 60'000};
constexpr std::int64_t kStart = 1'700'000'000'000;

void fail(FailureTable& table, const std::string& subject, int times, std::int64_t now_ms) {
    for (int i = 0; i < times; ++i) {
        REQUIRE(table.take(subject, kPatience, now_ms) == 0);
        table.note_failed(subject, now_ms);
    }
}

}  // namespace

TEST_CASE("the delay begins with a second and doubles up to the longest") {
    CHECK(kPatience.delay_ms(2) == 0);
    CHECK(kPatience.delay_ms(3) == 1000);
    CHECK(kPatience.delay_ms(4) == 2000);
    CHECK(kPatience.delay_ms(8) == 32'000);
    CHECK(kPatience.delay_ms(9) == 60'000);
    CHECK(kPatience.delay_ms(4'000'000'000) == 60'000);
}

TEST_CASE("whoever has failed too often waits, and longer with each failure") {
    FailureTable table(1000);
    fail(table, "lea", 3, kStart);
    CHECK(table.take("lea", kPatience, kStart) == 1000);
    // Asking while one must wait makes it no longer.
    CHECK(table.take("lea", kPatience, kStart + 400) == 600);
    CHECK(table.take("max", kPatience, kStart + 400) == 0);
    fail(table, "lea", 1, kStart + 1000);
    CHECK(table.take("lea", kPatience, kStart + 1000) == 2000);
    fail(table, "lea", 1, kStart + 3000);
    CHECK(table.take("lea", kPatience, kStart + 3000) == 4000);
}

TEST_CASE("the wait begins when the failure is known") {
    FailureTable table(1000);
    fail(table, "lea", 2, kStart);
    REQUIRE(table.take("lea", kPatience, kStart) == 0);
    table.note_failed("lea", kStart + 700);
    CHECK(table.take("lea", kPatience, kStart + 1000) == 700);
}

TEST_CASE("good logins may come many at a time, guesses one by one once nothing is free") {
    FailureTable table(1000);
    int begun = 0;
    while (begun < 1000 && table.take("lea", kPatience, kStart) == 0)
        ++begun;
    CHECK(begun == 64);
    for (int i = 0; i < begun; ++i)
        table.give_back("lea");
    CHECK(table.take("lea", kPatience, kStart) == 0);
    table.give_back("lea");
    fail(table, "lea", 3, kStart);
    CHECK(table.take("lea", kPatience, kStart + 1000) == 0);
    CHECK(table.take("lea", kPatience, kStart + 1000) > 0);
}

TEST_CASE("a good login takes nothing away from the waits that others have caused") {
    FailureTable table(1000);
    fail(table, "lea", 3, kStart);
    REQUIRE(table.take("lea", kPatience, kStart + 1000) == 0);
    table.give_back("lea");
    fail(table, "lea", 1, kStart + 1000);
    CHECK(table.take("lea", kPatience, kStart + 1000) == 2000);
    table.forget("lea");
    CHECK(table.take("lea", kPatience, kStart + 1000) == 0);
}

TEST_CASE("an hour of quiet makes everything forgotten") {
    FailureTable table(1000);
    fail(table, "lea", 3, kStart);
    CHECK(table.take("lea", kPatience, kStart) == 1000);
    const std::int64_t later = kStart + FailureTable::kForgottenAfterMs + 1;
    fail(table, "lea", 3, later);
    CHECK(table.take("lea", kPatience, later) == 1000);
}

TEST_CASE("a flood of others does not make the one forgotten who has failed most") {
    FailureTable table(1000);
    fail(table, "lea", 3, kStart);
    for (int i = 0; i < 100'000; ++i)
        fail(table, "other" + std::to_string(i), 1, kStart + 1);
    CHECK(table.take("lea", kPatience, kStart + 1) > 0);
}

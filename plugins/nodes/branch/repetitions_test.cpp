#include "branch/repetitions.hpp"

#include <string>

#include <catch2/catch.hpp>

using stele::nodes::Repetitions;

TEST_CASE("an operation that did not end was begun before") {
    Repetitions repetitions;
    CHECK(repetitions.begin("one") == 0);
    CHECK(repetitions.begin("one") == 1);
    CHECK(repetitions.begin("other") == 0);
    CHECK(repetitions.begin("one") == 2);
    repetitions.end("one");
    CHECK(repetitions.begin("one") == 0);
    CHECK(repetitions.begin("other") == 1);
}

TEST_CASE("operations that never end are forgotten") {
    Repetitions repetitions;
    repetitions.begin("one");
    for (int at = 0; at < 2000; ++at)
        repetitions.begin(std::to_string(at));
    CHECK(repetitions.begin("one") == 0);
}

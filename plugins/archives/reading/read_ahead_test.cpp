// Content that a thread of its own reads ahead of whoever brings it.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "reading/read_ahead.hpp"

namespace stele::archives {

namespace {

using Ids = std::vector<std::string>;

sdk::Error failed() {
    return sdk::make_error(sdk::ErrorKind::unavailable, "test.failed", "the disk does not answer");
}

/// So many items of a size, which are counted as they are read.
class Numbered final : public sdk::ContentSource {
public:
    explicit Numbered(std::size_t count, std::size_t bytes = 10) : count_(count), bytes_(bytes) {}

    sdk::Result<void> for_each(const Visit& visit) override {
        return for_each_wanted([](std::uint64_t) { return true; }, visit);
    }
    sdk::Result<void> for_each_wanted(const IsWanted& is_wanted, const Visit& visit) override {
        thread = std::this_thread::get_id();
        for (std::size_t i = 0; i < count_; ++i) {
            if (i == fails_at) return failed();
            if (i == throws_at) throw std::runtime_error("no memory");
            if (!is_wanted(i)) continue;
            sdk::ContentItem item;
            item.id = std::to_string(i);
            item.fields = {{"text", std::string(bytes_, 'x')}};
            ++read;
            if (auto visited = visit(item); !visited) return visited;
        }
        return {};
    }
    bool reads_context() const override { return is_of_context; }

    std::size_t fails_at = std::string::npos;
    std::size_t throws_at = std::string::npos;
    bool is_of_context = false;
    std::atomic<std::size_t> read = 0;
    std::atomic<std::thread::id> thread;

private:
    const std::size_t count_;
    const std::size_t bytes_;
};

Ids numbers(std::size_t begin, std::size_t end) {
    Ids ids;
    for (std::size_t i = begin; i < end; ++i)
        ids.push_back(std::to_string(i));
    return ids;
}

ReadAhead read_ahead(sdk::ContentSource& source) {
    return {source, [] { return sdk::Result<void>(); }};
}

/// Gives its one item when somebody has said so.
class Held final : public sdk::ContentSource {
public:
    sdk::Result<void> for_each(const Visit& visit) override {
        return for_each_wanted([](std::uint64_t) { return true; }, visit);
    }
    sdk::Result<void> for_each_wanted(const IsWanted& /*is_wanted*/, const Visit& visit) override {
        is_let_go.get_future().wait_for(std::chrono::minutes(1));
        return visit({});
    }

    std::promise<void> is_let_go;
};

}  // namespace

TEST_CASE("who waits for an item does something else meanwhile, on its own thread") {
    Held source;
    std::size_t idle = 0;
    std::size_t items = 0;
    ReadAhead ahead(source, [&, thread = std::this_thread::get_id()] {
        CHECK(std::this_thread::get_id() == thread);
        if (++idle == 2) source.is_let_go.set_value();
        return sdk::Result<void>();
    });
    const auto walked = ahead.for_each([&](const sdk::ContentItem&) {
        ++items;
        return sdk::Result<void>();
    });
    CHECK(walked.has_value());
    CHECK(items == 1);
    CHECK(idle == 2);
}

TEST_CASE("what fails while an item is waited for ends the walk") {
    Held source;
    ReadAhead ahead(source, [&]() -> sdk::Result<void> {
        source.is_let_go.set_value();
        return failed();
    });
    const auto walked = ahead.for_each([](const sdk::ContentItem&) { return sdk::Result<void>(); });
    REQUIRE_FALSE(walked);
    CHECK(walked.error().code == "test.failed");
}

TEST_CASE("what is read ahead comes in its order, on the caller's thread") {
    Numbered source(10'000);
    Ids ids;
    bool is_here = true;
    const auto walked = read_ahead(source).for_each([&](const sdk::ContentItem& item) {
        ids.push_back(item.id);
        is_here = is_here && item.fields["text"] == "xxxxxxxxxx";
        return sdk::Result<void>();
    });
    CHECK(walked.has_value());
    CHECK(ids == numbers(0, 10'000));
    CHECK(is_here);
    CHECK(source.thread.load() != std::this_thread::get_id());
}

TEST_CASE("only wanted items are read ahead") {
    Numbered source(1000);
    Ids ids;
    const auto walked =
        read_ahead(source).for_each_wanted([](std::uint64_t position) { return position >= 990; },
                                           [&](const sdk::ContentItem& item) {
                                               ids.push_back(item.id);
                                               return sdk::Result<void>();
                                           });
    CHECK(walked.has_value());
    CHECK(ids == numbers(990, 1000));
    CHECK(source.read == 10);
}

TEST_CASE("an error of the source comes after the items that were read before it") {
    Numbered source(1000);
    source.fails_at = 700;
    Ids ids;
    const auto walked = read_ahead(source).for_each([&](const sdk::ContentItem& item) {
        ids.push_back(item.id);
        return sdk::Result<void>();
    });
    REQUIRE_FALSE(walked.has_value());
    CHECK(walked.error().code == failed().code);
    CHECK(ids == numbers(0, 700));
}

TEST_CASE("an error of the visit ends the reading") {
    Numbered source(1'000'000, 10'000);
    std::size_t visits = 0;
    const auto walked = read_ahead(source).for_each([&](const sdk::ContentItem&) {
        return ++visits < 5 ? sdk::Result<void>() : sdk::Result<void>(failed());
    });
    REQUIRE_FALSE(walked.has_value());
    CHECK(walked.error().code == failed().code);
    CHECK(visits == 5);
    CHECK(source.read < 1000);
}

TEST_CASE("an error of the visit ends the reading of a source that passes nothing over, too") {
    /// Reads what is not wanted as well.
    class Whole final : public sdk::ContentSource {
    public:
        sdk::Result<void> for_each(const Visit& visit) override { return numbered.for_each(visit); }
        Numbered numbered{1'000'000, 10'000};
    };
    Whole source;
    const auto walked = read_ahead(source).for_each(
        [&](const sdk::ContentItem&) -> sdk::Result<void> { return failed(); });
    CHECK_FALSE(walked.has_value());
    CHECK(source.numbered.read < 1000);
}

TEST_CASE("what the source or the visit throws is thrown to the caller") {
    Numbered source(1'000'000, 10'000);
    const auto throws = [](const sdk::ContentItem&) -> sdk::Result<void> {
        throw std::logic_error("a visit");
    };
    CHECK_THROWS_AS(read_ahead(source).for_each(throws), std::logic_error);
    CHECK(source.read < 1000);
    source.throws_at = 2;
    const auto takes = [](const sdk::ContentItem&) { return sdk::Result<void>(); };
    CHECK_THROWS_AS(read_ahead(source).for_each(takes), std::runtime_error);
}

TEST_CASE("what waits comes to some mebibyte, or to one item that is larger") {
    for (const auto& [bytes, most] : {std::pair{100'000, 15}, std::pair{3'000'000, 3}}) {
        CAPTURE(bytes);
        Numbered source(40, bytes);
        std::size_t visits = 0;
        std::size_t ahead = 0;
        const auto walked = read_ahead(source).for_each([&](const sdk::ContentItem&) {
            // The reader goes as far as it may while the first one is brought.
            for (int i = 0; visits == 0 && i < 100; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ahead = std::max(ahead, source.read - visits++);
            return sdk::Result<void>();
        });
        CHECK(walked.has_value());
        CHECK(visits == 40);
        CHECK(ahead <= std::size_t(most));
    }
}

TEST_CASE("a source that reads by the caller's transaction is walked by the caller") {
    Numbered source(10);
    source.is_of_context = true;
    ReadAhead ahead = read_ahead(source);
    CHECK(ahead.reads_context());
    const auto takes = [](const sdk::ContentItem&) { return sdk::Result<void>(); };
    CHECK(ahead.for_each(takes).has_value());
    CHECK(source.thread.load() == std::this_thread::get_id());
}

}  // namespace stele::archives

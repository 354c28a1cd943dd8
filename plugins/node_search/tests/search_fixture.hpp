#pragma once

#include <catch2/catch.hpp>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <stdlib.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/context.hpp>

#include "branch_search.hpp"
#include "fake_content_log.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::node_search {

/// A folder that goes away with its owner.
class TestFolder {
public:
    TestFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "searchXXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no folder for the test");
        path = name;
    }
    ~TestFolder() {
        std::error_code problem;
        std::filesystem::remove_all(path, problem);
    }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    std::filesystem::path path;
};

/// What a search asks of its context: a transaction.
class SearchContext final : public sdk::Context {
public:
    explicit SearchContext(sdk::Engine& engine) : transaction_(engine.begin()) {}

    const sdk::Session& session() const override { not_here(); }
    sdk::Documents& documents() override { not_here(); }
    sdk::Authorities& authorities() override { not_here(); }
    sdk::DataStores& data_stores() override { not_here(); }
    sdk::Transaction& transaction() override { return *transaction_; }
    std::string key_space(std::string_view) override { not_here(); }
    std::string shared_key_space(std::string_view) override { not_here(); }
    sdk::ContextPart* part(std::string_view) override { not_here(); }
    void keep(std::string_view, std::unique_ptr<sdk::ContextPart>) override { not_here(); }
    void after_commit(std::function<void()>) override { not_here(); }
    sdk::Result<std::string> reference(const sdk::RecordKey&) override { not_here(); }
    sdk::Result<sdk::RecordKey> find_reference(std::string_view) override { not_here(); }
    sdk::Result<sdk::Json> read_reference(std::string_view) override { not_here(); }
    sdk::Context& as_system() override { not_here(); }

private:
    [[noreturn]] static void not_here() { throw std::logic_error("searches do not need it"); }

    std::unique_ptr<sdk::Transaction> transaction_;
};

/// A log and what searches it, without the thread: the index is fed by the searches.
struct SearchWorld {
    explicit SearchWorld(FeedOptions options = {})
        : feed(log, engine, folder.path / "search", options),
          follower(feed, log, engine),
          search(log, feed, follower, 1000) {
        follower.stop();
    }

    sdk::Result<sdk::NodeHits> find(const sdk::Json& expression, std::uint64_t line = 1,
                                    const sdk::NodeSearchLimits& limits = {}) {
        SearchContext context(engine);
        return search.search(context, std::to_string(line), expression, limits);
    }
    /// The ids, best first.
    std::vector<std::string> ids(const sdk::Json& expression, std::uint64_t line = 1) {
        const auto found = find(expression, line);
        if (!found) throw std::runtime_error(found.error().message);
        REQUIRE(found->total == found->best.size());
        std::vector<std::string> ids;
        for (const sdk::NodeHit& hit : found->best) {
            REQUIRE(hit.score > 0);
            ids.push_back(hit.id);
        }
        return ids;
    }

    TestFolder folder;
    sdk::testing::MemoryEngine engine;
    FakeContentLog log;
    IndexFeed feed;
    Follower follower;
    BranchSearch search;
};

using Ids = std::vector<std::string>;

}  // namespace stele::node_search

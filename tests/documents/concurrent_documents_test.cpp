#include <atomic>
#include <thread>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "kernel/storage/document/document_store.hpp"
#include "kernel/storage/record/name_table.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/documents/random_documents.hpp"
#include "tests/documents/used_engine.hpp"

namespace stele::tests {

using namespace kernel::storage;
using sdk::Json;

namespace {

constexpr int kWriters = 4;
constexpr int kWrites = 300;

class SharedStore {
public:
    explicit SharedStore(sdk::Engine& used) : engine(used) {
        rules.unique_fields = {"key"};
        const auto opened =
            sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
                const auto made = store.open_collection(transaction, 1, "article", "");
                if (!made) return made.error();
                collection = *made;
                return {};
            });
        REQUIRE(opened.has_value());
    }

    /// One random write; answers false when the store says something that it should not.
    bool write(RandomDocuments& random, std::vector<Sequence>& own, const CollectionRules& used) {
        Json fields = random.document();
        fields["key"] = std::to_string(random.below(200));
        const std::size_t choice = random.below(4);
        const auto written = sdk::write_with_retry(
            engine,
            [&](sdk::Transaction& transaction) -> sdk::Result<void> {
                Record before;
                if (choice > 1 && !own.empty()) {
                    const auto found =
                        store.read(transaction, record_key(collection, own.back()), before);
                    if (!found) return found.error();
                    if (choice == 2) return store.erase(transaction, used, before);
                    return done(store.replace(transaction, used, before, fields, ""));
                }
                return done(store.insert(transaction, collection, used, {next, "", fields, ""}));
            },
            1000);
        if (!written) return written.error().code == "document.value_taken";
        if (choice == 2 && !own.empty()) {
            own.pop_back();
        } else if (choice < 2 || own.empty()) {
            own.push_back(next);
        }
        return true;
    }

    sdk::Engine& engine;
    NameTable names{engine};
    DocumentStore store{engine, names};
    CollectionRules rules;
    CollectionId collection;
    static thread_local Sequence next;
};

thread_local Sequence SharedStore::next;

/// A page, and the total that belongs to the same picture of the store.
bool is_consistent(SharedStore& shared, RandomDocuments& random) {
    const auto reader = shared.engine.snapshot();
    sdk::PageRequest page = random.page();
    page.limit = -1;
    page.skip = 0;
    auto query = Query::parse(random.query());
    if (!query) return true;
    auto run = shared.store.query(*reader, shared.collection, shared.rules, std::move(*query), page,
                                  {}, false);
    if (!run) return false;
    std::uint64_t rows = 0;
    Record row;
    for (;;) {
        const auto more = (*run)->next(row);
        if (!more) return false;
        if (!*more) break;
        ++rows;
    }
    const auto total = (*run)->total_rows();
    return total && *total == rows;
}

void write_and_read_together(sdk::Engine& engine) {
    SharedStore shared(engine);
    std::atomic<int> faults = 0;
    std::atomic<int> writing = kWriters;
    std::vector<std::thread> threads;
    for (int writer = 0; writer < kWriters; ++writer) {
        threads.emplace_back([&, writer] {
            RandomDocuments random(static_cast<std::uint64_t>(writer));
            std::vector<Sequence> own;
            CollectionRules rules = shared.rules;
            for (int i = 0; i < kWrites; ++i) {
                // Half way a plugin that declares indexes takes over.
                if (i == kWrites / 2) {
                    rules.composite_indexes = {{"group", "title"}, {"rank"}, {"tags", "title"}};
                }
                SharedStore::next = next_sequence();
                if (!shared.write(random, own, rules)) ++faults;
            }
            --writing;
        });
    }
    for (int reader = 0; reader < 2; ++reader) {
        threads.emplace_back([&, reader] {
            RandomDocuments random(static_cast<std::uint64_t>(100 + reader));
            do {
                if (!is_consistent(shared, random)) ++faults;
            } while (writing > 0);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    CHECK(faults == 0);
    shared.store.finish_index_builds();
    CHECK(shared.store.check(*shared.engine.snapshot()) == std::vector<std::string>());
}

}  // namespace

TEST_CASE("indexes and counters stay right under concurrent writers, readers and index builds") {
    const auto engine = make_used_engine();
    write_and_read_together(*engine);
}

TEST_CASE("the same holds on LevelDB, also after the store was opened again") {
    const testing::TemporaryFolder folder;
    {
        const auto engine = open_leveldb(folder.path()).value();
        write_and_read_together(*engine);
    }
    const auto engine = open_leveldb(folder.path()).value();
    NameTable names(*engine);
    DocumentStore store(*engine, names);
    CHECK(store.check(*engine->snapshot()) == std::vector<std::string>());
}

}  // namespace stele::tests

// bench_versions [nodes] [updates] [compact]
//
// Three ways to keep versions of nodes and their indexes, side by side: what they write, and what
// reading costs at tips, on forks and in the past (docs/decisions/0028-versions-of-content.md).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include <leveldb/cache.h>
#include <leveldb/filter_policy.h>

#include "sdk/testing/temporary_folder.hpp"
#include "tests/bench/versions/version_store.hpp"

namespace stele::bench {

namespace {

constexpr std::size_t kPage = 25;
constexpr std::uint64_t kBulk = 100;

struct Load {
    std::uint64_t nodes = 100'000;
    std::uint64_t updates = 20'000;
    /// After each kind of changes, so that no query passes what LevelDB has still to drop.
    bool compacts = false;
};

std::string record_key(std::uint64_t node) {
    std::string key = "d";
    append_number(key, node);
    return key;
}

std::string index_key(char field, std::uint64_t value, std::uint64_t node) {
    std::string key = "x";
    key.push_back(field);
    append_number(key, value);
    append_number(key, node);
    return key;
}

/// A node of 2 KB whose fields `m` and `e` change with every update, as its times do; the newest
/// come first.
void create(std::vector<Change>& changes, const Load& load, std::uint64_t node,
            std::uint64_t time) {
    changes.push_back({record_key(node), std::string(2000, 'x')});
    changes.push_back({index_key('c', node, node), ""});
    changes.push_back({index_key('k', node % (load.nodes / kPage), node), ""});
    changes.push_back({index_key('t', node * 0x9E3779B97F4A7C15U, node), ""});
    changes.push_back({index_key('u', node * 0xC2B2AE3D27D4EB4FU, node), ""});
    changes.push_back({index_key('y', 1, node), ""});
    changes.push_back({index_key('m', ~time, node), ""});
    changes.push_back({index_key('e', ~time, node), ""});
}

std::vector<Change> update(std::uint64_t node, std::uint64_t before, std::uint64_t time) {
    return {{record_key(node), std::string(2000, 'y')},
            {index_key('m', ~before, node), {}},
            {index_key('e', ~before, node), {}},
            {index_key('m', ~time, node), ""},
            {index_key('e', ~time, node), ""}};
}

double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Comparison {
public:
    Comparison(const Load& load, const char* name, VersionStore& store)
        : load_(load), store_(store), times_(load.nodes) {
        std::printf("%s\n", name);
    }

    void run() {
        fill();
        const std::uint32_t early = store_.fork(store_.tip(0));
        query("tip", store_.tip(0));
        change("each of many nodes", load_.updates, 0, [this] { return random_() % load_.nodes; });
        query("tip after these", store_.tip(0));
        const View past = store_.tip(0);
        change("one node again and again", load_.updates, 0, [] { return 7; });
        query("tip after these", store_.tip(0));
        query("past, before these", past);
        query("fork from before all updates", store_.tip(early));
        const std::uint32_t late = store_.fork(store_.tip(0));
        const std::vector<std::uint64_t> kept = times_;
        change("nodes of a fork", 1000, late, [this] { return random_() % load_.nodes; });
        query("that fork", store_.tip(late));
        times_ = kept;
        deep(late);
    }

private:
    void fill() {
        const double time = seconds_of([this] {
            for (std::uint64_t node = 0; node < load_.nodes;) {
                std::vector<Change> changes;
                for (std::uint64_t i = 0; i < kBulk && node < load_.nodes; ++i, ++node)
                    create(changes, load_, node, times_[node] = ++time_);
                store_.commit(0, changes);
            }
        });
        report("load", time, load_.nodes);
    }

    void change(const char* what, std::uint64_t count, std::uint32_t line,
                const std::function<std::uint64_t()>& pick) {
        const double time = seconds_of([&] {
            for (std::uint64_t i = 0; i < count; ++i) {
                const std::uint64_t node = pick();
                const std::uint64_t before = times_[node];
                store_.commit(line, update(node, before, times_[node] = ++time_));
            }
        });
        report(what, time, count);
        if (load_.compacts) store_.compact();
    }

    void report(const char* what, double seconds, std::uint64_t count) {
        const std::uint64_t bytes = store_.written_bytes() - reported_bytes_;
        reported_bytes_ += bytes;
        std::printf("  %-30s %7.1f us, %7.0f bytes written each\n", what,
                    seconds / static_cast<double>(count) * 1e6,
                    static_cast<double>(bytes) / static_cast<double>(count));
    }

    /// A page by an equal value, a page of those changed last, and a node.
    void query(const char* what, View view) {
        std::size_t passed = 0;
        const double category = each([&] {
            const std::uint64_t value = random_() % (load_.nodes / kPage);
            scan(view, index_key('k', value, 0), index_key('k', value + 1, 0));
        });
        const double newest =
            each([&] { passed = scan(view, index_key('m', 0, 0), index_key('n', 0, 0)); });
        const double node = each([&] { read(view); });
        std::printf("  %-30s %7.1f us by value, %7.1f us newest (%zu passed), %5.1f us a node\n",
                    what, category, newest, passed, node);
    }

    void deep(std::uint32_t line) {
        for (int depth = 0; depth < 8; ++depth)
            line = store_.fork(store_.tip(line));
        query("fork at depth 10", store_.tip(line));
    }

    /// Microseconds: as often as fits into a while.
    static double each(const std::function<void()>& work) {
        int times = 0;
        double spent = 0;
        for (; times < 2000 && spent < 1; ++times)
            spent += seconds_of(work);
        return spent / times * 1e6;
    }

    std::size_t scan(View view, const std::string& begin, const std::string& end) {
        keys_.clear();
        const std::size_t passed = store_.scan(view, begin, end, kPage, keys_);
        if (keys_.size() != kPage) fail("a page has not its rows");
        for (std::size_t i = 1; i < keys_.size(); ++i)
            if (keys_[i - 1] >= keys_[i]) fail("a page is not in order");
        return passed;
    }

    void read(View view) {
        if (!store_.read(view, record_key(random_() % load_.nodes), value_)) fail("a node is gone");
    }

    static void fail(const char* why) {
        std::fprintf(stderr, "%s\n", why);
        std::exit(1);
    }

    const Load& load_;
    VersionStore& store_;
    std::vector<std::uint64_t> times_;
    std::vector<std::string> keys_;
    std::string value_;
    std::minstd_rand random_{1};
    std::uint64_t time_ = 0;
    std::uint64_t reported_bytes_ = 0;
};

void compare(const Load& load, const char* name,
             std::unique_ptr<VersionStore> (*make)(leveldb::DB& database)) {
    const testing::TemporaryFolder folder;
    const std::unique_ptr<leveldb::Cache> cache(leveldb::NewLRUCache(256 << 20));
    const std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
    leveldb::Options options;
    options.create_if_missing = true;
    options.block_cache = cache.get();
    options.filter_policy = filter.get();
    options.write_buffer_size = 64 << 20;
    options.compression = leveldb::kNoCompression;
    leveldb::DB* opened = nullptr;
    if (!leveldb::DB::Open(options, (folder.path() / "store").string(), &opened).ok()) std::exit(1);
    const std::unique_ptr<leveldb::DB> database(opened);
    Comparison(load, name, *make(*database)).run();
}

}  // namespace

}  // namespace stele::bench

int main(int argc, char** argv) {
    using namespace stele::bench;
    Load load;
    if (argc > 1) load.nodes = std::strtoull(argv[1], nullptr, 10);
    if (argc > 2) load.updates = std::strtoull(argv[2], nullptr, 10);
    load.compacts = argc > 3;
    compare(load, "present entries and blocks of ended ones", make_overlay);
    compare(load, "lists of versions", make_version_lists);
    compare(load, "tree of pages", make_page_tree);
}

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/index/composite_index.hpp"

namespace stele::kernel::storage {

/// The index states of collections, parsed once for each stored text. Any thread.
class IndexStates {
public:
    /// What `reader` sees; never null.
    sdk::Result<std::shared_ptr<const IndexState>> of(const sdk::Reader& reader,
                                                      CollectionId collection);
    /// The same for a collection in a space, which `reader` shows.
    sdk::Result<std::shared_ptr<const IndexState>> in_space(
        const sdk::Reader& reader, CollectionId collection,
        const std::vector<std::string>& unindexed);

private:
    static constexpr std::size_t kCached = 4096;
    struct Known {
        std::string bytes;
        std::shared_ptr<const IndexState> state;
    };
    std::shared_ptr<const IndexState> find(CollectionId collection, const std::string& bytes);
    void keep(CollectionId collection, Known known);

    std::shared_mutex mutex_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Known> known_;
};

/// Records behind one, through another.
sdk::KeyRange records_between(CollectionId collection, const Sequence& after,
                              const Sequence& through);
/// The greatest sequence that any present record may have; later records are greater, or a build
/// that goes up to here reaches them.
sdk::Result<Sequence> last_sequence(const sdk::Reader& reader, CollectionId collection);

/// Builds composite indexes while the store is in use: chunk by chunk, each in a short transaction
/// that also moves the index's boundary, on a thread of its own that starts with the first request.
/// A build that was interrupted goes on from its boundary. Any thread.
class CompositeBuilder {
public:
    static constexpr std::size_t kMaxAutomatic = 8;

    CompositeBuilder(sdk::Engine& engine, IndexStates& states) : engine_(engine), states_(states) {}
    ~CompositeBuilder();

    /// Asks for an index; one that exists, or is asked for already, is left alone.
    void request(CollectionId collection, std::vector<std::string> fields, bool is_numeric,
                 bool is_automatic);
    /// Goes on with what is unfinished in a collection.
    void resume(CollectionId collection);
    /// Waits until nothing that was asked for is left to do.
    void wait();

private:
    struct Task {
        CollectionId collection;
        std::vector<std::string> fields;  ///< empty: only go on
        bool is_numeric = false;
        bool is_automatic = false;
        friend bool operator==(const Task&, const Task&) = default;
    };

    void add(Task task);
    void work();
    sdk::Result<void> run(const Task& task);
    sdk::Result<void> announce(sdk::Transaction& transaction, const Task& task);
    sdk::Result<void> build_chunk(sdk::Transaction& transaction, CollectionId collection,
                                  std::uint64_t number);
    bool is_stopping();

    sdk::Engine& engine_;
    IndexStates& states_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Task> tasks_;  ///< the first is being worked on
    bool stops_ = false;
    std::thread thread_;
};

/// Counts queries that an index would have made cheap, and asks for the index when one shape keeps
/// coming. Any thread.
class CompositeAdvisor {
public:
    /// Looked at more than this beyond its page, a query is worth an index.
    static constexpr std::uint64_t kCostly = 500;
    static constexpr int kRepetitions = 8;

    explicit CompositeAdvisor(CompositeBuilder& builder) : builder_(builder) {}

    void costly(CollectionId collection, const std::vector<std::string>& fields, bool is_numeric);

private:
    static constexpr std::size_t kShapes = 1024;
    struct Shape {
        std::uint64_t platform;
        std::uint64_t collection;
        std::vector<std::string> fields;
        bool is_numeric;
        friend auto operator<=>(const Shape&, const Shape&) = default;
    };

    CompositeBuilder& builder_;
    std::mutex mutex_;
    std::map<Shape, int> seen_;
};

}  // namespace stele::kernel::storage

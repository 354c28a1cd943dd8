#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

namespace stele::kernel::job {

/// What waits for a `WorkerPool`, by who asked for it; which of it may run, and in what order. Not
/// for several threads.
class TaskQueue {
    struct Caller;

public:
    TaskQueue(std::size_t threads, std::size_t capacity);
    TaskQueue(const TaskQueue&) = delete;
    TaskQueue& operator=(const TaskQueue&) = delete;

    /// False when the queue is full, or the caller's part of it.
    bool add(std::function<void()> task, const std::string& caller);
    /// Whether any of it may run now.
    bool has_next() const { return !fresh_.empty() || (!more_.empty() && running_ < most_); }

    struct Taken {
        std::function<void()> task;
        Caller* caller = nullptr;
    };
    /// Only when there is one.
    Taken take();
    /// To be told of everything that was taken, once it has run.
    void ended(const Taken& taken);

    std::size_t size() const { return size_; }

private:
    struct Caller {
        std::string name;
        std::deque<std::function<void()>> tasks;
        std::size_t running = 0;
        bool is_in_line = false;  ///< in `fresh_` or `more_`
    };

    void line_up(Caller& caller);

    const std::size_t capacity_;
    const std::size_t capacity_of_one_;
    /// Threads for those for whom something runs already.
    const std::size_t most_;
    std::size_t size_ = 0;
    std::size_t running_ = 0;
    std::unordered_map<std::string, Caller> callers_;
    /// Those with a task that may run, in order: for whom nothing runs, and for whom something
    /// does.
    std::deque<Caller*> fresh_;
    std::deque<Caller*> more_;
};

}  // namespace stele::kernel::job

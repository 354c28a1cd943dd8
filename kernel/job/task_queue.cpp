#include "kernel/job/task_queue.hpp"

#include <algorithm>
#include <utility>

namespace stele::kernel::job {

namespace {

constexpr std::size_t kPartOfOne = 2;
constexpr std::size_t kPartKept = 4;

/// For callers for whom nothing runs.
std::size_t kept_threads(std::size_t threads) {
    return threads > 1 ? std::max<std::size_t>(threads / kPartKept, 1) : 0;
}

}  // namespace

TaskQueue::TaskQueue(std::size_t threads, std::size_t capacity)
    : capacity_(capacity),
      capacity_of_one_(std::max<std::size_t>(capacity / kPartOfOne, 1)),
      most_(threads - kept_threads(threads)) {}

bool TaskQueue::add(std::function<void()> task, const std::string& name) {
    if (size_ >= capacity_) return false;
    Caller& caller = callers_[name];
    if (!name.empty() && caller.tasks.size() >= capacity_of_one_) return false;
    if (caller.name.empty()) caller.name = name;
    caller.tasks.push_back(std::move(task));
    ++size_;
    line_up(caller);
    return true;
}

/// The server's own tasks are always as if nothing ran for them.
void TaskQueue::line_up(Caller& caller) {
    if (caller.is_in_line || caller.tasks.empty()) return;
    const bool is_fresh = caller.running == 0 || caller.name.empty();
    caller.is_in_line = true;
    (is_fresh ? fresh_ : more_).push_back(&caller);
}

TaskQueue::Taken TaskQueue::take() {
    std::deque<Caller*>& line = fresh_.empty() ? more_ : fresh_;
    Caller& caller = *line.front();
    line.pop_front();
    caller.is_in_line = false;
    Taken taken{std::move(caller.tasks.front()), &caller};
    caller.tasks.pop_front();
    --size_;
    ++caller.running;
    ++running_;
    line_up(caller);
    return taken;
}

void TaskQueue::ended(const Taken& taken) {
    Caller& caller = *taken.caller;
    --caller.running;
    --running_;
    if (caller.is_in_line && caller.running == 0 && !caller.name.empty()) {
        more_.erase(std::find(more_.begin(), more_.end(), &caller));
        caller.is_in_line = false;
    }
    line_up(caller);
    if (caller.running == 0 && caller.tasks.empty()) callers_.erase(std::string(caller.name));
}

}  // namespace stele::kernel::job

#include "kernel/job/job_queue.hpp"

#include <utility>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/job/job_keys.hpp"

namespace stele::kernel::job {

namespace {

using sdk::Result;
using Found = std::optional<QueuedJob>;
using Choose = std::function<Result<JobChoice>(const QueuedJob&)>;

/// Goes through the entries of one lane.
class Lane {
public:
    Lane(const sdk::Reader& reader, const JobWishes& wishes, std::int64_t now, std::string name)
        : reader_(reader), wishes_(wishes), now_(now), name_(std::move(name)) {}

    /// `is_stopped` is set where nothing is to be taken.
    Result<Found> next(const Choose& choose, bool& is_stopped) const {
        const sdk::KeyRange all = lane_range(name_);
        const auto last = wishes_.last_starters.find(name_);
        if (last == wishes_.last_starters.end()) return first_in(all, choose, is_stopped);
        // Those behind the one whose turn was last, then the others, that one at the end.
        const std::string end = starter_range(name_, last->second).end;
        auto found = first_in({end, all.end}, choose, is_stopped);
        if (!found || *found || is_stopped) return found;
        return first_in({all.begin, end}, choose, is_stopped);
    }

private:
    Result<Found> first_in(const sdk::KeyRange& range, const Choose& choose,
                           bool& is_stopped) const {
        const auto cursor = reader_.scan(range, sdk::ScanDirection::forward);
        while (cursor->is_valid()) {
            auto job = queued_job(cursor->key(), cursor->value());
            if (job && job->due_ms > now_) {
                if (wishes_.on_later) wishes_.on_later(job->due_ms);
                // Nor is anything else that this starter has here.
                cursor->seek(starter_range(name_, job->starter).end);
                continue;
            }
            if (job && wishes_.is_wanted(job->type)) {
                const auto choice = choose(job->job());
                if (!choice) return choice.error();
                if (*choice == JobChoice::take) return Found(job->job());
                if (*choice == JobChoice::stop) {
                    is_stopped = true;
                    return Found();
                }
            }
            cursor->next();
        }
        if (auto scanned = cursor->status(); !scanned) return scanned.error();
        return Found();
    }

    /// With what the entry says besides.
    struct Entry : QueuedJob {
        std::string type;
        const QueuedJob& job() const { return *this; }
    };

    static std::optional<Entry> queued_job(std::string_view key, std::string_view value) {
        Entry entry;
        auto place = place_in_queue(key);
        sdk::KeyReader said(value);
        const auto platform = said.integer();
        auto type = said.text();
        if (!place || !platform || !type) return std::nullopt;
        entry.key = key;
        entry.platform = *platform;
        entry.lane = std::move(place->lane);
        entry.starter = std::move(place->starter);
        entry.due_ms = place->due_ms;
        entry.type = *std::move(type);
        return entry;
    }

    const sdk::Reader& reader_;
    const JobWishes& wishes_;
    const std::int64_t now_;
    const std::string name_;
};

/// In the lanes of a range, in their order.
Result<Found> first_in_lanes(const sdk::Reader& reader, const JobWishes& wishes, std::int64_t now,
                             const sdk::KeyRange& range, const Choose& choose, bool& is_stopped) {
    const auto lanes = reader.scan(range, sdk::ScanDirection::forward);
    while (lanes->is_valid()) {
        const auto place = place_in_queue(lanes->key());
        if (!place) {
            lanes->next();
            continue;
        }
        if (!wishes.has_room || wishes.has_room(place->lane)) {
            auto found = Lane(reader, wishes, now, place->lane).next(choose, is_stopped);
            if (!found || *found || is_stopped) return found;
        }
        lanes->seek(lane_range(place->lane).end);
    }
    if (auto scanned = lanes->status(); !scanned) return scanned.error();
    return Found();
}

}  // namespace

Result<Found> next_job(const sdk::Reader& reader, const JobWishes& wishes, std::int64_t now,
                       const Choose& choose) {
    bool is_stopped = false;
    const sdk::KeyRange all = queue_range();
    if (!wishes.last_lane) return first_in_lanes(reader, wishes, now, all, choose, is_stopped);
    // Those behind the lane whose turn was last, then the others, that one at the end.
    const std::string end = lane_range(*wishes.last_lane).end;
    auto found = first_in_lanes(reader, wishes, now, {end, all.end}, choose, is_stopped);
    if (!found || *found || is_stopped) return found;
    return first_in_lanes(reader, wishes, now, {all.begin, end}, choose, is_stopped);
}

}  // namespace stele::kernel::job

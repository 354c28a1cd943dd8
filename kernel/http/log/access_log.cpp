#include "kernel/http/log/access_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include <stele/sdk/json.hpp>
#include <stele/sdk/time.hpp>

namespace stele::kernel::http {

namespace {

constexpr std::chrono::milliseconds kInterval{200};
/// How long lines may keep the server from ending.
constexpr std::chrono::milliseconds kLastPatience{2000};

void append_log_number(std::string& out, std::uint64_t number) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

void append_padded(std::string& out, std::uint64_t number, std::size_t width) {
    const std::size_t begin = out.size();
    append_log_number(out, number);
    const std::size_t written = out.size() - begin;
    if (written < width) out.insert(begin, width - written, '0');
}

/// `YYYY-MM-DDTHH:MM:SS`, UTC.
std::string text_of_second(std::time_t second) {
    std::tm parts{};
    ::gmtime_r(&second, &parts);
    std::string text;
    append_padded(text, static_cast<std::uint64_t>(parts.tm_year) + 1900, 4);
    const std::array<std::pair<char, int>, 5> rest{{{'-', parts.tm_mon + 1},
                                                    {'-', parts.tm_mday},
                                                    {'T', parts.tm_hour},
                                                    {':', parts.tm_min},
                                                    {':', parts.tm_sec}}};
    for (const auto& [separator, number] : rest) {
        text += separator;
        append_padded(text, static_cast<std::uint64_t>(number), 2);
    }
    return text;
}

std::uint64_t count_lines(std::string_view lines) {
    return static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
}

}  // namespace

/// When the request had come in whole.
void AccessLane::append_time(std::string& out, std::int64_t duration_us) {
    constexpr std::int64_t kMicroseconds = 1'000'000;
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const std::int64_t us =
        std::int64_t{now.tv_sec} * kMicroseconds + now.tv_nsec / 1000 - duration_us;
    const auto second = static_cast<std::time_t>(us / kMicroseconds);
    if (second != second_) {
        second_ = second;
        second_text_ = text_of_second(second);
    }
    out += second_text_;
    out += '.';
    append_padded(out, static_cast<std::uint64_t>(us % kMicroseconds / 1000), 3);
    out += 'Z';
}

void AccessLane::add(const AccessEntry& entry) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= limit_) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    std::string& out = lines_;
    out += R"({"time":")";
    append_time(out, entry.duration_us);
    out += R"(","requestId":")";
    out += entry.request_id;
    out += R"(","remote":")";
    out += entry.remote_address;
    out += R"(","method":)";
    sdk::append_json_string(out, entry.method);
    out += R"(,"path":)";
    sdk::append_json_string(out, entry.path);
    if (!entry.route.empty()) {
        out += R"(,"route":)";
        sdk::append_json_string(out, entry.route);
    }
    out += R"(,"status":)";
    append_log_number(out, static_cast<std::uint64_t>(entry.status));
    out += R"(,"bytes":)";
    append_log_number(out, entry.bytes);
    out += R"(,"us":)";
    append_log_number(out,
                      static_cast<std::uint64_t>(std::max<std::int64_t>(entry.duration_us, 0)));
    if (entry.session) {
        const sdk::Principal& principal = entry.session->principal;
        out += R"(,"platform":)";
        sdk::append_json_string(out, entry.session->platform.id);
        out += R"(,"domain":)";
        sdk::append_json_string(out, principal.domain_id);
        out += R"(,"principal":)";
        sdk::append_json_string(out, principal.id);
    }
    out += entry.is_aborted ? ",\"aborted\":true}\n" : "}\n";
    if (is_woken_ || lines_.size() < limit_ / 2) return;
    is_woken_ = true;
    wake_();
}

void AccessLane::take(std::string& empty) {
    const std::lock_guard lock(mutex_);
    lines_.swap(empty);
    is_woken_ = false;
}

AccessLog::AccessLog(AccessLogOutput output, std::size_t lane_bytes)
    : output_(std::move(output)), lane_bytes_(lane_bytes), thread_([this] { run(); }) {}

sdk::Result<std::unique_ptr<AccessLog>> AccessLog::open(const Options& options) {
    auto output = AccessLogOutput::open(options.target);
    if (!output) return output.error();
    return std::unique_ptr<AccessLog>(new AccessLog(std::move(*output), options.lane_bytes));
}

AccessLog::~AccessLog() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

AccessLane& AccessLog::add_lane() {
    const std::lock_guard lock(mutex_);
    return *lanes_.emplace_back(std::make_unique<AccessLane>(lane_bytes_, [this] { wake(); }));
}

std::uint64_t AccessLog::dropped() const {
    std::uint64_t sum = unwritten_.load(std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    for (const auto& lane : lanes_)
        sum += lane->dropped();
    return sum;
}

void AccessLog::wake() {
    {
        const std::lock_guard lock(mutex_);
        is_urgent_ = true;
    }
    changed_.notify_one();
}

void AccessLog::run() {
    std::unique_lock lock(mutex_);
    while (!is_stopping_) {
        changed_.wait_for(lock, kInterval, [this] { return is_urgent_ || is_stopping_; });
        is_urgent_ = false;
        lock.unlock();
        write_lanes();
        lock.lock();
    }
    lock.unlock();
    write_lanes();
}

void AccessLog::write_lanes() {
    std::size_t count = 0;
    {
        const std::lock_guard lock(mutex_);
        count = lanes_.size();
    }
    output_.follow();
    for (std::size_t i = 0; i < count; ++i) {
        AccessLane* lane = nullptr;
        {
            const std::lock_guard lock(mutex_);
            lane = lanes_[i].get();
        }
        spare_.clear();
        lane->take(spare_);
        if (spare_.empty() || output_.write(spare_, kLastPatience)) continue;
        unwritten_.fetch_add(count_lines(spare_), std::memory_order_relaxed);
    }
    note_dropped();
}

/// Says in the log itself how many lines are missing in this place.
void AccessLog::note_dropped() {
    const std::uint64_t present = dropped();
    if (present == noted_) return;
    std::string line = R"({"time":")" + text_of_second(sdk::now_ms() / 1000) + R"(Z","dropped":)";
    append_log_number(line, present - noted_);
    line += "}\n";
    if (output_.write(line, kLastPatience)) noted_ = present;
}

}  // namespace stele::kernel::http

#include "kernel/job/job_keys.hpp"

#include <stele/sdk/key_tuple.hpp>

namespace stele::kernel::job {

namespace {

constexpr std::size_t kIdSize = 20;

sdk::KeyWriter shared(char kind) {
    return sdk::KeyWriter(shared_prefix()).tag(kind);
}

sdk::KeyWriter of_platform(std::uint64_t platform, char kind) {
    return sdk::KeyWriter().integer(platform).tag('j').tag(kind);
}

std::uint64_t unsigned_ms(std::int64_t ms) {
    return ms < 0 ? 0 : static_cast<std::uint64_t>(ms);
}

sdk::KeyRange with_prefix(std::string prefix) {
    std::string end = sdk::prefix_end(prefix);
    return {std::move(prefix), std::move(end)};
}

}  // namespace

std::string record_path(std::uint64_t platform, std::string_view id) {
    return of_platform(platform, 'r').raw(id).key();
}

std::string state_path(std::uint64_t platform, char state, std::string_view id) {
    return of_platform(platform, 's').tag(state).raw(id).key();
}

std::string progress_path(std::uint64_t platform, std::string_view id) {
    return of_platform(platform, 'p').raw(id).key();
}

std::string queue_path(std::string_view lane, std::string_view starter, std::int64_t due_ms,
                       std::string_view id) {
    return shared('q').text(lane).text(starter).integer(unsigned_ms(due_ms)).raw(id).key();
}

std::string resting_path(std::uint64_t platform, std::string_view id) {
    return shared('r').integer(platform).raw(id).key();
}

std::string owner_path(std::string_view id) {
    return shared('o').raw(id).key();
}

std::string lease_path(std::string_view id) {
    return shared('l').raw(id).key();
}

std::string ended_path(std::int64_t stopped_ms, std::string_view id) {
    return shared('e').integer(unsigned_ms(stopped_ms)).raw(id).key();
}

sdk::KeyRange record_range(std::uint64_t platform) {
    return with_prefix(of_platform(platform, 'r').key());
}

sdk::KeyRange state_range(std::uint64_t platform, char state) {
    return with_prefix(of_platform(platform, 's').tag(state).key());
}

sdk::KeyRange queue_range() {
    return with_prefix(shared('q').key());
}

sdk::KeyRange lane_range(std::string_view lane) {
    return with_prefix(shared('q').text(lane).key());
}

sdk::KeyRange starter_range(std::string_view lane, std::string_view starter) {
    return with_prefix(shared('q').text(lane).text(starter).key());
}

std::optional<QueuePlace> place_in_queue(std::string_view path) {
    const std::string prefix = shared('q').key();
    if (!path.starts_with(prefix)) return std::nullopt;
    sdk::KeyReader reader(path.substr(prefix.size()));
    auto lane = reader.text();
    if (!lane) return std::nullopt;
    auto starter = reader.text();
    if (!starter) return std::nullopt;
    const auto due = reader.integer();
    if (!due || reader.rest().size() != kIdSize) return std::nullopt;
    return QueuePlace{*std::move(lane), *std::move(starter), static_cast<std::int64_t>(*due)};
}

sdk::KeyRange resting_range() {
    return with_prefix(shared('r').key());
}

sdk::KeyRange resting_range(std::uint64_t platform) {
    return with_prefix(shared('r').integer(platform).key());
}

sdk::KeyRange lease_range() {
    return with_prefix(shared('l').key());
}

sdk::KeyRange ended_range(std::int64_t ms) {
    return {shared('e').key(), shared('e').integer(unsigned_ms(ms)).key()};
}

std::string shared_prefix() {
    return sdk::KeyWriter().integer(0).tag('j').key();
}

bool is_lease_path(std::string_view path) {
    return path.starts_with(lease_range().begin);
}

std::string_view id_of(std::string_view path) {
    return path.size() < kIdSize ? std::string_view() : path.substr(path.size() - kIdSize);
}

}  // namespace stele::kernel::job

#include "kernel/http/connection/connection_context.hpp"

#include <ctime>
#include <random>
#include <utility>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/http_date.hpp>

#include "kernel/http/log/access_log.hpp"
#include "kernel/resource/upkeep/usage_counter.hpp"

namespace stele::kernel::http {

namespace {

constexpr std::size_t kPrefixDigits = 8;
constexpr std::size_t kIdDigits = 20;

void write_hex(char* out, std::size_t digits, std::uint64_t number) {
    for (std::size_t i = digits; i > 0; --i, number >>= 4)
        out[i - 1] = sdk::kHexDigits[number & 15];
}

}  // namespace

ConnectionContext::ConnectionContext(std::shared_ptr<ServerShared> shared_state)
    : shared_(std::move(shared_state)),
      shared(*shared_),
      access_lane(shared.options.access_log ? &shared.options.access_log->add_lane() : nullptr),
      sent_lane(shared.options.usage ? &shared.options.usage->add_lane() : nullptr) {
    std::random_device random;
    id_prefix_ = random();
    id_count_ = (std::uint64_t{random()} << 32) | random();
    renew_date();
}

void ConnectionContext::next_request_id(std::string& id) {
    id.resize(kIdDigits);
    write_hex(id.data(), kPrefixDigits, id_prefix_);
    write_hex(id.data() + kPrefixDigits, kIdDigits - kPrefixDigits, ++id_count_);
}

std::int64_t ConnectionContext::now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

void ConnectionContext::renew_date() {
    const std::time_t second = std::time(nullptr);
    if (second == date_second_) return;
    date_second_ = second;
    date_ = sdk::http_date(std::int64_t{second} * 1000);
}

}  // namespace stele::kernel::http

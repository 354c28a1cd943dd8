#include "known_addresses.hpp"

#include <optional>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "token/session_keys.hpp"

namespace stele::identity {

namespace {

constexpr std::size_t kMaxAddresses = 64;
constexpr std::int64_t kRememberedAnewAfterMs = 86'400'000;

std::int64_t time_of(std::string_view value) {
    return static_cast<std::int64_t>(sdk::KeyReader(value).integer().value_or(0));
}

/// Makes room for one more.
sdk::Result<void> drop_oldest(sdk::Context& context, const std::string& begin) {
    std::size_t count = 0;
    std::string oldest;
    std::int64_t oldest_ms = 0;
    {
        const auto cursor = context.transaction().scan({begin, sdk::prefix_end(begin)},
                                                       sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next(), ++count) {
            const std::int64_t ms = time_of(cursor->value());
            if (!oldest.empty() && ms >= oldest_ms) continue;
            oldest = cursor->key();
            oldest_ms = ms;
        }
        if (auto status = cursor->status(); !status) return status;
    }
    if (count >= kMaxAddresses) context.transaction().remove(oldest);
    return {};
}

}  // namespace

sdk::Result<bool> is_known_address(sdk::Context& context, const sdk::RecordKey& user,
                                   const std::string& address) {
    const std::string key =
        SessionKeys::of(context).known_address(user, sdk::token_digest(address));
    // Others that log in from there at the same time change nothing of the answer.
    auto known = context.transaction().peek(key);
    if (!known) return known.error();
    return known->has_value();
}

sdk::Result<void> remember_address(sdk::Context& context, const sdk::RecordKey& user,
                                   const std::string& address) {
    const SessionKeys keys = SessionKeys::of(context);
    const std::string key = keys.known_address(user, sdk::token_digest(address));
    auto known = context.transaction().peek(key);
    if (!known) return known.error();
    const std::int64_t now = sdk::now_ms();
    if (*known && now - time_of(**known) < kRememberedAnewAfterMs) return {};
    if (!*known) {
        if (auto dropped = drop_oldest(context, keys.known_address(user)); !dropped) return dropped;
    }
    const auto stored = static_cast<std::uint64_t>(now);
    context.transaction().put(key, sdk::KeyWriter().integer(stored).key());
    return {};
}

void forget_addresses(sdk::Context& context, const sdk::RecordKey& user) {
    const std::string begin = SessionKeys::of(context).known_address(user);
    context.transaction().remove_range({begin, sdk::prefix_end(begin)});
}

}  // namespace stele::identity

#include "kernel/resource/platforms.hpp"

#include <mutex>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/resource/record_fields.hpp"
#include "kernel/resource/registry.hpp"

namespace stele::kernel::resource {

namespace {

/// (0, 'p', number) -> sequence of the root record; (0, 'p') -> highest number.
std::string platform_key(std::uint64_t number) {
    return sdk::KeyWriter(storage::kind_prefix(0, 'p')).integer(number).key();
}

std::string highest_number_key() {
    return storage::kind_prefix(0, 'p');
}

}  // namespace

sdk::Session system_session(const sdk::PlatformScope& platform) {
    sdk::Session session;
    session.platform = platform;
    session.principal.id = session.principal.name = "system";
    session.principal.domain_id = "system";
    session.is_system = true;
    return session;
}

sdk::Result<sdk::PlatformScope> Platforms::root() {
    return find(1);
}

sdk::Result<sdk::PlatformScope> Platforms::find(std::uint64_t number) {
    {
        std::shared_lock lock(mutex_);
        const auto known = known_.find(number);
        if (known != known_.end()) return known->second;
    }
    auto loaded = load(number);
    if (!loaded) return loaded;
    std::unique_lock lock(mutex_);
    known_[number] = *loaded;
    return loaded;
}

sdk::Result<sdk::PlatformScope> Platforms::load(std::uint64_t number) {
    const auto reader = engine_.snapshot();
    auto sequence = reader->get(platform_key(number));
    if (!sequence) return sequence.error();
    if (!*sequence) {
        return sdk::make_error(sdk::ErrorKind::not_found, "platform.unknown",
                               "no such platform: " + std::to_string(number));
    }
    auto collection = documents_.find_collection(*reader, number, kPlatformType, "");
    if (!collection) return collection.error();
    if (!*collection) {
        return sdk::make_error(sdk::ErrorKind::internal, "platform.root_missing",
                               "the platform has no root record");
    }
    sdk::PlatformScope scope;
    scope.number = number;
    scope.id = storage::sequence_text(**sequence);
    scope.root = storage::record_key(**collection, **sequence);
    return scope;
}

sdk::Result<std::vector<sdk::PlatformScope>> Platforms::all() {
    auto highest = engine_.snapshot()->get(highest_number_key());
    if (!highest) return highest.error();
    std::vector<sdk::PlatformScope> scopes;
    for (std::int64_t number = 1; number <= sdk::read_counter(*highest); ++number) {
        auto scope = find(static_cast<std::uint64_t>(number));
        if (scope) {
            scopes.push_back(std::move(*scope));
        } else if (scope.error().kind != sdk::ErrorKind::not_found) {
            return scope.error();
        }
    }
    return scopes;
}

sdk::Result<sdk::PlatformScope> Platforms::create(sdk::Transaction& transaction,
                                                  std::string_view title) {
    auto highest = transaction.get(highest_number_key());
    if (!highest) return highest.error();
    sdk::PlatformScope scope;
    scope.number = static_cast<std::uint64_t>(sdk::read_counter(*highest)) + 1;
    auto collection = documents_.open_collection(transaction, scope.number, kPlatformType, "");
    if (!collection) return collection.error();
    const storage::Sequence sequence = storage::next_sequence();
    scope.id = storage::sequence_text(sequence);
    scope.root = storage::record_key(*collection, sequence);

    sdk::Json fields = {{"_doc", scope.id}, {"title", title}};
    const sdk::Session session = system_session(scope);
    fields["_system"] = system_member(session, nullptr, sdk::now_ms());
    auto stored =
        documents_.insert(transaction, *collection, {},
                          {.sequence = sequence, .custom_id = {}, .fields = fields, .sealed = {}});
    if (!stored) return stored.error();
    transaction.put(platform_key(scope.number), sequence);
    transaction.put(highest_number_key(),
                    sdk::counter_bytes(static_cast<std::int64_t>(scope.number)));
    return scope;
}

}  // namespace stele::kernel::resource

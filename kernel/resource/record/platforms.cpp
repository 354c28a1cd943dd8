#include "kernel/resource/record/platforms.hpp"

#include <mutex>
#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/registry/registry.hpp"

namespace stele::kernel::resource {

namespace {

std::string platform_prefix() {
    return storage::kind_prefix(0, 'p');
}

std::string highest_number_key() {
    return platform_prefix();
}

std::string number_key(std::string_view root_sequence) {
    return sdk::KeyWriter(storage::kind_prefix(0, 'P')).raw(root_sequence).key();
}

std::string state_prefix() {
    return storage::kind_prefix(0, 'o');
}

sdk::Error unknown_platform(std::string_view platform) {
    return sdk::make_error(sdk::ErrorKind::not_found, "platform.unknown",
                           "there is no platform " + std::string(platform));
}

/// Numbers of the platforms that have a key with the prefix.
sdk::Result<std::vector<std::uint64_t>> numbers_of(const sdk::Reader& reader,
                                                   const std::string& prefix,
                                                   std::optional<std::string_view> value) {
    std::vector<std::uint64_t> numbers;
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const auto number = sdk::KeyReader(cursor->key().substr(prefix.size())).integer();
        if (number && (!value || cursor->value() == *value)) numbers.push_back(*number);
    }
    if (auto status = cursor->status(); !status) return status.error();
    return numbers;
}

constexpr std::uint64_t kRootNumber = 1;

}  // namespace

sdk::Session system_session(const sdk::PlatformScope& platform) {
    sdk::Session session;
    session.platform = platform;
    session.principal.id = session.principal.name = "system";
    session.principal.domain_id = "system";
    session.is_system = true;
    return session;
}

Platforms::Platforms(sdk::Engine& engine, storage::DocumentStore& documents)
    : engine_(engine), documents_(documents) {
    observe(platform_prefix());
    observe(state_prefix());
}

void Platforms::observe(std::string prefix) {
    const std::size_t size = prefix.size();
    engine_.observe(std::move(prefix),
                    [this, size](const sdk::CommitNotice& commit) { notice(commit, size); });
}

void Platforms::notice(const sdk::CommitNotice& commit, std::size_t prefix_size) {
    std::unique_lock lock(mutex_);
    ++changes_;
    if (commit.is_everything) known_.clear();
    for (const std::string_view key : commit.keys) {
        if (const auto number = sdk::KeyReader(key.substr(prefix_size)).integer()) {
            known_.erase(*number);
        }
    }
}

sdk::Result<sdk::PlatformScope> Platforms::root() {
    return find(kRootNumber);
}

sdk::Result<sdk::PlatformScope> Platforms::find(std::uint64_t number) {
    auto known = know(number);
    if (!known) return known.error();
    return std::move(known->scope);
}

sdk::Result<bool> Platforms::is_open(std::uint64_t number) {
    if (number == kRootNumber) return true;
    auto known = know(number);
    if (known) return known->is_open;
    if (sdk::is_missing(known.error())) return false;
    return known.error();
}

sdk::Result<bool> Platforms::is_open(const sdk::Reader& reader, std::uint64_t number) {
    auto root = reader.get(storage::platform_path(number));
    if (!root) return root.error();
    auto state = reader.get(storage::platform_state_path(number));
    if (!state) return state.error();
    return root->has_value() && !state->has_value();
}

const Platforms::Known* Platforms::remembered(std::uint64_t number) const {
    const auto known = known_.find(number);
    return known == known_.end() ? nullptr : &known->second;
}

sdk::Result<sdk::PlatformScope> Platforms::find(const sdk::Reader& reader, std::uint64_t number) {
    {
        std::shared_lock lock(mutex_);
        if (const Known* known = remembered(number)) return known->scope;
    }
    auto loaded = load(reader, number);
    if (!loaded) return loaded.error();
    return std::move(loaded->scope);
}

sdk::Result<Platforms::Known> Platforms::know(std::uint64_t number) {
    std::uint64_t changes = 0;
    {
        std::shared_lock lock(mutex_);
        if (const Known* known = remembered(number)) return *known;
        changes = changes_;
    }
    auto loaded = load(*engine_.snapshot(), number);
    if (!loaded) return loaded;
    std::unique_lock lock(mutex_);
    // A commit since then may have changed it.
    if (changes == changes_) known_[number] = *loaded;
    return loaded;
}

sdk::Result<Platforms::Known> Platforms::load(const sdk::Reader& reader, std::uint64_t number) {
    auto sequence = reader.get(storage::platform_path(number));
    if (!sequence) return sequence.error();
    if (!*sequence) return unknown_platform(std::to_string(number));
    auto state = reader.get(storage::platform_state_path(number));
    if (!state) return state.error();
    auto collection = documents_.find_collection(reader, number, kPlatformType, "");
    if (!collection) return collection.error();
    if (!*collection) {
        return sdk::make_error(sdk::ErrorKind::internal, "platform.root_missing",
                               "the platform has no root record");
    }
    Known known;
    known.scope.number = number;
    known.scope.id = storage::sequence_text(**sequence);
    known.scope.root = storage::record_key(**collection, **sequence);
    known.is_open = !state->has_value();
    return known;
}

sdk::Result<std::vector<sdk::PlatformScope>> Platforms::all() {
    auto numbers = numbers_of(*engine_.snapshot(), platform_prefix(), {});
    if (!numbers) return numbers.error();
    std::vector<sdk::PlatformScope> scopes;
    for (const std::uint64_t number : *numbers) {
        auto scope = find(number);
        if (scope) {
            scopes.push_back(std::move(*scope));
        } else if (!sdk::is_missing(scope.error())) {
            return scope.error();
        }
    }
    return scopes;
}

sdk::Result<std::vector<sdk::PlatformScope>> Platforms::all_open() {
    auto scopes = all();
    if (!scopes) return scopes;
    std::vector<sdk::PlatformScope> open;
    for (sdk::PlatformScope& scope : *scopes) {
        auto goes_on = is_open(scope.number);
        if (!goes_on) return goes_on.error();
        if (*goes_on) open.push_back(std::move(scope));
    }
    return open;
}

sdk::Result<bool> Platforms::holds(const sdk::Transaction& transaction, std::uint64_t number) {
    auto sequence = transaction.get(storage::platform_path(number));
    if (!sequence) return sequence.error();
    return sequence->has_value();
}

sdk::Result<std::vector<std::uint64_t>> Platforms::removed() {
    return numbers_of(*engine_.snapshot(), state_prefix(), storage::kRemovedPlatform);
}

sdk::Result<sdk::PlatformScope> Platforms::find(const sdk::Transaction& transaction,
                                                std::string_view id) {
    auto first = root();
    if (!first || first->id == id) return first;
    storage::Sequence sequence;
    if (!storage::parse_sequence(id, sequence)) return unknown_platform(id);
    auto number = transaction.get(number_key(sequence));
    if (!number) return number.error();
    if (!*number) return unknown_platform(id);
    return find(static_cast<std::uint64_t>(sdk::read_counter(*number)));
}

void Platforms::set_open(sdk::Transaction& transaction, std::uint64_t number, bool is_open) {
    const std::string state = storage::platform_state_path(number);
    if (is_open) {
        transaction.remove(state);
    } else {
        transaction.put(state, storage::kClosedPlatform);
    }
}

void Platforms::remove(sdk::Transaction& transaction, const sdk::PlatformScope& platform) {
    storage::Sequence sequence;
    if (storage::parse_sequence(platform.id, sequence)) transaction.remove(number_key(sequence));
    transaction.remove(storage::platform_path(platform.number));
    transaction.put(storage::platform_state_path(platform.number), storage::kRemovedPlatform);
}

sdk::Result<std::uint64_t> Platforms::give_number(sdk::Transaction& transaction) {
    auto first = transaction.get(storage::platform_path(kRootNumber));
    if (!first) return first.error();
    std::uint64_t number = kRootNumber;
    const auto count = [&number](sdk::Transaction& counting) -> sdk::Result<void> {
        auto highest = counting.get(highest_number_key());
        if (!highest) return highest.error();
        number = static_cast<std::uint64_t>(sdk::read_counter(*highest)) + 1;
        counting.put(highest_number_key(), sdk::counter_bytes(static_cast<std::int64_t>(number)));
        return {};
    };
    auto counted = *first ? sdk::write_with_retry(engine_, count) : count(transaction);
    if (!counted) return counted.error();
    return number;
}

void Platforms::forget(sdk::Transaction& transaction, std::uint64_t number) {
    transaction.remove(storage::platform_state_path(number));
}

sdk::Result<sdk::PlatformScope> Platforms::create(sdk::Transaction& transaction,
                                                  std::string_view title) {
    auto given = give_number(transaction);
    if (!given) return given.error();
    sdk::PlatformScope scope;
    scope.number = *given;
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
    transaction.put(storage::platform_path(scope.number), sequence);
    if (scope.number != kRootNumber) {
        transaction.put(number_key(sequence),
                        sdk::counter_bytes(static_cast<std::int64_t>(scope.number)));
    }
    return scope;
}

}  // namespace stele::kernel::resource

#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/authorities.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/services/policy_source.hpp>

#include "kernel/authority/authority_cache.hpp"
#include "kernel/authority/record_tree.hpp"

/// What tests of rights stand on instead of the rooms above and of real policies.
namespace stele::kernel::authority::testing {

/// Collections below this number hold containers, those from it on plain records.
inline constexpr std::uint64_t kFirstPlainCollection = 100;

inline std::string sequence(std::uint64_t number) {
    std::string bytes(10, '\0');
    for (std::size_t i = bytes.size(); number > 0; number >>= 8)
        bytes[--i] = static_cast<char>(number);
    return bytes;
}

inline std::string collection_prefix(std::uint64_t platform, std::uint64_t collection) {
    return sdk::KeyWriter().integer(platform).integer(collection).key();
}

inline sdk::RecordKey record_key(std::uint64_t platform, std::uint64_t collection,
                                 std::uint64_t number) {
    return collection_prefix(platform, collection) + sequence(number);
}

inline std::uint64_t platform_number(const sdk::RecordKey& key) {
    return *sdk::KeyReader(key).integer();
}

/// Where the storage room keeps a record (kernel/storage/engine/keys.hpp).
inline std::string document_key(const sdk::RecordKey& key) {
    sdk::KeyReader reader(key);
    const std::uint64_t platform = *reader.integer();
    return sdk::KeyWriter().integer(platform).tag('d').raw(reader.rest()).key();
}

template <class T>
T value_of(sdk::Result<T> result) {
    if (!result) throw std::runtime_error(result.error().code + ": " + result.error().message);
    return *std::move(result);
}

inline void expect(const sdk::Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().code + ": " + result.error().message);
}

inline void write(sdk::Engine& engine,
                  const std::function<sdk::Result<void>(sdk::Transaction&)>& work) {
    expect(sdk::write_with_retry(engine, work));
}

/// What holds at the latest state.
inline sdk::Result<sdk::PermissionSet> latest_permissions(AuthorityCache& cache,
                                                          sdk::Engine& engine,
                                                          const sdk::RecordKey& principal,
                                                          const sdk::RecordKey& record) {
    const Moment moment = cache.moment();
    const auto snapshot = engine.snapshot();
    return cache.permissions(*snapshot, moment, principal, record);
}

class FakeTree final : public RecordTree {
public:
    std::map<sdk::RecordKey, sdk::RecordKey> containers;
    /// Records all of whose grants reach inside.
    std::set<sdk::RecordKey> reaching;
    /// Containers that what lies in one came from, nearest first, and of those how many a record
    /// came through; what it is in them.
    std::map<sdk::RecordKey, std::vector<sdk::RecordKey>> origins;
    std::map<sdk::RecordKey, std::size_t> came_through;
    std::map<std::pair<sdk::RecordKey, sdk::RecordKey>, sdk::RecordKey> elsewhere;
    /// Records with rights of their own, and from which others rights reach them.
    std::map<sdk::RecordKey, std::vector<sdk::RecordKey>> siblings;
    /// Who owns a record by what that says.
    std::map<sdk::RecordKey, sdk::RecordKey> makers;
    /// Called at the start of every evaluation.
    std::function<void()> on_walk;
    /// Grows with every evaluation.
    std::atomic<std::uint64_t> walks{0};

    sdk::Result<std::optional<sdk::RecordKey>> container_of(const sdk::Reader&,
                                                            const sdk::RecordKey& record) override {
        ++walks;
        if (on_walk) on_walk();
        const auto found = containers.find(record);
        if (found == containers.end()) return std::optional<sdk::RecordKey>();
        return std::optional<sdk::RecordKey>(found->second);
    }

    sdk::Result<sdk::PolicySubject> subject(const sdk::Reader& reader,
                                            const sdk::RecordKey& record) override {
        sdk::PolicySubject subject;
        subject.platform = platform_number(record);
        subject.key = record;
        subject.type = "fake";
        subject.fields = [&reader, record]() -> sdk::Result<sdk::Json> {
            auto text = reader.get(document_key(record));
            if (!text) return text.error();
            return sdk::Json{{"mark", text->value_or("")}};
        };
        subject.stores = [this, &reader,
                          record]() -> sdk::Result<std::vector<sdk::PolicySubject::Store>> {
            std::vector<sdk::PolicySubject::Store> stores;
            for (auto at = containers.find(record); at != containers.end();
                 at = containers.find(at->second)) {
                auto text = reader.get(document_key(at->second));
                if (!text) return text.error();
                stores.push_back({"fake", "", text->value_or("")});
            }
            return stores;
        };
        return subject;
    }

    sdk::Result<bool> has_reaching_grants(const sdk::Reader&,
                                          const sdk::RecordKey& record) override {
        return reaching.contains(record);
    }

    sdk::Result<std::vector<sdk::RecordKey>> origins_of(const sdk::Reader&,
                                                        const sdk::RecordKey& record) override {
        const auto through = came_through.find(record);
        if (through == came_through.end()) return std::vector<sdk::RecordKey>();
        const auto& all = origins.at(containers.at(record));
        return std::vector<sdk::RecordKey>(
            all.begin(), all.begin() + static_cast<std::ptrdiff_t>(through->second));
    }
    sdk::Result<std::vector<sdk::RecordKey>> origins_inside(
        const sdk::Reader&, const sdk::RecordKey& container) override {
        const auto found = origins.find(container);
        return found == origins.end() ? std::vector<sdk::RecordKey>() : found->second;
    }
    sdk::Result<std::optional<sdk::RecordKey>> record_inside(
        const sdk::Reader&, const sdk::RecordKey& record,
        const sdk::RecordKey& container) override {
        const auto found = elsewhere.find({record, container});
        if (found == elsewhere.end()) return std::optional<sdk::RecordKey>();
        return std::optional<sdk::RecordKey>(found->second);
    }

    sdk::Result<bool> has_own_rights(const sdk::Reader&, const sdk::RecordKey& record) override {
        return siblings.contains(record) || makers.contains(record);
    }
    sdk::Result<std::vector<sdk::RecordKey>> inherits_from(const sdk::Reader&,
                                                           const sdk::RecordKey& record) override {
        const auto found = siblings.find(record);
        return found == siblings.end() ? std::vector<sdk::RecordKey>() : found->second;
    }
    sdk::Result<std::vector<std::string>> roles_of(const sdk::Reader&, const sdk::RecordKey& record,
                                                   const sdk::RecordKey& principal) override {
        const auto found = makers.find(record);
        if (found == makers.end() || found->second != principal) return std::vector<std::string>();
        return std::vector<std::string>{"owner"};
    }

    bool is_container(const sdk::RecordKey& record) override {
        sdk::KeyReader reader(record);
        reader.integer();
        return *reader.integer() < kFirstPlainCollection;
    }
};

/// One statement of a policy. An empty mark or title always holds.
struct Statement {
    std::uint64_t platform = 0;
    std::uint64_t order = 0;
    sdk::RecordKey assigned_to;
    bool is_revoke = false;
    std::string role_key;
    std::string mark;
    std::string store_title;
};

/// Policies that lie in the store, so that everything that they depend on is committed.
class FakePolicies final : public sdk::PolicySource {
public:
    static constexpr std::string_view kSpace = "fake.policies";

    static std::string key_of(const Statement& statement) {
        return sdk::KeyWriter(prefix(statement.platform, statement.assigned_to))
            .integer(statement.order)
            .key();
    }
    static std::string value_of(const Statement& statement) {
        return sdk::KeyWriter()
            .tag(statement.is_revoke ? '-' : '+')
            .text(statement.role_key)
            .text(statement.mark)
            .text(statement.store_title)
            .key();
    }

    sdk::Result<bool> has_policies(const sdk::Reader& reader, std::uint64_t platform,
                                   const sdk::PolicyHolder& holder) override {
        return !statements(reader, platform, holder).empty();
    }

    sdk::Result<Given> evaluate(
        const sdk::Reader& reader, const sdk::PolicyHolder& holder,
        const sdk::PolicySubject& subject,
        const std::function<sdk::PermissionSet(std::string_view)>& permissions_of) override {
        Given given;
        for (const Statement& statement : statements(reader, subject.platform, holder)) {
            if (!holds(statement, subject)) continue;
            const sdk::PermissionSet permissions = permissions_of(statement.role_key);
            if (statement.is_revoke) {
                given.permissions -= permissions;
                std::erase(given.roles, statement.role_key);
            } else {
                given.permissions |= permissions;
                given.roles.push_back(statement.role_key);
            }
        }
        return given;
    }

    sdk::Result<Reach> reach(const sdk::Reader& reader, std::uint64_t platform,
                             const sdk::PolicyHolder& holder) override {
        Reach reach;
        for (const Statement& statement : statements(reader, platform, holder))
            (statement.is_revoke ? reach.revoked : reach.granted).push_back(statement.role_key);
        return reach;
    }

    std::string watched_space() const override { return std::string(kSpace); }

private:
    static std::string prefix(std::uint64_t platform, const sdk::RecordKey& holder) {
        return sdk::KeyWriter().integer(platform).tag('s').text(kSpace).raw(holder).key();
    }

    static std::vector<Statement> statements(const sdk::Reader& reader, std::uint64_t platform,
                                             const sdk::PolicyHolder& holder) {
        std::vector<Statement> found;
        std::vector<sdk::RecordKey> principals = holder.groups;
        principals.push_back(holder.principal);
        for (const sdk::RecordKey& principal : principals) {
            const std::string begin = prefix(platform, principal);
            const auto cursor =
                reader.scan({begin, sdk::prefix_end(begin)}, sdk::ScanDirection::forward);
            for (; cursor->is_valid(); cursor->next()) {
                sdk::KeyReader key(cursor->key().substr(begin.size()));
                sdk::KeyReader value(cursor->value());
                Statement& statement = found.emplace_back();
                statement.order = *key.integer();
                statement.is_revoke = *value.tag() == '-';
                statement.role_key = *value.text();
                statement.mark = *value.text();
                statement.store_title = *value.text();
            }
        }
        std::sort(found.begin(), found.end(),
                  [](const Statement& a, const Statement& b) { return a.order < b.order; });
        return found;
    }

    static bool holds(const Statement& statement, const sdk::PolicySubject& subject) {
        if (!statement.mark.empty()) {
            const sdk::Json fields = testing::value_of(subject.fields());
            if (fields.at("mark").get<std::string>() != statement.mark) return false;
        }
        if (statement.store_title.empty()) return true;
        const auto stores = testing::value_of(subject.stores());
        return std::any_of(stores.begin(), stores.end(),
                           [&](const auto& store) { return store.title == statement.store_title; });
    }
};

}  // namespace stele::kernel::authority::testing

#include "kernel/authority/authority_cache.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/decision_table.hpp"

namespace stele::kernel::authority {

namespace {

constexpr char kDocumentTag = 'd';
constexpr char kSpaceTag = 's';
/// Behind a record's key in the table: what reaches into the record. Longer than any key is.
constexpr std::string_view kInside = "/everything that the record contains";

/// Whether others may see other things, now and for good.
bool has_own_writes(const sdk::Reader& reader) {
    const sdk::Transaction* const transaction = reader.as_transaction();
    return transaction && transaction->has_writes();
}

/// The record key of a document's key, without its tag, built without an allocation: observers see
/// every document that is written.
class DocumentRecord {
public:
    explicit DocumentRecord(std::string_view document_key) {
        sdk::KeyReader reader(document_key);
        reader.integer();
        const std::size_t tag_place = document_key.size() - reader.rest().size();
        const std::string_view rest = document_key.substr(tag_place + 1);
        if (document_key.size() - 1 > bytes_.size()) return;
        auto end = std::copy_n(document_key.begin(), tag_place, bytes_.begin());
        end = std::copy(rest.begin(), rest.end(), end);
        size_ = static_cast<std::size_t>(end - bytes_.begin());
    }

    /// Nothing when the key is not that of one record.
    std::optional<std::string_view> key() const {
        std::string_view bytes(bytes_.data(), size_);
        const auto key = cut_record_key(bytes);
        return bytes.empty() ? key : std::nullopt;
    }

private:
    // Two integers of at most nine bytes and the sequence.
    std::array<char, 32> bytes_{};
    std::size_t size_ = 0;
};

}  // namespace

class AuthorityCache::State {
public:
    State(AuthorityStore& store, RecordTree& tree, std::size_t capacity)
        : store_(store), tree_(tree), decisions_(capacity) {}

    Moment moment() const { return decisions_.moment(); }

    sdk::Result<sdk::PermissionSet> permissions(const sdk::Reader& reader, Moment moment,
                                                const sdk::RecordKey& principal,
                                                const sdk::RecordKey& record,
                                                sdk::PermissionSet enough) {
        if (has_own_writes(reader)) return store_.permissions(reader, principal, record);
        if (const auto known = decisions_.find(record, principal, moment)) return *known;
        const auto has_own_rights = tree_.has_own_rights(reader, record);
        if (!has_own_rights) return has_own_rights.error();
        if (*has_own_rights) return changing(reader, moment, principal, record, enough);
        auto permissions = store_.permissions(reader, principal, record);
        if (permissions) decisions_.store(record, principal, *permissions, moment);
        return permissions;
    }

    sdk::Result<sdk::PermissionSet> inside(const sdk::Reader& reader, Moment moment,
                                           const sdk::RecordKey& principal,
                                           const sdk::RecordKey& container) {
        if (has_own_writes(reader)) return store_.inside_permissions(reader, principal, container);
        // Every read comes by: the buffer is not made anew.
        thread_local std::string place;
        place.assign(container).append(kInside);
        if (const auto known = decisions_.find(place, principal, moment)) return *known;
        auto inside = store_.inside_permissions(reader, principal, container);
        if (!inside) return inside;
        place.assign(container).append(kInside);
        decisions_.store(place, principal, *inside, moment);
        return inside;
    }

    void watch(std::string space) {
        const std::lock_guard lock(observing_);
        watched_spaces_.push_back(std::move(space));
    }

    void observe(const sdk::CommitNotice& commit) {
        const std::lock_guard lock(observing_);
        if (is_over_) return;
        if (commit.is_everything) decisions_.drop_everything();
        for (std::string_view key : commit.keys)
            observe(key);
    }

    void end() {
        const std::lock_guard lock(observing_);
        is_over_ = true;
    }

private:
    /// The records themselves decide, and no commit tells when that changes; what reaches into
    /// their container is known to hold.
    sdk::Result<sdk::PermissionSet> changing(const sdk::Reader& reader, Moment moment,
                                             const sdk::RecordKey& principal,
                                             const sdk::RecordKey& record,
                                             sdk::PermissionSet enough) {
        if (enough.bits() != 0) {
            auto inside = inside_container(reader, moment, principal, record);
            if (!inside || inside->contains(enough)) return inside;
        }
        return store_.permissions(reader, principal, record);
    }

    sdk::Result<sdk::PermissionSet> inside_container(const sdk::Reader& reader, Moment moment,
                                                     const sdk::RecordKey& principal,
                                                     const sdk::RecordKey& record) {
        const auto container = tree_.container_of(reader, record);
        if (!container) return container.error();
        if (!*container) return sdk::PermissionSet();
        return inside(reader, moment, principal, **container);
    }

    void observe(std::string_view key) {
        sdk::KeyReader reader(key);
        const auto platform = reader.integer();
        if (!platform) return;
        const auto tag = reader.tag();
        if (!tag) return;
        switch (*tag) {
            case kGrantTag:
                return observe_grant(*platform, reader.rest());
            case kDocumentTag:
                return observe_document(*platform, key);
            case kSpaceTag:
                return observe_space(*platform, reader.rest());
            case kMemberTag:
            case kMembershipTag:
            case kRoleTag:
            case kEveryoneTag:
            case kSourceTag:
            case kRemovalTag:
                return decisions_.drop_platform(*platform);
            case kStoreTag:
                if (key.back() == kOpenStoreRow) decisions_.drop_platform(*platform);
                return;
            default:
                return;
        }
    }

    void observe_grant(std::uint64_t platform, std::string_view rest) {
        const auto record = cut_record_key(rest);
        if (!record || tree_.is_container(sdk::RecordKey(*record))) {
            decisions_.drop_platform(platform);
        } else {
            decisions_.drop_record(*record);
        }
    }

    // Only policies look into records; besides, they may look at the containers of a record.
    void observe_document(std::uint64_t platform, std::string_view key) {
        if (watched_spaces_.empty()) return;
        const DocumentRecord document(key);
        const auto record = document.key();
        if (!record || tree_.is_container(sdk::RecordKey(*record))) {
            decisions_.drop_platform(platform);
        } else {
            decisions_.drop_record(*record);
        }
    }

    void observe_space(std::uint64_t platform, std::string_view rest) {
        const bool is_watched =
            std::any_of(watched_spaces_.begin(), watched_spaces_.end(),
                        [rest](const std::string& space) { return rest.starts_with(space); });
        if (is_watched) decisions_.drop_platform(platform);
    }

    AuthorityStore& store_;
    RecordTree& tree_;
    DecisionTable decisions_;

    /// Guards what follows, and the tree against an observation while it is destroyed.
    std::mutex observing_;
    bool is_over_ = false;
    std::vector<std::string> watched_spaces_;
};

AuthorityCache::AuthorityCache(AuthorityStore& store, RecordTree& tree, sdk::Engine& engine,
                               std::size_t capacity)
    : state_(std::make_shared<State>(store, tree, capacity)) {
    engine.observe("",
                   [state = state_](const sdk::CommitNotice& commit) { state->observe(commit); });
}

AuthorityCache::~AuthorityCache() {
    state_->end();
}

Moment AuthorityCache::moment() const {
    return state_->moment();
}

sdk::Result<sdk::PermissionSet> AuthorityCache::permissions(const sdk::Reader& reader,
                                                            Moment moment,
                                                            const sdk::RecordKey& principal,
                                                            const sdk::RecordKey& record,
                                                            sdk::PermissionSet enough) {
    return state_->permissions(reader, moment, principal, record, enough);
}

void AuthorityCache::watch(const sdk::PolicySource& source) {
    state_->watch(sdk::KeyWriter().text(source.watched_space()).key());
}

sdk::Result<sdk::PermissionSet> AuthorityCache::inside_permissions(
    const sdk::Reader& reader, Moment moment, const sdk::RecordKey& principal,
    const sdk::RecordKey& container) {
    return state_->inside(reader, moment, principal, container);
}

}  // namespace stele::kernel::authority

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stele::sdk {

/// Where a record lies in the store: platform, collection and creation sequence, as the bytes of a
/// key tuple. Opaque, about 14 bytes, unique in a store, never reused. Grants, caches and
/// references between records use it.
using RecordKey = std::string;

enum class PrincipalKind : std::uint8_t { user, group };

/// Who may be granted something: a user or a group of a domain.
struct Principal {
    RecordKey key;
    PrincipalKind kind = PrincipalKind::user;
    std::string id;
    std::string name;
    std::string domain_id;
    std::string email;
    std::string first_name;
    std::string last_name;
    bool enabled = true;
    /// Who acts through a session of the principal, by impersonation, and through jobs that were
    /// started by one; empty: nobody else. What asks who somebody is refuses these.
    std::vector<RecordKey> actors = {};

    std::string qualified_id() const { return domain_id + "/" + id; }
    std::string qualified_name() const { return domain_id + "/" + name; }
};

/// One platform (tenant). Every record lies under exactly one.
struct PlatformScope {
    /// The first element of every key of the platform.
    std::uint64_t number = 0;
    /// `_doc` of the platform's root record.
    std::string id;
    RecordKey root;
};

/// What a valid token stands for. Immutable; shared between the requests that use the token.
struct Session {
    PlatformScope platform;
    Principal principal;
    std::string client_key;
    /// Opaque reference of the token pair, for the plugin that issued it.
    std::string token_id;
    /// Epoch milliseconds after which the session is no longer valid.
    std::int64_t expires_at_ms = 0;
    /// The server itself: passes every check. Never made from a token.
    bool is_system = false;
};

using SessionPtr = std::shared_ptr<const Session>;

}  // namespace stele::sdk

#pragma once

#include <string>
#include <vector>

#include "http_client.hpp"

namespace stele::conformance {

/// A family with `Operations::transfer`, as the server describes it.
struct TransferredFamily {
    std::string plugin;
    /// Paths with placeholders; the container's is empty where it is the platform.
    std::string collection;
    std::string container;
};

/// The families of a server that can be exported and imported.
class TransferredFamilies {
public:
    /// Reads the server's description.
    explicit TransferredFamilies(const HttpClient& admin);

    /// Whether an enabled plugin exports and imports at all.
    bool is_offered() const { return is_offered_; }
    const std::vector<TransferredFamily>& all() const { return families_; }
    /// The family whose collection lies at a path without placeholders; null when it has none.
    const TransferredFamily* find(const std::string& collection) const;
    /// The path of the record that such a collection lies in, by its family.
    static std::string container_of(const TransferredFamily& family, const std::string& collection);
    /// The path of a record of the family, wherever one is; empty: there is none that the client
    /// may read.
    static std::string some_record(const HttpClient& admin, const TransferredFamily& family);

private:
    bool is_offered_ = false;
    std::vector<TransferredFamily> families_;
};

}  // namespace stele::conformance

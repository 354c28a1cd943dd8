#pragma once

#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/services/policy_source.hpp>

namespace stele::access_policies {

/// What the conditions of all policies of one evaluation look at; each fact is read once, when it
/// is asked for. What came from other containers lies in several places: the record's own, and each
/// that it came from. For one thread; the subject outlives it.
class SubjectFacts {
public:
    SubjectFacts(const sdk::PolicySubject& subject)  // NOLINT(google-explicit-constructor)
        : subject_(subject) {}

    using Store = sdk::PolicySubject::Store;
    using Stores = std::vector<Store>;

    const sdk::PolicySubject& subject() const { return subject_; }
    sdk::Result<const sdk::Json*> fields() const;
    /// Null where the family has no paths.
    sdk::Result<const std::vector<std::string>*> paths() const;
    sdk::Result<const std::vector<sdk::PolicySubject::Project>*> projects() const;

    /// The place that conditions look at: 0 is the record's own, others are origins, nearest first.
    sdk::Result<std::size_t> places() const;
    void look_at(std::size_t place) const { place_ = place; }
    sdk::Result<const std::string*> reference() const;
    /// What the record lies in at that place; at its own the record itself stands first.
    sdk::Result<const Stores*> stores() const;

private:
    sdk::Result<void> read_origins() const;

    const sdk::PolicySubject& subject_;
    mutable std::size_t place_ = 0;
    mutable std::optional<sdk::Json> fields_;
    mutable std::optional<std::vector<std::string>> paths_;
    mutable std::optional<std::vector<sdk::PolicySubject::Project>> projects_;
    mutable std::optional<std::string> reference_;
    mutable std::optional<Stores> stores_;
    mutable std::optional<std::vector<sdk::PolicySubject::Origin>> origins_;
};

}  // namespace stele::access_policies

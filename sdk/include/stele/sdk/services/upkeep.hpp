#pragma once

#include <functional>
#include <string>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/jobs.hpp>

namespace stele::sdk {

enum class UpkeepKind {
    index,   ///< makes anew what searches look into
    repair,  ///< looks for what does not fit, and mends it
};

/// Work that keeps data stores in order, which administrators ask for on many of them at once.
/// Plugins that know a type of store add theirs. Published by the kernel. Any thread.
class Upkeep {
public:
    /// The share of one store, as a part of a job: acts for the job's starter, whose rights it asks
    /// for, stops soon when the job must, and does nothing where the store is gone. Answers an
    /// object of counts.
    using Work = std::function<Result<Json>(Job&, UpkeepKind, const RecordKey& store)>;

    virtual ~Upkeep();

    /// Only while plugins are opened.
    virtual void add(std::string store_type, Work work) = 0;
    /// Types of stores that somebody works on, sorted.
    virtual std::vector<std::string> store_types() const = 0;
    /// Everybody's work on one store; counts of one name are added up.
    virtual Result<Json> run(Job& job, UpkeepKind kind, const std::string& store_type,
                             const RecordKey& store) const = 0;
};

/// Adds the numbers of an object to those of the same names.
void add_counts(Json& sum, const Json& counts);

}  // namespace stele::sdk

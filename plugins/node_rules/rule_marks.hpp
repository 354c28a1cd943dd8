#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_log.hpp>

namespace stele::node_rules {

/// How far changesets have been followed, in the store. A mark of a repository says that of every
/// rule; one of a binding is ahead of it, and is written with the jobs that it stands for. No row
/// is revision 0: a repository that the plugin has seen from its beginning.
///
///   node_rules.mark   repository                      -> revision
///                     repository branch association   -> revision
///
/// Everything joins the given transaction. Any thread.
namespace marks {

/// A binding is an association on a branch: forks have it under the same id.
struct BindingName {
    sdk::RecordKey branch;
    std::string association;
};

/// That of the repository.
sdk::Result<std::uint64_t> read(const sdk::Reader& reader, const sdk::ContentSpace& space);
/// The later one of both.
sdk::Result<std::uint64_t> read(const sdk::Reader& reader, const sdk::ContentSpace& space,
                                const BindingName& binding);
void write(sdk::Transaction& transaction, const sdk::ContentSpace& space,
           const BindingName& binding, std::uint64_t revision);
/// Moves the mark of a repository, never back; the marks of bindings that it passes go.
sdk::Result<void> advance(sdk::Transaction& transaction, const sdk::ContentSpace& space,
                          std::uint64_t revision);

}  // namespace marks

/// Removes what one of the plugin's key spaces has of repositories of a platform that are not among
/// these.
sdk::Result<void> forget_others(sdk::Engine& engine, std::uint64_t platform, const char* key_space,
                                const std::vector<sdk::ContentSpace>& kept);

inline constexpr char kMarkSpace[] = "node_rules.mark";

}  // namespace stele::node_rules

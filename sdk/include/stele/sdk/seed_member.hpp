#pragma once

#include <functional>
#include <string>
#include <vector>

#include <stele/sdk/json.hpp>

namespace stele::sdk {

/// A line of what the operator of a new store is told of the first login: `label: value`.
struct LoginLine {
    std::string label;
    std::string value;
    /// Nobody is shown it again.
    bool is_shown_once = false;
};

/// A member of the seed file (`stele init --seed`) that a plugin takes (`Registrar::add_seed`): an
/// object of texts. The kernel refuses other texts in it, values that are no texts, and empty ones
/// (`instance.seed_invalid`); the plugin reads the rest in what it gave `Registrar::on_install`,
/// in the transaction of its installation.
struct SeedMember {
    std::string name;
    std::vector<std::string> texts;
    /// Runs for a new store only, once, before anything is installed: adds to `member` (`{}` where
    /// the seed has none) what a server needs and nobody chose, and answers what its operator has
    /// to know of it. That goes to the terminal or to a file for the owner of the data folder, in
    /// the order in which members were added.
    std::function<std::vector<LoginLine>(Json& member)> complete = {};
};

}  // namespace stele::sdk

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/nodes/content_comparison.hpp"
#include "tests/nodes/content_model.hpp"
#include "tests/nodes/content_world.hpp"
#include "tests/nodes/random_source.hpp"

namespace stele::tests {

/// What the master branch of a world holds, for histories to begin with. Both users have made a
/// node on it, so the nodes that stand for them are there.
ModelBranch begin_content(ContentWorld& world);

/// A random history on branches of its own, done by two users to the server and to the model.
/// The same seed makes the same history in any world.
class RandomContent {
public:
    RandomContent(ContentWorld& world, const ModelBranch& base, std::uint64_t seed);

    /// Throws when server and model differ.
    void step();
    /// Every branch at its tip, and some of them in the past.
    void compare_everything();
    /// What was done so far, a line for each step.
    const std::string& story() const { return story_; }

private:
    using Ids = std::vector<std::string>;

    struct Target {
        std::string node;
        std::string other;
        std::string type;
        bool is_undirected = false;
    };

    void fork();
    void reset();
    void create();
    void update();
    void remove();
    void associate();
    void unassociate();
    void move();
    void restore_version();
    void restore_deletion();
    void purge();
    void purge_everything();

    const ModelState& tip() const { return branch().tip(); }
    const ModelBranch& branch() const { return branches_[at_]; }
    /// Nodes of the history itself, and the root.
    Ids own_nodes() const;
    Ids folders() const;
    Ids deletions() const;
    Target random_target();
    ModelChange begin_change();
    sdk::Json random_fields();
    void tell(const ContentWorld::Request& request, bool is_allowed);

    /// Does it to the server and, when it is to be allowed, keeps what the model made of it.
    void carry_out(ModelChange& change, const ContentWorld::Request& request,
                   bool is_allowed = true);
    void learn_ids(ModelChange& change, const sdk::Json& answer);
    void fork_from(const ModelBranch& parent, std::size_t point);

    ContentWorld& world_;
    RandomSource random_;
    ContentComparison comparison_;
    ModelState base_;
    std::vector<ModelBranch> branches_;
    /// Of the present step.
    std::size_t at_ = 0;
    std::size_t user_ = 0;
    /// The node that the change makes, by the id that the model has made up.
    std::string made_;
    std::string story_;
};

}  // namespace stele::tests

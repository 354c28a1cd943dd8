#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>

namespace stele::archives {

/// What the ids of a source became, and the texts in which they stand: ids and references as whole
/// texts, never inside of others.
class Identities {
public:
    /// `substitutions` come first, whatever the text is.
    Identities(std::map<std::string, std::string> substitutions, std::string platform);

    /// Ids that will come; until they are met, what names them is left out.
    void expect(const std::string& id) { expected_.insert(id); }
    void meet(const std::string& id, const std::string& id_here);

    /// The id here; the same where nothing is known of it.
    std::string here(const std::string& id) const;
    bool knows(const std::string& id) const { return met_.contains(id); }

    /// Puts what ids became in the place of each, at any depth. A member whose text names something
    /// that has still to come is taken out; answers the ids of these.
    std::set<std::string> rewrite(sdk::Json& value) const;

private:
    /// The id that has still to come; empty where there is none.
    std::string rewrite_text(std::string& text) const;
    void rewrite(sdk::Json& value, std::set<std::string>& outstanding) const;

    std::map<std::string, std::string> substitutions_;
    std::string platform_;
    std::map<std::string, std::string> met_;
    std::set<std::string> expected_;
};

}  // namespace stele::archives

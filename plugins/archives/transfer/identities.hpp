#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/json.hpp>

namespace stele::archives {

/// What the ids of a source became, and the texts in which they stand: references, ids that a
/// server has made, and of other ids (`default`, `staff`) only members that are called after their
/// type, as `domainId` and `principalDomainId`. Never parts of texts.
class Identities {
public:
    /// The types of the ids in references with a word, the platform first; none for unknown words.
    using ChainTypes = std::function<std::vector<std::string>(const std::string& word)>;

    /// `substitutions` come first, whatever the text is. `platform` is the id of the one here.
    Identities(std::map<std::string, std::string> substitutions, std::string platform,
               ChainTypes chain_types);

    /// Ids that will come; until they are met, what names them is left out.
    void expect(const std::string& type, const std::string& id);
    void meet(const std::string& type, const std::string& id, const std::string& id_here);

    /// The id here; the same where nothing is known of it.
    std::string here(const std::string& type, const std::string& id) const;
    bool knows(const std::string& type, const std::string& id) const;

    /// Puts what ids became in the place of each, at any depth. A member whose text names something
    /// that has still to come is taken out; answers the ids of these.
    std::set<std::string> rewrite(sdk::Json& value) const;

    /// Texts at any depth that are references, by their words and by how many ids they have.
    std::set<std::string> references_in(const sdk::Json& value) const;

private:
    /// Nothing while it has still to come.
    struct Known {
        std::string type;
        std::string here;
        bool is_met = false;
    };

    const Known* find(std::string_view type, const std::string& id) const;
    /// Of a text that is a member's value.
    const Known* find_named(std::string_view member, const std::string& text) const;
    /// The id that has still to come; empty where there is none.
    std::string rewrite_text(std::string_view member, std::string& text) const;
    std::string rewrite_reference(std::string& text) const;
    void rewrite(std::string_view member, sdk::Json& value,
                 std::set<std::string>& outstanding) const;

    std::map<std::string, std::string> substitutions_;
    std::string platform_;
    ChainTypes chain_types_;
    std::map<std::string, std::vector<Known>> known_;
};

}  // namespace stele::archives

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/call.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// A language, perhaps with what narrows it: `de`, `de_DE`. Letter case is evened out; underscore
/// and hyphen mean the same. Empty: none, hence the master.
struct Locale {
    std::string language;
    std::string region;

    bool is_none() const { return language.empty(); }
    friend bool operator==(const Locale&, const Locale&) = default;
};

/// Nothing when the text is no locale.
std::optional<Locale> parse_locale(std::string_view text);
/// What a caller wants to read: the parameter `locale`, else the first usable one of the header
/// `Accept-Language`; `default` means none. `invalid` when the parameter is no locale.
sdk::Result<Locale> wanted_locale(const sdk::Call& call);

/// The edition of a master when none is named (docs/specification/nodes.md 24).
std::string current_edition(const sdk::Json& master);

/// A translation as its association tells.
struct Translation {
    sdk::Document node;
    std::string locale;
    std::string edition;
};

/// Those of a master that whoever acts may READ, oldest first.
sdk::Result<std::vector<Translation>> translations_of(const BranchContent& content,
                                                      const sdk::Document& master);
/// The one of an edition that fits best: the very locale, then the language alone, then the
/// language elsewhere; null when none does.
const Translation* best_translation(const std::vector<Translation>& translations,
                                    std::string_view edition, const Locale& locale);

/// Makes a node the translation of another, both with their features; the master must be one that
/// may be written. `conflict` (`nodes.translation_exists`) when it has one of that locale and
/// edition. Answers the translation.
sdk::Result<sdk::Document> join_translation(const BranchContent& content,
                                            const sdk::Document& master,
                                            const sdk::Document& translation,
                                            const std::string& locale, const std::string& edition);

/// What a plain read of a node answers: its translation in the current edition, or the node itself
/// where it has none that whoever acts may READ.
sdk::Result<sdk::Document> localised(const BranchContent& content, sdk::Document node,
                                     const Locale& locale);

}  // namespace stele::nodes

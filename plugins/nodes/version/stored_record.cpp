#include "stored_record.hpp"

#include <string_view>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/record_space.hpp>

namespace stele::nodes {

namespace {

constexpr std::string_view kBefore = "\"changeset\":\"";
constexpr std::size_t kDigits = 20;
constexpr std::string_view kBehind = "\"}}";
constexpr std::string_view kRoot = "0:root";

bool ends_with_bare_changeset(std::string_view text) {
    if (text.size() < kBefore.size() + kDigits + kBehind.size()) return false;
    text.remove_prefix(text.size() - kBefore.size() - kDigits - kBehind.size());
    const std::string_view digits = text.substr(kBefore.size(), kDigits);
    return text.starts_with(kBefore) && text.ends_with(kBehind) &&
           sdk::hex_bytes(digits).has_value();
}

}  // namespace

bool complete_record(std::string& stored, Revision revision) {
    auto record = sdk::StoredRecord::read(stored);
    if (!record) return false;
    std::string& text = record->text;
    if (ends_with_bare_changeset(text)) {
        const std::size_t id = text.size() - kBehind.size() - kDigits;
        if (revision == 1) {
            text.replace(id, kDigits, kRoot);
        } else {
            text.insert(id, std::to_string(revision - 1) + ':');
        }
    }
    stored = sdk::StoredRecord::with(stored, revision, text);
    return true;
}

}  // namespace stele::nodes

#include <algorithm>

#include <nlohmann/json.hpp>

#include "transfer/import_run.hpp"

namespace stele::archives {

namespace {

bool is_written_by_clients(const sdk::FamilyInfo& family, const std::string& name) {
    const std::vector<std::string>& fields = family.secret_fields;
    return std::find(fields.begin(), fields.end(), name) != fields.end();
}

constexpr char kStaysAway[] =
    ": secrets that stand open in an archive are not taken; they come sealed, or are set here";
constexpr char kNoPassword[] =
    ": passwords and groups of principals are not taken from an archive; they are given here";

}  // namespace

/// What is a secret member of principals is an order to the server and nothing that it keeps: a
/// password to set, groups to be let into. No export has it, and nobody gets it from an archive.
bool ImportRun::has_no_secrets(const sdk::FamilyInfo& family) const {
    return family.container == services_.principals.home_type();
}

void ImportRun::note_open_secrets(const TransferRecord& record, const sdk::FamilyInfo& family) {
    const bool has_some =
        std::any_of(family.secret_fields.begin(), family.secret_fields.end(),
                    [&record](const std::string& name) { return record.fields.contains(name); });
    if (has_some) outcome_.note(record.key + (has_no_secrets(family) ? kNoPassword : kStaysAway));
}

/// Secrets that clients write come with the other members of a record.
sdk::Json ImportRun::written_secrets(const TransferRecord& record,
                                     const sdk::FamilyInfo& family) const {
    sdk::Json written = sdk::Json::object();
    if (has_no_secrets(family)) return written;
    for (const auto& [name, value] : record.secrets.items()) {
        if (is_written_by_clients(family, name)) written[name] = value;
    }
    return written;
}

/// To whoever may not know them they are others, whatever they are.
sdk::Result<bool> ImportRun::has_secrets(const sdk::RecordKey& key,
                                         const sdk::Json& secrets) const {
    if (secrets.empty()) return true;
    auto present = services_.families.secrets(context_, key);
    if (!present && present.error().kind == sdk::ErrorKind::forbidden) return false;
    if (!present) return present.error();
    for (const auto& [name, value] : secrets.items()) {
        const auto here = present->find(name);
        if (here == present->end() || *here != value) return false;
    }
    return true;
}

/// Those that only the server writes.
sdk::Result<void> ImportRun::restore_secrets(const TransferRecord& record,
                                             const sdk::FamilyInfo& family,
                                             const sdk::RecordKey& key) {
    if (record.secrets.empty()) return {};
    if (has_no_secrets(family)) {
        outcome_.note(record.key + kNoPassword);
        return {};
    }
    sdk::Json others = record.secrets;
    for (const std::string& name : family.secret_fields)
        others.erase(name);
    auto restored = others.empty() ? sdk::Result<bool>(true)
                                   : services_.families.restore_secrets(context_, key, others);
    if (!restored) return restored.error();
    if (*restored) {
        ++outcome_.secrets;
        return {};
    }
    outcome_.note(record.key +
                  ": its secrets stay as they are here; what they were in the archive cannot be "
                  "theirs: they are in use, or not to be given by who imports");
    return {};
}

}  // namespace stele::archives

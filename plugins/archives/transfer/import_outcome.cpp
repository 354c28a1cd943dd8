#include "transfer/import_outcome.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/error.hpp>

#include "paths/locations.hpp"

namespace stele::archives {

namespace {

constexpr std::size_t kMaxNotes = 200;
constexpr std::size_t kMaxRefusals = 200;
constexpr std::uint64_t kMaxWrites = 200'000;
constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

sdk::Error too_large(const char* most) {
    return sdk::make_error(sdk::ErrorKind::too_large, "archives.transfer_too_large",
                           std::string("one import writes at most ") + most);
}

}  // namespace

ImportOutcome::ImportOutcome() : imports(sdk::Json::array()), refusals(sdk::Json::array()) {}

void ImportOutcome::note(std::string text) {
    if (notes.size() < kMaxNotes) notes.push_back(sdk::shown_path(text));
}

void ImportOutcome::refuse(const std::string& key, const sdk::Error& error) {
    ++refused;
    refused_names_.insert(key);
    const ReferenceParts parts = reference_parts(key);
    if (!parts.ids.empty()) refused_names_.insert(parts.ids.back());
    if (refusals.size() == kMaxRefusals) return;
    refusals.push_back({{"key", sdk::shown_path(key)},
                        {"code", error.code},
                        {"message", sdk::shown_path(error.message)}});
}

bool ImportOutcome::is_refused(const std::string& name) const {
    return refused_names_.contains(name) || refused > refusals.size();
}

sdk::Result<void> ImportOutcome::count_write(const sdk::Json& says) {
    if (++writes_ > kMaxWrites)
        return too_large("200,000 records, roles, teams, members, grants and assignments");
    if (!says.is_null()) bytes_ += sdk::dump_json(says).size();
    if (bytes_ > kMaxBytes) return too_large("256 MiB of records beside the content of branches");
    return {};
}

}  // namespace stele::archives

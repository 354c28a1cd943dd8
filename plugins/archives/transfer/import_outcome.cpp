#include "transfer/import_outcome.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/error.hpp>

namespace stele::archives {

namespace {

constexpr std::size_t kMaxNotes = 200;
constexpr std::uint64_t kMaxWrites = 200'000;

}  // namespace

ImportOutcome::ImportOutcome() : imports(sdk::Json::array()) {}

void ImportOutcome::note(std::string text) {
    if (notes.size() < kMaxNotes) notes.push_back(sdk::shown_path(text));
}

sdk::Result<void> ImportOutcome::count_write() {
    if (++writes_ <= kMaxWrites) return {};
    return sdk::make_error(sdk::ErrorKind::too_large, "archives.transfer_too_large",
                           "one import writes at most 200,000 records, roles, teams, members, "
                           "grants and assignments");
}

}  // namespace stele::archives

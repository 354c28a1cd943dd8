#include "transfer/import_outcome.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/error.hpp>

namespace stele::archives {

namespace {

constexpr std::size_t kMaxNotes = 200;

}  // namespace

ImportOutcome::ImportOutcome() : imports(sdk::Json::array()) {}

void ImportOutcome::note(std::string text) {
    if (notes.size() < kMaxNotes) notes.push_back(sdk::shown_path(text));
}

}  // namespace stele::archives

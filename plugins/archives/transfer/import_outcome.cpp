#include "transfer/import_outcome.hpp"

#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

constexpr std::size_t kMaxNotes = 1000;

}  // namespace

ImportOutcome::ImportOutcome() : imports(sdk::Json::array()) {}

void ImportOutcome::note(std::string text) {
    if (notes.size() < kMaxNotes) notes.push_back(std::move(text));
}

}  // namespace stele::archives

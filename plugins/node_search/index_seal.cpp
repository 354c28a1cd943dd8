#include "index_seal.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/seal.hpp>

namespace stele::node_search {

namespace {

namespace fs = std::filesystem;

constexpr char kSealName[] = "stele.seal";
constexpr std::size_t kDigestedPiece = std::size_t{1} << 20U;

/// Of the digests of its pieces; empty when it cannot be read.
std::string digest_of_file(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string digests;
    std::string piece(kDigestedPiece, '\0');
    while (stream) {
        stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        const auto count = static_cast<std::size_t>(stream.gcount());
        digests += sdk::token_digest(std::string_view(piece).substr(0, count));
    }
    return stream.eof() ? sdk::hex_text(sdk::token_digest(digests)) : std::string();
}

/// By name; the lock and the seal hold nothing of the index.
std::map<std::string, std::string> digests_in(const fs::path& folder, std::error_code& problem) {
    std::map<std::string, std::string> digests;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
         entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        if (name != kSealName && name != "flintlock") digests[name] = digest_of_file(entry->path());
    }
    return digests;
}

std::string sealed_text(const std::map<std::string, std::string>& digests) {
    std::string text;
    for (const auto& [name, digest] : digests)
        text += name + ' ' + digest + '\n';
    return text + "seal " + sdk::hex_text(sdk::token_digest(text)) + '\n';
}

sdk::Error seal_failed(const fs::path& folder, const std::string& reason) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "node_search.index_unavailable",
                           "the search index cannot be used at present",
                           "search index " + folder.string() + ": its seal: " + reason);
}

}  // namespace

sdk::Result<void> write_index_seal(const fs::path& folder) {
    std::error_code problem;
    const auto digests = digests_in(folder, problem);
    if (problem) return seal_failed(folder, problem.message());
    const fs::path file = folder / kSealName;
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << sealed_text(digests);
    stream.close();
    if (stream) return {};
    fs::remove(file, problem);
    return seal_failed(folder, "it cannot be written");
}

std::string broken_index_seal(const fs::path& folder) {
    std::error_code problem;
    if (!fs::exists(folder / kSealName, problem)) return {};
    std::ifstream stream(folder / kSealName, std::ios::binary);
    std::ostringstream sealed;
    sealed << stream.rdbuf();
    const auto digests = digests_in(folder, problem);
    if (problem) return folder.string();
    if (sealed.str() == sealed_text(digests)) return {};
    for (const auto& [name, digest] : digests)
        if (sealed.str().find(name + ' ' + digest + '\n') == std::string::npos) return name;
    return kSealName;
}

sdk::Result<void> remove_index_seal(const fs::path& folder) {
    std::error_code problem;
    fs::remove(folder / kSealName, problem);
    if (problem) return seal_failed(folder, problem.message());
    return {};
}

}  // namespace stele::node_search

// Arbitrary bytes as a form: a line with the Content-Type, then the body. However it is cut, it
// gives the same parts or the same failure, and no more bytes than went in.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/multipart.hpp>

#include "tests/fuzz/fuzz_check.hpp"

namespace {

using namespace stele;
using stele::testing::fuzz_check;

constexpr std::size_t kMaxParts = 20;

class CutUpload final : public sdk::Upload {
public:
    CutUpload(std::string_view text, std::size_t size) : text_(text), size_(size) {}

    sdk::Result<void> read(std::string& piece) override {
        piece = text_.substr(0, size_);
        text_.remove_prefix(piece.size());
        return {};
    }

private:
    std::string_view text_;
    std::size_t size_;
};

/// All that a reader tells, in one text.
std::string told_of(std::string_view type, std::string_view form, std::size_t piece_size) {
    CutUpload upload(form, piece_size);
    auto reader = sdk::MultipartReader::open(upload, type, kMaxParts);
    if (!reader) return reader.error().code;
    std::string told;
    std::size_t bytes = 0;
    while (true) {
        auto part = reader->next();
        if (!part) return told + '\n' + part.error().code + part.error().message;
        if (!*part) break;
        const std::string file_name = (*part)->file_name.value_or("(none)");
        told += '\n' + (*part)->name + '\n' + file_name + '\n' + (*part)->content_type + '\n';
        std::string piece;
        do {
            if (auto read = reader->read(piece); !read) return told + '\n' + read.error().message;
            told += piece;
            bytes += piece.size();
        } while (!piece.empty());
    }
    fuzz_check(bytes <= form.size());
    const auto again = reader->next();
    fuzz_check(again.has_value() && !again->has_value());
    return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(input.find('\n'), input.size());
    const std::string_view type = input.substr(0, line);
    const std::string_view form = input.substr(std::min(line + 1, input.size()));
    const std::string whole = told_of(type, form, input.size() + 1);
    for (const std::size_t piece : {1, 7, 100})
        fuzz_check(told_of(type, form, piece) == whole);
    return 0;
}

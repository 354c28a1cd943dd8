#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/unnamed_file.hpp>

namespace stele::archives {

/// A JSON array or object that comes element by element, in a file without a name until it is
/// written somewhere. One thread; failures are those of `sdk::UnnamedFile`.
class JsonSpool {
public:
    enum class Kind : char { array, object };

    JsonSpool(std::filesystem::path scratch, Kind kind)
        : scratch_(std::move(scratch)), kind_(kind) {}

    /// An element's JSON text; of an object with its name and a colon.
    sdk::Result<void> add(std::string_view element);
    /// The text of all, once; the spool outlives it.
    sdk::PieceSource read();

private:
    std::filesystem::path scratch_;
    Kind kind_;
    /// Made with the first element.
    std::optional<sdk::UnnamedFile> file_;
};

}  // namespace stele::archives

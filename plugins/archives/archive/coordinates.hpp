#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/error.hpp>

namespace stele::archives {

/// What an archive is found by in its vault; empty texts are not known.
struct Coordinates {
    std::string group;
    std::string artifact;
    std::string version;

    bool is_complete() const { return !group.empty() && !artifact.empty() && !version.empty(); }
    friend bool operator==(const Coordinates&, const Coordinates&) = default;
};

/// `{group}-{artifact}-{version}.zip`.
std::string archive_file_name(const Coordinates& coordinates);

/// Reads such a name, which may have hyphens in its artifact: the group ends at the first hyphen,
/// and the version begins behind the last hyphen that a digit follows, or else behind the last one
/// (`1.0.0-SNAPSHOT` is one version, `my-site-2-1.0.0` has the artifact `my-site-2`). Nothing where
/// it has not three parts.
std::optional<Coordinates> coordinates_of_file(std::string_view file_name);

/// `given` first; what it leaves open is what the manifest says, then what the file's name says.
/// The artifact comes from the name before the manifest where the name begins with the group and
/// ends with the version: the parts of a package have the same manifest but for their names.
Coordinates complete_coordinates(const Coordinates& given, const Coordinates& manifest,
                                 std::string_view file_name);

/// A violation for each that is missing, longer than 255 bytes, or has slashes, backslashes or
/// control characters.
void check_coordinates(const Coordinates& coordinates, sdk::Violations& violations);

}  // namespace stele::archives

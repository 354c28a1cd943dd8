#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/services/families.hpp>

/// Where things lie in an archive (docs/reference/archive-format.md).
namespace stele::archives {

/// `platforms/{id}`.
std::string platform_location(std::string_view platform);
/// Of a record in the folder of its container: the family's path, its placeholders filled in with
/// what the record says, and the id.
std::string record_location(std::string_view container, const sdk::FamilyInfo& family,
                            const sdk::Json& fields, std::string_view id);
/// What a record says for each placeholder of its family's path.
std::vector<std::string> placeholder_values(const sdk::FamilyInfo& family, const sdk::Json& fields);
/// `{repository}/changesets/{id}`, with `_` for the colon.
std::string changeset_location(std::string_view repository, std::string_view changeset);
/// The id of a changeset in a folder.
std::string changeset_of_location(std::string_view folder);
/// An id as the name of a file or a folder, and back.
std::string path_segment(std::string_view id);
std::string id_of_segment(std::string_view segment);
/// The name of a file for an attachment: its id, and the extension of its file name where that is a
/// plain one.
std::string attachment_file_name(std::string_view id, std::string_view file_name);

/// What a reference is made of.
struct ReferenceParts {
    std::string word;
    std::vector<std::string> ids;

    std::string text() const;
};
ReferenceParts reference_parts(std::string_view reference);

}  // namespace stele::archives

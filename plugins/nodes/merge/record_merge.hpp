#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/json.hpp>

#include "merge/value_merge.hpp"

namespace stele::nodes {

/// What of a node's or association's record is merged: all but what the server alone says of it in
/// its branch. Attachments stay where they are, in `_system`.
sdk::Json merged_part(const sdk::Json& record);
/// What properties at these paths, which stand for associations (branch/relation_elements.hpp),
/// name on any branch of the repository they name on the branch whose nodes' references begin with
/// `address`: each branch has the same nodes under the same ids.
void name_nodes_of(std::string_view address, const std::vector<std::string>& paths,
                   sdk::Json& part);
/// Whether two are the same; nothing stands for a record that is not there.
bool is_same_part(const std::optional<sdk::Json>& one, const std::optional<sdk::Json>& other);

/// The attachments of such a part, an object, and what else it says.
sdk::Json attachments_in(const sdk::Json& part);
sdk::Json fields_in(sdk::Json part);
/// Path of an attachment in conflicts.
std::string attachment_path(std::string_view id);
bool is_attachment_path(std::string_view path);

/// Merges such parts: the fields as values, attachments each as a whole. `base` is null where both
/// sides have made the record.
ValueMerge merge_records(const sdk::Json* base, const sdk::Json& source, const sdk::Json& target,
                         const ValueMergeOptions& options);

/// The same of records that may be missing, for a base that is put together: of a conflict the
/// first side holds, and of a removal and a change the change.
std::optional<sdk::Json> join_records(const std::optional<sdk::Json>& base,
                                      const std::optional<sdk::Json>& one,
                                      const std::optional<sdk::Json>& other);

}  // namespace stele::nodes

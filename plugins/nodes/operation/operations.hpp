#pragma once

#include <stele/sdk/descriptor.hpp>

namespace stele::nodes {

/// Operations of `{BR}/nodes` and `{BR}/nodes/{nodeId}`, a function for each topic; each is in the
/// source of that name.
sdk::Actions node_actions();
sdk::Actions node_record_actions();       ///< patch, bulk forms, touch, predelete
sdk::Actions node_repair_actions();       ///< refresh, recreate, repair
sdk::Actions node_association_actions();  ///< associate, associations, children, relatives
sdk::Actions node_traversal_actions();    ///< traverse, find, search
sdk::Actions node_folder_actions();       ///< paths, tree, move, copy
sdk::Actions node_mount_actions();        ///< mount, unmount and locks
sdk::Actions node_attachment_actions();
sdk::Actions node_version_actions();
sdk::Actions node_member_history_actions();  ///< history
sdk::Actions node_feature_actions();         ///< features, change_qname, change_type
sdk::Actions node_translation_actions();
sdk::Actions node_list_actions();  ///< lists that a node owns
sdk::Actions node_form_actions();  ///< forms, type
sdk::Actions node_undelete_actions();
sdk::Actions node_unzip_actions();
sdk::Actions node_transform_actions();

/// Operations of `{BR}`.
sdk::Actions branch_actions();
sdk::Actions branch_folder_actions();       ///< movenodes, lookup
sdk::Actions branch_publishing_actions();   ///< copyfrom, publish, unpublish
sdk::Actions branch_translation_actions();  ///< i18n/add
sdk::Actions branch_qname_actions();        ///< qnames/generate
sdk::Actions branch_list_actions();         ///< lists by key
sdk::Actions branch_blog_actions();
sdk::Actions branch_definition_actions();   ///< definitions, forms, schemas
sdk::Actions branch_principal_actions();    ///< person and group acquire
sdk::Actions branch_history_actions();      ///< history/changesets and the like
sdk::Actions branch_difference_actions();   ///< diff/start
sdk::Actions branch_change_actions();       ///< changes/start, export and invalidate
sdk::Actions branch_merge_actions();        ///< merge, merge/start, merges
sdk::Actions branch_index_actions();        ///< indexes
sdk::Actions branch_maintenance_actions();  ///< validate/start, admin/...

/// Operations of `{R}/branches`, which `branch_actions` has beside those of one branch.
sdk::Actions branch_record_actions();  ///< create, reset, archive, info, pull/sources

/// Operations of `{R}`.
sdk::Actions repository_actions();
sdk::Actions repository_changeset_actions();  ///< changesets
sdk::Actions repository_snapshot_actions();   ///< snapshots
sdk::Actions repository_file_actions();       ///< files

/// Operations of `{BR}/deletions`.
sdk::Actions deletion_actions();

}  // namespace stele::nodes

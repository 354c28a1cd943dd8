#include "operation/operations.hpp"

#include <initializer_list>
#include <iterator>

namespace stele::nodes {

namespace {

/// `reads_others`: not only the record that is addressed, whose size is looked at beforehand.
sdk::Actions joined(bool reads_others, std::initializer_list<sdk::Actions (*)()> topics) {
    sdk::Actions all;
    for (const auto& topic : topics) {
        sdk::Actions actions = topic();
        // What is written takes time that its size does not tell: schemas are compiled, whatever
        // lies below goes along.
        for (sdk::Action& action : actions)
            action.slow = action.slow || action.method != "GET" || reads_others;
        all.insert(all.end(), std::make_move_iterator(actions.begin()),
                   std::make_move_iterator(actions.end()));
    }
    return all;
}

}  // namespace

sdk::Actions node_actions() {
    return joined(false, {node_record_actions, node_repair_actions, node_association_actions,
                          node_traversal_actions, node_folder_actions, node_mount_actions,
                          node_attachment_actions, node_version_actions,
                          node_member_history_actions, node_feature_actions,
                          node_translation_actions, node_list_actions, node_form_actions,
                          node_undelete_actions, node_unzip_actions, node_transform_actions});
}

sdk::Actions branch_actions() {
    return joined(true, {branch_record_actions, branch_folder_actions, branch_publishing_actions,
                         branch_translation_actions, branch_qname_actions, branch_list_actions,
                         branch_blog_actions, branch_definition_actions, branch_principal_actions,
                         branch_history_actions, branch_difference_actions, branch_change_actions,
                         branch_merge_actions, branch_index_actions, branch_maintenance_actions});
}

sdk::Actions repository_actions() {
    return joined(false, {repository_changeset_actions, repository_file_actions,
                          repository_snapshot_actions});
}

}  // namespace stele::nodes

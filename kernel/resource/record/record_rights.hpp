#pragma once

#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/services/principal_directory.hpp>

#include "kernel/authority/record_tree.hpp"
#include "kernel/resource/record/platforms.hpp"
#include "kernel/resource/record/records.hpp"
#include "kernel/resource/record/references.hpp"

namespace stele::kernel::resource {

/// What the evaluation of rights asks of records and their families. Any thread.
class RecordRights final : public authority::RecordTree {
public:
    RecordRights(const Records& records, const References& references, Platforms& platforms)
        : records_(records), references_(references), platforms_(platforms) {}

    sdk::Result<std::optional<sdk::RecordKey>> container_of(const sdk::Reader& reader,
                                                            const sdk::RecordKey& record) override;
    sdk::Result<sdk::PolicySubject> subject(const sdk::Reader& reader,
                                            const sdk::RecordKey& record) override;
    sdk::Result<sdk::PermissionSet> open_permissions(const sdk::Reader& reader,
                                                     const sdk::RecordKey& record) override;
    bool is_container(const sdk::RecordKey& record) override;
    sdk::Result<bool> has_reaching_grants(const sdk::Reader& reader,
                                          const sdk::RecordKey& record) override;
    sdk::Result<bool> has_own_rights(const sdk::Reader& reader,
                                     const sdk::RecordKey& record) override;
    sdk::Result<bool> is_of_everyone(const sdk::Reader& reader,
                                     const sdk::RecordKey& principal) override;
    sdk::Result<std::vector<std::string>> roles_of(const sdk::Reader& reader,
                                                   const sdk::RecordKey& record,
                                                   const sdk::RecordKey& principal) override;
    sdk::Result<std::vector<sdk::RecordKey>> inherits_from(const sdk::Reader& reader,
                                                           const sdk::RecordKey& record) override;
    sdk::Result<std::vector<sdk::RecordKey>> origins_of(const sdk::Reader& reader,
                                                        const sdk::RecordKey& record) override;
    sdk::Result<std::vector<sdk::RecordKey>> origins_inside(
        const sdk::Reader& reader, const sdk::RecordKey& container) override;
    sdk::Result<std::optional<sdk::RecordKey>> record_inside(
        const sdk::Reader& reader, const sdk::RecordKey& record,
        const sdk::RecordKey& container) override;

    /// Whether what the principal started may go on (`sdk::PrincipalDirectory::may_act`).
    sdk::Result<bool> may_act(const sdk::Reader& reader, const sdk::RecordKey& principal);

    /// Knows principals, among them who is one of `everyone`. Before serving begins.
    void set_principals(sdk::PrincipalDirectory* principals) { principals_ = principals; }

private:
    sdk::Result<sdk::SpaceCollection> collection_of_record(const sdk::Reader& reader,
                                                           const sdk::RecordKey& record) const;
    /// The record as a store that others lie in.
    sdk::Result<sdk::PolicySubject::Store> store_of(const sdk::Reader& reader,
                                                    const sdk::RecordKey& record);
    sdk::Result<std::vector<sdk::PolicySubject::Store>> stores_of(const sdk::Reader& reader,
                                                                  const sdk::RecordKey& key);
    sdk::Result<std::vector<sdk::PolicySubject::Origin>> policy_origins(const sdk::Reader& reader,
                                                                        const sdk::RecordKey& key);
    sdk::Result<std::vector<sdk::PolicySubject::Project>> projects_of(const sdk::Reader& reader,
                                                                      const sdk::RecordKey& record);

    const Records& records_;
    const References& references_;
    Platforms& platforms_;
    sdk::PrincipalDirectory* principals_ = nullptr;
};

/// What policies may ask of each family.
std::vector<sdk::PolicyFamily> policy_families(const Registry& registry);

}  // namespace stele::kernel::resource

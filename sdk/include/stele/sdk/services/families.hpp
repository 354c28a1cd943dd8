#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/resource.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// What a family's descriptor tells whoever walks through records of any family.
struct FamilyInfo {
    std::string type;
    /// Type of the container.
    std::string container;
    /// Below the container's path; may have placeholders that name members.
    std::string path;
    /// These members in the order of the path, as an operation on the collection takes their
    /// values.
    std::vector<std::string> part_members;
    std::string title;
    /// `ResourceDescriptor::reference_type_member`.
    std::string reference_type_member;
    bool has_teams = false;
    bool has_roles = false;
    /// Kept by the kernel; those of records in spaces are not.
    bool has_attachments = false;
    bool has_space = false;
    /// The family has export and import (`Operations::transfer`).
    bool is_transferred = false;
    /// Clients make its records.
    bool is_created = false;
    bool is_updated = false;
    /// Fields that lead to a record in place of its id, or are unique in its collection.
    std::vector<std::string> unique_fields;
    /// `ResourceDescriptor::unmoved_members`.
    std::vector<std::string> unmoved_members;
    /// It declares secret fields, whoever writes them.
    bool has_secrets = false;
    /// Secret fields that clients write.
    std::vector<std::string> secret_fields;
    /// Fields that a record must have.
    std::vector<std::string> required_fields;
    /// Types of what lies in its records, in the order in which they were added.
    std::vector<std::string> contained;
};

/// The families of the server and the tree of their records. Published by the kernel. Any thread.
class Families {
public:
    virtual ~Families();

    /// Null when no enabled plugin offers it. Only after plugins are opened.
    virtual const FamilyInfo* find(std::string_view type) const = 0;
    /// By the word of a reference, without regard to case.
    virtual const FamilyInfo* find_word(std::string_view word) const = 0;
    /// Of a record; null when no enabled plugin offers it.
    virtual Result<const FamilyInfo*> of(Context& context, const RecordKey& record) const = 0;
    /// The record around it; nothing for the platform's root.
    virtual Result<std::optional<RecordKey>> container_of(Context& context,
                                                          const RecordKey& record) const = 0;
    /// Keys of the records of a type in a container, in the order in which they were made, whoever
    /// may read them, until `visit` answers false. Not of families with a space.
    virtual Result<void> for_each(
        Context& context, std::string_view type, const RecordKey& container,
        const std::function<Result<bool>(const RecordKey& record)>& visit) const = 0;

    /// `Resource::companions` of the record's family.
    virtual Result<std::vector<Companion>> companions(Context& context,
                                                      const RecordKey& record) const = 0;
    /// `Resource::accompany`.
    virtual Result<void> accompany(Context& context, const RecordKey& record,
                                   const Companion& companion) const = 0;

    /// The secrets of a record in clear, for an export that seals them: an object, empty where it
    /// has none (`Resource::complete_secrets`). `forbidden` without MODIFY_CREDENTIALS on it.
    virtual Result<Json> secrets(Context& context, const RecordKey& record) const = 0;
    /// `Resource::restore_secrets`. `forbidden` without MODIFY_CREDENTIALS on the record.
    virtual Result<bool> restore_secrets(Context& context, const RecordKey& record,
                                         const Json& secrets) const = 0;
};

}  // namespace stele::sdk

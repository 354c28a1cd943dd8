#pragma once

#include <string>
#include <vector>

#include <stele/sdk/json.hpp>

#include "http_client.hpp"
#include "transferred_families.hpp"

namespace stele::conformance {

/// What every family must do, checked from outside: the standard operations, permissions, pages and
/// errors that the kernel derives from a descriptor. A family gives a collection path, documents
/// that are valid and documents that are not with the field at fault:
///
///     {"collection": "/notes", "valid": [{"title": "Milk"}],
///      "invalid": [{"document": {}, "path": "title"}]}
///
/// One whose records must differ in a text names its member: `"unique": "name"`.
///
/// A family with the capability `data_store` says so (`"data_store": true`) and, where it contains
/// others, names one of them: `"contained": {"collection": "emails", "valid": {"to": "a@b.c"}}`.
///
/// A family with `Operations::transfer` is exported and imported, too. Nothing is said for that,
/// but for what `ResourceDescriptor::unmoved_members` names: `"unmoved": ["identityId"]`.
class Suite {
public:
    /// `admin` may do everything, `stranger` is a user without any grant.
    /// `transferred` outlives this.
    Suite(const sdk::Json& family, const TransferredFamilies& transferred, HttpClient admin,
          HttpClient stranger, std::string stranger_id);

    /// Runs all checks; answers the sentences of those that failed.
    std::vector<std::string> run();
    int checks() const { return checks_; }

private:
    void check(bool is_right, const std::string& sentence, const Answer& answer);
    std::string create(const sdk::Json& document);
    void create_and_read_back();
    void refuse_invalid_documents();
    void update_and_remove();
    void list_and_page();
    void keep_strangers_out();
    void grant_and_revoke();
    void answer_unknown_records();
    // suite_data_store.cpp
    void be_a_data_store();
    void keep_what_the_server_sets();
    void lock_and_unlock();
    void break_a_lock();
    void count_what_it_holds();
    void keep_within_its_size();
    void open_to_everybody();
    std::string create_inside(const std::string& store);
    // suite_transfer.cpp
    void be_transferred();
    /// Gives a record an attachment, rights, a role of its own and a team, as far as it can have
    /// them.
    void furnish(const std::string& path);
    void check_copy(const std::string& path, const std::string& copy, sdk::Json document);
    sdk::Json read(const std::string& path);
    /// The record at `path` with these members, as an update.
    Answer change(const std::string& path, const sdk::Json& members);

    const TransferredFamilies& transferred_;
    std::string collection_;
    std::vector<sdk::Json> valid_;
    std::vector<sdk::Json> invalid_;
    /// A member that no two records may have the same of; empty: none.
    std::string unique_;
    /// Members that no export has.
    std::vector<std::string> unmoved_;
    bool is_data_store_ = false;
    /// Path below the instance, and a valid document, of what a data store contains.
    std::string contained_;
    sdk::Json contained_document_;
    HttpClient admin_;
    HttpClient stranger_;
    std::string stranger_id_;
    std::vector<std::string> failures_;
    int checks_ = 0;
};

}  // namespace stele::conformance

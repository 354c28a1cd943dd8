#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "http_client.hpp"

namespace stele::conformance {

/// What can be read of a record: itself, and what lies beside it without the ids that a copy cannot
/// have.
struct RecordState {
    sdk::Json record;
    /// Tells its version.
    std::string tag;
    /// `attachments` by id with their bytes, `acl` by principal, `roles` by key, `teams` by key
    /// with their roles and members. None of what the family does not have.
    sdk::Json beside;

    static RecordState read(const HttpClient& admin, const std::string& path);
    bool operator==(const RecordState&) const = default;
};

/// One record on its way through an archive. Each instance writes an archive of its own.
class RecordTransfer {
public:
    explicit RecordTransfer(HttpClient admin);

    /// The finished job, or what went wrong instead.
    Answer export_record(const std::string& path) const;
    /// `container` is empty for the platform. The finished job, or what went wrong instead.
    Answer import_into(const std::string& container, const std::string& strategy,
                       const sdk::Json& substitutions = sdk::Json::object()) const;

private:
    Answer run(const std::string& path, const sdk::Json& configuration) const;

    HttpClient admin_;
    std::string place_;
};

/// Whether an answer is a job that has ended well.
bool is_finished(const Answer& job);
/// The id of what an import has made or met; empty when it tells none.
std::string imported_id(const Answer& job);

/// Exports a record and imports it as a clone into `container`, which is to change nothing; answers
/// what it did instead, or nothing.
std::string change_by_clone(const HttpClient& admin, const std::string& path,
                            const std::string& container);

}  // namespace stele::conformance

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/gifts/gift_world.hpp"

namespace stele::kernel::gifts {

/// The files of an archive by their paths.
using ArchiveFiles = std::map<std::string, std::string>;

/// What an operation answers, as JSON.
sdk::Result<sdk::Json> json_of(sdk::Result<sdk::Reply> reply);

/// An archive of the platform's vault, opened by the server itself.
ArchiveFiles read_archive(GiftServer& server, const std::string& id);
/// Uploads one as the server itself, under `walk`, `artifact` and `1`; these principals may READ
/// it.
void put_archive(GiftServer& server, const std::string& artifact, const ArchiveFiles& files,
                 const std::vector<sdk::RecordKey>& readers);

/// A line for each thing in an export of a place that whoever made it may not read by the usual
/// operations, or that is not what these answer, and for each record that it should hold and lacks.
std::vector<std::string> mistakes_of_export(const GiftWorld& world, const Person& exporter,
                                            const Place& place, const ArchiveFiles& files);

/// Every record of the platform at one moment: what it says, where it lies, and what somebody may
/// do with it.
class RecordTable {
public:
    RecordTable(const GiftWorld& world, const Person& person);

    struct Row {
        std::string type;
        std::optional<sdk::RecordKey> container;
        sdk::Json fields;
        sdk::PermissionSet permissions;
    };
    /// Users and groups that are here and were not there before, but for the groups of teams.
    std::vector<sdk::RecordKey> new_principals(const RecordTable& before) const;
    /// A line for each record of these types that is new in a container, or changed, or gone,
    /// which the person could not do by the rights of before.
    std::vector<std::string> mistakes_since(const RecordTable& before,
                                            const std::set<std::string>& types) const;
    const std::map<sdk::RecordKey, Row>& rows() const { return rows_; }

private:
    void add(const GiftWorld& world, const Person& person, sdk::Context& context,
             const sdk::RecordKey& key, const std::optional<sdk::RecordKey>& container);

    std::map<sdk::RecordKey, Row> rows_;
    std::set<sdk::RecordKey> groups_of_teams_;
};

/// `platform`, ..., down to a record, as manifests tell it.
sdk::Json chain_of(sdk::Context& context, const sdk::RecordKey& key);
/// The folder of a place in an archive.
std::string folder_of(const Place& place);
/// The place is the other one, or lies in it.
bool lies_in(const Place& place, const Place& other);

}  // namespace stele::kernel::gifts

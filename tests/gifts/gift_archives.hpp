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
/// These principals have the role on one that is there.
void share_archive(GiftServer& server, const std::string& id,
                   const std::vector<sdk::RecordKey>& holders, const char* role = "consumer");
sdk::RecordKey key_of_archive(GiftServer& server, const std::string& id);

/// A line for each thing in an export of a place that whoever made it may not read by the usual
/// operations, or that is not what these answer, and for each record that it should hold and lacks.
/// One that is sealed has the secrets that these answer.
std::vector<std::string> mistakes_of_export(const GiftWorld& world, const Person& exporter,
                                            const Place& place, const ArchiveFiles& files,
                                            bool is_sealed);

/// `platform`, ..., down to a record, as manifests tell it.
sdk::Json chain_of(sdk::Context& context, const sdk::RecordKey& key);
/// The folder of a place in an archive.
std::string folder_of(const Place& place);
/// The place is the other one, or lies in it.
bool lies_in(const Place& place, const Place& other);

}  // namespace stele::kernel::gifts

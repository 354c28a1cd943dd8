#include "transfer/transfer_source.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/error.hpp>

namespace stele::archives {

TransferRecord::TransferRecord()
    : fields(sdk::Json::object()),
      acl(sdk::Json::array()),
      roles(sdk::Json::array()),
      teams(sdk::Json::array()),
      members(sdk::Json::array()),
      targets(sdk::Json::array()),
      policies(sdk::Json::array()),
      secrets(sdk::Json::object()) {}

TransferSubject::TransferSubject() : chain(sdk::Json::array()) {}

TransferSource::~TransferSource() = default;

sdk::Error subject_missing(const TransferSubject& subject) {
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.transfer_subject_missing",
                           "the archive is about a " + subject.type + " " +
                               sdk::shown_path(subject.id) + " that is not in it");
}

}  // namespace stele::archives

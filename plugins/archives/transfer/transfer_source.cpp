#include "transfer/transfer_source.hpp"

#include <nlohmann/json.hpp>

namespace stele::archives {

TransferRecord::TransferRecord()
    : fields(sdk::Json::object()),
      acl(sdk::Json::array()),
      roles(sdk::Json::array()),
      teams(sdk::Json::array()),
      members(sdk::Json::array()) {}

TransferSubject::TransferSubject() : chain(sdk::Json::array()) {}

TransferSource::~TransferSource() = default;

}  // namespace stele::archives

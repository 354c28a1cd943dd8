#include <stele/sdk/services/record_transfer.hpp>

#include "kernel/resource/operations/operations.hpp"

namespace stele::kernel::resource {

sdk::Result<sdk::Reply> export_record(RoutedCall& call) {
    return call.services().transfer->start_export(call, call.record_key());
}

sdk::Result<sdk::Reply> import_record(RoutedCall& call) {
    return call.services().transfer->start_import(call, call.record_key());
}

}  // namespace stele::kernel::resource

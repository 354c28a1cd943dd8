#pragma once

#include <string>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/record/name_table.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::testing {

/// Makes a record what a store of the first format would hold of it: bytes, entries of the
/// automatic indexes and counters (`EntryForm::each`). For collections outside of spaces, and in a
/// space with its transaction.
sdk::Result<void> age_record(sdk::Transaction& transaction, kernel::storage::NameTable& names,
                             const std::vector<std::string>& unindexed,
                             const kernel::storage::Record& record);

}  // namespace stele::testing

#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

Services::Services(std::unique_ptr<sdk::Engine> opened_engine, sdk::Sealer opened_sealer)
    : engine(std::move(opened_engine)),
      sealer(std::move(opened_sealer)),
      names(*engine),
      documents(*engine, names),
      platforms(*engine, documents),
      records(registry, documents, platforms, sealer),
      references(records),
      rights(records, references, platforms),
      authorities(rights),
      authority_cache(authorities, rights, *engine) {}

}  // namespace stele::kernel::resource

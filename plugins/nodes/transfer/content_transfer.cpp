#include "transfer/content_transfer.hpp"

#include "branch/loading.hpp"
#include "transfer/content_export.hpp"
#include "transfer/content_import.hpp"

namespace stele::nodes {

sdk::Result<std::unique_ptr<sdk::ContentSource>> ContentTransfer::open(
    sdk::Context& context, const sdk::ContentSelection& selection,
    sdk::ContentOmissions& omissions) {
    return open_export(services_, context, selection, omissions);
}

sdk::Result<void> ContentTransfer::expect(sdk::Context& context) {
    return expect_content(services_, context);
}

sdk::Result<sdk::ContentReport> ContentTransfer::import(sdk::Context& context,
                                                        sdk::ContentSource& source,
                                                        const sdk::ContentTarget& target) {
    return import_content(services_, context, source, target);
}

sdk::Result<void> ContentTransfer::move_on(sdk::Context& context) {
    return Changes::of(context, services_.branches).move_on(context);
}

}  // namespace stele::nodes

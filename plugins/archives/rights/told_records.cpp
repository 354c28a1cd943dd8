#include "rights/told_records.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

class NotingSource final : public sdk::ContentSource {
public:
    NotingSource(sdk::ContentSource& source, sdk::TextTable& nodes, std::string reference)
        : source_(source), nodes_(nodes), reference_(std::move(reference)) {}

    sdk::Result<void> for_each(const Visit& visit) override {
        return source_.for_each([&](sdk::ContentItem item) -> sdk::Result<void> {
            if (auto noted = nodes_.put(reference_ + item.id, {}); !noted) return noted;
            return visit(std::move(item));
        });
    }
    bool reads_context() const override { return source_.reads_context(); }

private:
    sdk::ContentSource& source_;
    sdk::TextTable& nodes_;
    const std::string reference_;
};

/// What is gone nobody has lost a right on. What some families and the root of a branch say is told
/// without a right on the record itself.
sdk::Result<bool> has_lost(sdk::Context& context, sdk::Context& former,
                           const sdk::RecordKey& record) {
    auto may = sdk::holds(context, record, sdk::Permission::read);
    if (may && *may) return false;
    if (!may && !sdk::is_missing(may.error())) return may;
    if (record != context.platform().root) {
        auto present = context.documents().read(record);
        if (!present && sdk::is_missing(present.error())) return false;
        if (!present) return present.error();
    }
    return sdk::holds(former, record, sdk::Permission::read);
}

}  // namespace

void ToldRecords::clear() {
    records_.clear();
    secrets_.clear();
    whole_.clear();
    nodes_ = sdk::TextTable(scratch_);
}

std::unique_ptr<sdk::ContentSource> ToldRecords::noting(sdk::ContentSource& source,
                                                        std::string reference) {
    return std::make_unique<NotingSource>(source, nodes_, std::move(reference));
}

sdk::Result<bool> ToldRecords::is_secret_lost(sdk::Context& context,
                                              const sdk::Families& families) const {
    for (const auto& [record, names] : secrets_) {
        auto present = families.secrets(context, record);
        if (!present && sdk::is_missing(present.error())) continue;
        if (!present && present.error().kind == sdk::ErrorKind::forbidden) {
            auto is_there = context.documents().read(record);
            if (is_there) return true;
            if (sdk::is_missing(is_there.error())) continue;
            return is_there.error();
        }
        if (!present) return present.error();
        for (const std::string& name : names) {
            if (!present->contains(name)) return true;
        }
    }
    return false;
}

sdk::Result<bool> ToldRecords::is_lost(sdk::Context& context, sdk::Context& former,
                                       const sdk::Families& families) const {
    for (const sdk::RecordKey& record : records_) {
        if (auto left = context.go_on(); !left) return left.error();
        auto lost = has_lost(context, former, record);
        if (!lost || *lost) return lost;
    }
    for (const sdk::CollectionName& nodes : whole_) {
        auto lost = has_lost(context, former, nodes.container_key);
        if (!lost || *lost) return lost;
        auto reads_all = context.documents().reads_all(nodes);
        if (!reads_all && sdk::is_missing(reads_all.error())) continue;
        if (!reads_all) return reads_all;
        if (!*reads_all) return true;
    }
    return is_secret_lost(context, families);
}

sdk::Result<bool> ToldRecords::is_node_lost(sdk::Context& context, sdk::Context& former) const {
    bool is_lost = false;
    auto walked =
        nodes_.for_each([&](std::string_view reference, std::string_view) -> sdk::Result<void> {
            if (is_lost) return {};
            if (auto left = context.go_on(); !left) return left;
            auto key = context.find_reference(reference);
            if (!key && sdk::is_missing(key.error())) return {};
            if (!key) return key.error();
            auto lost = has_lost(context, former, *key);
            if (!lost) return lost.error();
            is_lost = *lost;
            return {};
        });
    if (!walked) return walked.error();
    return is_lost;
}

}  // namespace stele::archives

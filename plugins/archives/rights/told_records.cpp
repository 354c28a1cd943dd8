#include "rights/told_records.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
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
    sdk::Result<std::uint64_t> count() override { return source_.count(); }

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

/// Whether something holds for one row of a table, after which no more are asked.
sdk::Result<bool> has_any(
    const sdk::TextTable& table, sdk::Context& context,
    const std::function<sdk::Result<bool>(std::string_view key, std::string_view value)>& ask) {
    bool is_found = false;
    auto walked =
        table.for_each([&](std::string_view key, std::string_view value) -> sdk::Result<void> {
            if (is_found) return {};
            if (auto left = context.go_on(); !left) return left;
            auto found = ask(key, value);
            if (!found) return found.error();
            is_found = *found;
            return {};
        });
    if (!walked) return walked.error();
    return is_found;
}

}  // namespace

void ToldRecords::clear() {
    whole_.clear();
    for (sdk::TextTable* const table : {&records_, &secrets_, &nodes_})
        *table = sdk::TextTable(scratch_);
}

sdk::Result<void> ToldRecords::add_secrets(const sdk::RecordKey& record,
                                           const std::vector<std::string>& names) {
    return secrets_.put(record, sdk::dump_json(sdk::Json(names)));
}

std::unique_ptr<sdk::ContentSource> ToldRecords::noting(sdk::ContentSource& source,
                                                        std::string reference) {
    return std::make_unique<NotingSource>(source, nodes_, std::move(reference));
}

sdk::Result<bool> ToldRecords::is_secret_lost(sdk::Context& context,
                                              const sdk::Families& families) const {
    return has_any(secrets_, context,
                   [&](std::string_view key, std::string_view names) -> sdk::Result<bool> {
                       const sdk::RecordKey record(key);
                       auto present = families.secrets(context, record);
                       if (!present && sdk::is_missing(present.error())) return false;
                       if (!present && present.error().kind == sdk::ErrorKind::forbidden) {
                           auto is_there = context.documents().read(record);
                           if (is_there) return true;
                           if (sdk::is_missing(is_there.error())) return false;
                           return is_there.error();
                       }
                       if (!present) return present.error();
                       auto told = sdk::parse_json(names);
                       if (!told) return told.error();
                       return std::any_of(told->begin(), told->end(), [&](const sdk::Json& name) {
                           return !present->contains(name.get_ref<const std::string&>());
                       });
                   });
}

sdk::Result<bool> ToldRecords::is_record_lost(sdk::Context& context, sdk::Context& former) const {
    return has_any(records_, context, [&](std::string_view key, std::string_view) {
        return has_lost(context, former, sdk::RecordKey(key));
    });
}

sdk::Result<bool> ToldRecords::is_node_lost(sdk::Context& context, sdk::Context& former) const {
    return has_any(nodes_, context,
                   [&](std::string_view reference, std::string_view) -> sdk::Result<bool> {
                       auto key = context.find_reference(reference);
                       if (!key && sdk::is_missing(key.error())) return false;
                       if (!key) return key.error();
                       return has_lost(context, former, *key);
                   });
}

sdk::Result<bool> ToldRecords::is_one_lost(sdk::Context& context, sdk::Context& former,
                                           const sdk::Families& families) const {
    auto lost = is_record_lost(context, former);
    if (lost && !*lost) lost = is_node_lost(context, former);
    if (lost && !*lost) lost = is_secret_lost(context, families);
    return lost;
}

sdk::Result<bool> ToldRecords::is_branch_lost(sdk::Context& context, sdk::Context& former) const {
    for (const sdk::CollectionName& nodes : whole_) {
        auto lost = has_lost(context, former, nodes.container_key);
        if (!lost || *lost) return lost;
        auto reads_all = context.documents().reads_all(nodes);
        if (!reads_all && sdk::is_missing(reads_all.error())) continue;
        if (!reads_all) return reads_all;
        if (!*reads_all) return true;
    }
    return false;
}

}  // namespace stele::archives

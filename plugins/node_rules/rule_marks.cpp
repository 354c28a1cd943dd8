#include "rule_marks.hpp"

#include <algorithm>

#include <stele/sdk/key_tuple.hpp>

namespace stele::node_rules {

namespace {

std::string key_of(const sdk::ContentSpace& space) {
    return sdk::KeyWriter(sdk::plugin_key_space(space.platform, kMarkSpace))
        .integer(space.repository)
        .key();
}

std::string key_of(const sdk::ContentSpace& space, const marks::BindingName& binding) {
    return sdk::KeyWriter(key_of(space)).text(binding.branch).text(binding.association).key();
}

std::string value_of(std::uint64_t revision) {
    return sdk::KeyWriter().integer(revision).key();
}

sdk::Result<std::uint64_t> read_row(const sdk::Reader& reader, const std::string& key) {
    auto row = reader.get(key);
    if (!row) return row.error();
    if (!*row) return 0;
    const auto revision = sdk::KeyReader(**row).integer();
    if (revision) return *revision;
    return sdk::make_error(sdk::ErrorKind::internal, "node_rules.mark_broken",
                           "the store does not say how far rules have followed a repository");
}

}  // namespace

sdk::Result<std::uint64_t> marks::read(const sdk::Reader& reader, const sdk::ContentSpace& space) {
    return read_row(reader, key_of(space));
}

sdk::Result<std::uint64_t> marks::read(const sdk::Reader& reader, const sdk::ContentSpace& space,
                                       const BindingName& binding) {
    auto whole = read(reader, space);
    if (!whole) return whole;
    auto own = read_row(reader, key_of(space, binding));
    if (!own) return own;
    return std::max(*whole, *own);
}

void marks::write(sdk::Transaction& transaction, const sdk::ContentSpace& space,
                  const BindingName& binding, std::uint64_t revision) {
    transaction.put(key_of(space, binding), value_of(revision));
}

sdk::Result<void> marks::advance(sdk::Transaction& transaction, const sdk::ContentSpace& space,
                                 std::uint64_t revision) {
    auto present = read(transaction, space);
    if (!present) return present.error();
    if (*present >= revision) return {};
    const std::string key = key_of(space);
    transaction.put(key, value_of(revision));
    const auto cursor = transaction.scan({key, sdk::prefix_end(key)}, sdk::ScanDirection::forward);
    std::vector<std::string> passed;
    for (; cursor->is_valid(); cursor->next()) {
        if (cursor->key() == key) continue;
        const auto own = sdk::KeyReader(cursor->value()).integer();
        if (own.value_or(0) <= revision) passed.emplace_back(cursor->key());
    }
    if (auto status = cursor->status(); !status) return status;
    for (const std::string& row : passed)
        transaction.remove(row);
    return {};
}

sdk::Result<void> forget_others(sdk::Engine& engine, std::uint64_t platform, const char* key_space,
                                const std::vector<sdk::ContentSpace>& kept) {
    const std::string prefix = sdk::plugin_key_space(platform, key_space);
    std::vector<std::string> gone;
    const auto reader = engine.snapshot();
    const auto cursor =
        reader->scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    while (cursor->is_valid()) {
        const auto repository = sdk::KeyReader(cursor->key().substr(prefix.size())).integer();
        if (!repository) break;
        const std::string rows = sdk::KeyWriter(prefix).integer(*repository).key();
        const sdk::ContentSpace space{platform, *repository};
        if (std::find(kept.begin(), kept.end(), space) == kept.end()) gone.push_back(rows);
        cursor->seek(sdk::prefix_end(rows));
    }
    if (auto status = cursor->status(); !status) return status;
    if (gone.empty()) return {};
    return sdk::write_with_retry(engine, [&gone](sdk::Transaction& transaction) {
        for (const std::string& rows : gone)
            transaction.remove_range({rows, sdk::prefix_end(rows)});
        return sdk::Result<void>();
    });
}

}  // namespace stele::node_rules

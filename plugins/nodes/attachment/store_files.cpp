#include "attachment/store_files.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>

namespace stele::nodes {

namespace {

constexpr char kFileSpace[] = "nodes.file";

std::string file_row(const sdk::ContentSpace& space, std::string_view name) {
    return sdk::KeyWriter(file_rows(space)).text(name).key();
}

sdk::Result<Attachment> decode(std::string name, std::string_view row) {
    auto kept = sdk::parse_json(row);
    if (!kept) return kept.error();
    return find_attachment({{name, std::move(*kept)}}, name);
}

}  // namespace

std::string file_rows(const sdk::ContentSpace& space) {
    return sdk::KeyWriter(sdk::plugin_key_space(space.platform, kFileSpace))
        .integer(space.repository)
        .key();
}

sdk::Result<std::optional<Attachment>> find_file(const sdk::Reader& reader,
                                                 const sdk::ContentSpace& space,
                                                 std::string_view name) {
    auto row = reader.get(file_row(space, name));
    if (!row) return row.error();
    if (!*row) return std::optional<Attachment>();
    auto file = decode(std::string(name), **row);
    if (!file) return file.error();
    return std::optional<Attachment>(std::move(*file));
}

void put_file(sdk::Transaction& transaction, const sdk::ContentSpace& space,
              const Attachment& file) {
    transaction.put(file_row(space, file.id), file.to_json().dump());
}

void remove_file(sdk::Transaction& transaction, const sdk::ContentSpace& space,
                 std::string_view name) {
    transaction.remove(file_row(space, name));
}

sdk::Result<void> for_each_file(const sdk::Reader& reader, const sdk::ContentSpace& space,
                                const std::function<void(const Attachment& file)>& visit) {
    const std::string rows = file_rows(space);
    const auto cursor = reader.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        auto name = sdk::KeyReader(cursor->key().substr(rows.size())).text();
        if (!name) {
            return sdk::make_error(sdk::ErrorKind::internal, "nodes.file_row_broken",
                                   "what is kept about a file cannot be read");
        }
        auto file = decode(std::move(*name), cursor->value());
        if (!file) return file.error();
        visit(*file);
    }
    return cursor->status();
}

}  // namespace stele::nodes

#include "attachment/counted_bytes.hpp"

#include <iterator>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "branch/changes.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kBytesSpace[] = "nodes.bytes";
constexpr std::size_t kMovedAtOnce = 1000;

/// Half as many bytes as the id has, which are the name of a blob.
std::string name_of(std::string_view object_id) {
    return sdk::hex_bytes(object_id).value_or(std::string(object_id));
}

std::string counted_row(const sdk::ContentSpace& space, std::string_view object_id) {
    return counted_rows(space) + name_of(object_id);
}

sdk::Result<std::uint64_t> length_in(std::string_view row) {
    if (row.size() == kNumberBytes) return read_number(row);
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.attachment_count_broken",
                           "what is kept about counted bytes cannot be read");
}

/// Null when there are none.
const sdk::Json* attachments_of(const sdk::Json* system) {
    if (system == nullptr) return nullptr;
    const auto found = system->find(member::kAttachments);
    return found == system->end() || !found->is_object() ? nullptr : &*found;
}

/// The attachments of the version before. Members are found one after another, and those that stay
/// stand in the same order: each is looked for behind the one before.
class Earlier {
public:
    explicit Earlier(const sdk::Json* attachments) : attachments_(attachments) {
        if (attachments_ != nullptr) next_ = attachments_->begin();
    }
    bool has(const std::string& id, const sdk::Json& attachment) {
        if (attachments_ == nullptr) return false;
        const bool is_next = next_ != attachments_->end() && next_.key() == id;
        const auto found = is_next ? next_ : attachments_->find(id);
        if (found == attachments_->end()) return false;
        next_ = std::next(found);
        return *found == attachment;
    }

private:
    const sdk::Json* attachments_;
    sdk::Json::const_iterator next_;
};

std::string number_bytes(std::uint64_t number) {
    std::string bytes;
    append_number(bytes, number);
    return bytes;
}

/// One after another, of nodes that are stored in the same branch.
class Counting {
public:
    Counting(sdk::Context& context, const sdk::RecordKey& branch, const BranchPlace& place,
             LineLoad* load)
        : context_(context),
          branch_(branch),
          space_{place.platform, place.repository},
          load_(load) {}

    sdk::Result<void> count(const sdk::Json& attachment) {
        const std::string object_id = sdk::text_member(attachment, "objectId");
        const std::int64_t length = sdk::integer_member(attachment, "length").value_or(0);
        const std::string value = number_bytes(static_cast<std::uint64_t>(length));
        sdk::Transaction& transaction = context_.transaction();
        const std::string row = counted_row(space_, object_id);
        // A load notes none, as it may read one for each of a million nodes: what others count
        // meanwhile is taken back once its line is shown.
        auto known = load_ == nullptr ? transaction.get(row) : transaction.peek(row);
        if (!known) return known.error();
        if (*known) return {};
        if (load_ == nullptr) {
            transaction.put(row, value);
        } else {
            auto is_new = load_->add_binary(name_of(object_id), value);
            if (!is_new) return is_new.error();
            if (!*is_new) return {};
        }
        return context_.data_stores().count(branch_, {.objects = 1, .bytes = length});
    }

private:
    sdk::Context& context_;
    const sdk::RecordKey& branch_;
    const sdk::ContentSpace space_;
    LineLoad* load_;
};

/// Rows of lines that are shown and were loaded with what waits to be moved.
sdk::Result<std::vector<std::string>> loaded_rows(const BranchStore& branches,
                                                  const sdk::Reader& reader,
                                                  const sdk::ContentSpace& space) {
    std::vector<std::string> found;
    BranchPlace place{space.platform, space.repository, kFirstLine};
    std::string all = branches.space(place).binaries(0);
    all.resize(all.size() - kNumberBytes);
    const auto cursor = reader.scan({all, sdk::prefix_end(all)}, sdk::ScanDirection::forward);
    while (cursor->is_valid()) {
        place.line = read_number(cursor->key().substr(all.size()));
        std::string rows = branches.space(place).binaries(place.line);
        auto is_reserved = branches.is_reserved(reader, place);
        if (!is_reserved) return is_reserved.error();
        cursor->seek(sdk::prefix_end(rows));
        if (!*is_reserved) found.push_back(std::move(rows));
    }
    if (auto status = cursor->status(); !status) return status.error();
    return found;
}

sdk::Result<void> add_rows(const sdk::Reader& reader, const std::string& rows,
                           sdk::DataStoreSize& sum) {
    const auto cursor = reader.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        auto length = length_in(cursor->value());
        if (!length) return length.error();
        ++sum.objects;
        sum.bytes += static_cast<std::int64_t>(*length);
    }
    return cursor->status();
}

}  // namespace

std::string counted_rows(const sdk::ContentSpace& space) {
    return sdk::KeyWriter(sdk::plugin_key_space(space.platform, kBytesSpace))
        .integer(space.repository)
        .key();
}

sdk::Result<void> count_attachments(const Services& services, sdk::Context& context,
                                    const sdk::RecordKey& branch, const sdk::Json* before,
                                    const sdk::Json& system) {
    const auto attachments = system.find(member::kAttachments);
    if (attachments == system.end() || !attachments->is_object()) return {};
    const sdk::Json* const counted_before = attachments_of(before);
    if (counted_before != nullptr && *counted_before == *attachments) return {};
    auto place = services.branches.find(context.transaction(), branch);
    if (!place) return place.error();
    Counting counting(context, branch, *place,
                      Changes::of(context, services.branches).load_of(branch));
    Earlier earlier(counted_before);
    for (const auto& [id, attachment] : attachments->items()) {
        // Those that stay were counted with the version before, however many they are.
        if (earlier.has(id, attachment)) continue;
        if (auto counted = counting.count(attachment); !counted) return counted;
    }
    return {};
}

sdk::Result<bool> count_loaded(const Services& services, sdk::Context& context,
                               const BranchPlace& place) {
    sdk::Transaction& transaction = context.transaction();
    const std::string rows = services.branches.space(place).binaries(place.line);
    const std::string counted = counted_rows({place.platform, place.repository});
    std::map<std::string, std::string> loaded;
    {
        const auto cursor =
            transaction.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid() && loaded.size() < kMovedAtOnce; cursor->next())
            loaded.emplace(cursor->key().substr(rows.size()), cursor->value());
        if (auto status = cursor->status(); !status) return status.error();
    }
    for (const auto& [name, value] : loaded) {
        transaction.remove(rows + name);
        auto known = transaction.get(counted + name);
        if (!known) return known.error();
        if (!*known) {
            transaction.put(counted + name, value);
            continue;
        }
        auto length = length_in(value);
        if (!length) return length.error();
        auto branch = services.branches.owner(transaction, place, place.line);
        if (!branch) return branch.error();
        auto taken = context.data_stores().count(
            *branch, {.objects = -1, .bytes = -static_cast<std::int64_t>(*length)});
        if (!taken) return taken.error();
    }
    return loaded.size() < kMovedAtOnce;
}

sdk::Result<std::optional<std::uint64_t>> counted_length(const BranchStore& branches,
                                                         const sdk::Reader& reader,
                                                         const sdk::ContentSpace& space,
                                                         std::string_view object_id) {
    auto row = reader.get(counted_row(space, object_id));
    if (!row) return row.error();
    if (!*row) {
        auto loaded = loaded_rows(branches, reader, space);
        if (!loaded) return loaded.error();
        for (std::size_t i = 0; i < loaded->size() && !*row; ++i) {
            row = reader.get((*loaded)[i] + name_of(object_id));
            if (!row) return row.error();
        }
    }
    if (!*row) return std::optional<std::uint64_t>();
    auto length = length_in(**row);
    if (!length) return length.error();
    return std::optional<std::uint64_t>(*length);
}

sdk::Result<sdk::DataStoreSize> counted_bytes(const BranchStore& branches,
                                              const sdk::Reader& reader,
                                              const sdk::ContentSpace& space) {
    auto counted = loaded_rows(branches, reader, space);
    if (!counted) return counted.error();
    counted->push_back(counted_rows(space));
    sdk::DataStoreSize sum;
    for (const std::string& rows : *counted) {
        if (auto added = add_rows(reader, rows, sum); !added) return added.error();
    }
    return sum;
}

}  // namespace stele::nodes
